/**
 * Cross-origin requests (Fetch standard, §3.2) to REST v2 from the pages that the operator names, and from no other. They send a key in a header. No
 * credentials are allowed, so that browsers send no cookie of a sign-in with them.
 */
import { HttpServerResponse, type HttpServerRequest } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

/** What pages may send beside what every page may. */
const requestHeaders = [
  "x-api-key",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "accept"
].join(", ")

/** What pages may read beside what every page may. */
const exposed = [
  "etag",
  "link",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "content-disposition"
].join(", ")

/** Seconds for which a page remembers what it was allowed. */
const maxAge = "600"

const addVary = (response: Response, name: string): Response => {
  const vary = response.headers["vary"]
  return HttpServerResponse.setHeader(response, "vary", vary === undefined ? name : `${vary}, ${name}`)
}

/** The answer as a page of `origin` may read it. `origins` are the operator's, `*` is everybody's. */
export const allowing = (
  origins: ReadonlyArray<string>,
  request: HttpServerRequest.HttpServerRequest,
  response: Response
): Response => {
  if (origins.length === 0) return response
  const { origin } = request.headers
  const isOpen = origins.includes("*")
  const varied = isOpen ? response : addVary(response, "Origin")
  if (origin === undefined || !(isOpen || origins.includes(origin))) return varied
  const answered = HttpServerResponse.setHeaders(varied, {
    "access-control-allow-origin": isOpen ? "*" : origin,
    "access-control-expose-headers": exposed
  })
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return answered
  return HttpServerResponse.setHeaders(answered, {
    "access-control-allow-methods": response.headers["allow"] ?? "",
    "access-control-allow-headers": requestHeaders,
    "access-control-max-age": maxAge
  })
}
