/** The size limit of request bodies. A body is read in one place, before its handler runs, so no handler works on an incomplete body. */
import { ByteSize, Effect } from "effect"
import { isTooComplex, tooComplex } from "../domain/values/JsonBounds.ts"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerError } from "effect/http"

/** The most bytes in the body of one request. The largest realistic body (a token list) has a few hundred thousand. */
export const bodyMaxBytes = 1_048_576

/** Whether the body of a request with this method has a meaning. */
export const hasBody = (method: string): boolean => method === "POST" || method === "PATCH" || method === "PUT"

export type BodyProblem = "too_large" | "too_complex" | "unreadable"

const problemOf = (error: HttpServerError.HttpServerError): BodyProblem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"

/**
 * Reads the body as text. The request caches it, so it can be read again. A body whose Content-Length is above the limit is refused before
 * it is read, and JSON that is too complex is refused before it is parsed.
 */
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

/** The message about a body that is too large or too complex. */
export const refusalOfSize = (problem: Exclude<BodyProblem, "unreadable">): string =>
  problem === "too_large" ? "The body is too large: at most 1 MiB is allowed." : tooComplex
