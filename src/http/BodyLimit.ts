/** The bound on request bodies, read once and early, so that no handler ever holds half of one. */
import { ByteSize, Effect } from "effect"
import { isTooComplex, tooComplex } from "../domain/values/JsonBounds.ts"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerError } from "effect/http"

/** Most bytes of one request's body: the largest sensible body (a token list) has a few hundred thousand. */
export const bodyMaxBytes = 1_048_576

/** Methods whose requests have a body that means something. */
export const hasBody = (method: string): boolean => method === "POST" || method === "PATCH" || method === "PUT"

export type BodyProblem = "too_large" | "too_complex" | "unreadable"

const problemOf = (error: HttpServerError.HttpServerError): BodyProblem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"

/** The body as text, which the request keeps for its next reader. An announced length above the bound is refused unread, and JSON that is too complex unparsed. */
export const readBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BodyProblem> =>
  Number(request.headers["content-length"] ?? 0) > bodyMaxBytes
    ? Effect.fail("too_large")
    : request.text.pipe(
        Effect.mapError(problemOf),
        Effect.filterOrFail(
          (text) => !isTooComplex(text),
          (): BodyProblem => "too_complex"
        ),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes))
      )

/** What to say of a body that is too large or too complex. */
export const refusalOfSize = (problem: Exclude<BodyProblem, "unreadable">): string =>
  problem === "too_large" ? "A body may have at most 1 MiB." : tooComplex
