/** The limits of request bodies: their size, their complexity, and that no object names a field twice. A body is read in one place, before its handler runs, so no handler works on an incomplete body. */
import { ByteSize, Effect } from "effect"
import { isTooComplex, tooComplex } from "../domain/values/JsonBounds.ts"
import { repeatedField } from "../domain/values/RepeatedField.ts"
import { type FieldIssue, pointerOf } from "./Issues.ts"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerError } from "effect/http"

/** The most bytes in the body of one request. The largest realistic body (a token list) has a few hundred thousand. */
export const bodyMaxBytes = 1_048_576

/**
 * The same where callers are unknown: a sign-in, a passkey or an answer of an identity provider has a few thousand. Thousands of connections may each
 * hold an incomplete body until it is late.
 */
export const openBodyMaxBytes = 16_384

/** The same for requests that should have no body. */
export const noBodyMaxBytes = 1_024

/** Whether the body of a request with this method has a meaning. */
export const hasBody = (method: string): boolean => method === "POST" || method === "PATCH" || method === "PUT"

/** An issue is about a field that is named twice. */
export type BodyProblem = "too_large" | "too_complex" | "unreadable" | FieldIssue

const problemOf = (error: HttpServerError.HttpServerError): BodyProblem =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"

/** JSON of at most 1 MiB that is not too complex is checked in a few milliseconds. */
const repeatedIn = (text: string): FieldIssue | undefined => {
  const path = repeatedField(text)
  return path === undefined ? undefined : { pointer: pointerOf(path), detail: "Is given more than once" }
}

/**
 * Reads the body as text. The request caches it, so it can be read again. A body whose Content-Length is above the limit is refused before
 * it is read, and JSON that is too complex is refused before it is parsed.
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes = bodyMaxBytes
): Effect.Effect<string, BodyProblem> =>
  Number(request.headers["content-length"] ?? 0) > maxBytes
    ? Effect.fail("too_large")
    : request.text.pipe(
        Effect.mapError(problemOf),
        Effect.filterOrFail(
          (text) => !isTooComplex(text),
          (): BodyProblem => "too_complex"
        ),
        Effect.tap((text): Effect.Effect<void, BodyProblem> => {
          const repeated = repeatedIn(text)
          return repeated === undefined ? Effect.void : Effect.fail(repeated)
        }),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes))
      )

/** The message about a body that is too large or too complex. */
export const refusalOfSize = (problem: "too_large" | "too_complex", maxBytes = bodyMaxBytes): string =>
  problem === "too_large"
    ? `The body is too large: at most ${maxBytes === bodyMaxBytes ? "1 MiB" : `${maxBytes} bytes`} is allowed.`
    : tooComplex
