/**
 * Cross-origin requests (Fetch standard, §3.2) to REST v2, allowed only from the configured origins. They send a key in a header.
 * Credentials are not allowed, so browsers do not send the cookie of a sign-in.
 */
import { HttpServerResponse, type HttpServerRequest } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

/** Request headers that pages may send beyond the safelisted ones. */
const requestHeaders = [
  "x-api-key",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "accept"
].join(", ")

/** Response headers that pages may read beyond the safelisted ones. */
const exposed = [
  "etag",
  "link",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "content-disposition"
].join(", ")

/** How long a browser may cache a preflight answer, in seconds. */
const maxAge = "600"

const addVary = (response: Response, name: string): Response => {
  const vary = response.headers["vary"]
  return HttpServerResponse.setHeader(response, "vary", vary === undefined ? name : `${vary}, ${name}`)
}

/** Adds the CORS headers for the request's origin. `origins` are the configured ones; `*` allows every origin. */
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
