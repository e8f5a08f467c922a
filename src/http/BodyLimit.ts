/** The bound on request bodies, read once and early, so that no handler ever holds half of one. */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerError } from "effect/http"

/** Most bytes of one request's body: the largest sensible body (a token list) has a few hundred thousand. */
export const bodyMaxBytes = 1_048_576

export type BodyProblem = "too_large" | "unreadable"

const problemOf = (error: HttpServerError.HttpServerError): BodyProblem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"

/** The body as text, which the request keeps for its next reader. An announced length above the bound is refused unread. */
export const readBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BodyProblem> =>
  Number(request.headers["content-length"] ?? 0) > bodyMaxBytes
    ? Effect.fail("too_large")
    : request.text.pipe(
        Effect.mapError(problemOf),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes))
      )
