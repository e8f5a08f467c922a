/**
 * The outermost layer of REST v2: turns every failure and defect into a problem document, and keeps answers out of caches. It wraps the
 * endpoints (as `Face`) and everything else below `/cpo`.
 */
import { Cause, Context, Effect, Layer, Option } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { maxFileBytes } from "../../../domain/file/StoredFile.ts"
import { bodyMaxBytes, hasBody, openBodyMaxBytes, readBody, refusalOfSize } from "../../BodyLimit.ts"
import { fieldIssues } from "../../Issues.ts"
import { pathOf } from "../../RawUrl.ts"
import { failureIn, refusalIn } from "../../DomainError.ts"
import { isDomainError } from "./Errors.ts"
import { Unauthorized } from "./Failures.ts"
import { BoundedBody, Caller, Face, Open, StreamedBody } from "./Middleware.ts"
import { domainProblem, faceProblem, notFoundProblem, toResponse, validationProblem, type Problem } from "./Problem.ts"
import { RateLimits } from "./RateLimits.ts"
import { saidOnce, withNearest } from "./Unknown.ts"

type Response = HttpServerResponse.HttpServerResponse

const json = "application/json"

/** The content types that PATCH accepts: a merge patch (RFC 7396) under its own type or as plain JSON. */
export const patchTypes: ReadonlyArray<string> = ["application/merge-patch+json", json]

/** JSON is UTF-8 (RFC 8259 §8.1), and a body is read as nothing else. A name in quotes means the same (RFC 9110 §8.3.1). */
const isUtf8 = (contentType: string): boolean =>
  [...contentType.matchAll(/;\s*charset\s*=\s*"?([^";]*)/gi)].every(([, charset = ""]) =>
    /^utf-?8$/i.test(charset.trim())
  )

/** The request with content type JSON, by which Effect finds the schema; undefined for a body of another type or charset. */
const asJson = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest | undefined => {
  const contentType = request.headers["content-type"] ?? json
  const [given = json] = contentType.split(";", 1)
  const type = given.trim().toLowerCase()
  if (!isUtf8(contentType)) return undefined
  if (type === json) return request
  if (request.method !== "PATCH" || !patchTypes.includes(type)) return undefined
  return request.modify({ headers: Headers.set(request.headers, "content-type", json) })
}

const schemaProblem = (error: HttpApiError.HttpApiSchemaError, url: string): Problem | undefined => {
  switch (error.kind) {
    case "Params":
      return notFoundProblem
    case "Body":
    case "ResponseHeaders":
      return undefined
    case "Query":
      return validationProblem(saidOnce(fieldIssues(withNearest(error.cause.issue)), url))
    default:
      return validationProblem(fieldIssues(withNearest(error.cause.issue)))
  }
}

/** The problem document for an endpoint's failure at `url`; undefined for a defect. */
export const problemOf = (error: unknown, url: string): Problem | undefined => {
  if (error instanceof Unauthorized) return faceProblem(error.code ?? "unauthorized", error.detail)
  if (HttpApiError.HttpApiSchemaError.is(error)) return schemaProblem(error, url)
  return isDomainError(error) ? domainProblem(error) : undefined
}

/** Answers failures of `effect` with problem documents. A defect is logged once, without query and body, and answered with 500. */
export const answered = <R>(
  effect: Effect.Effect<Response, unknown, R>
): Effect.Effect<Response, never, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = pathOf(request.url)
    return Effect.catchCause(effect, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      const error = refusalIn(cause) ?? failureIn(cause)
      const problem = error === undefined ? undefined : problemOf(error, request.url)
      if (problem !== undefined) return Effect.succeed(toResponse(problem, path))
      return Effect.as(
        Effect.logError("REST v2 request failed", cause).pipe(Effect.annotateLogs({ method: request.method, path })),
        toResponse(faceProblem("internal_error", "The service failed; it has been logged. Try again later."), path)
      )
    })
  })

/** Headers of every answer below `/cpo`: it is for one caller and one moment only. */
export const securedHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export const secured = (response: Response): Response => HttpServerResponse.setHeaders(response, securedHeaders)

/** Wraps one endpoint or page with all of this. */
export const faced = <R>(
  effect: Effect.Effect<Response, unknown, R>
): Effect.Effect<Response, never, R | HttpServerRequest.HttpServerRequest> => Effect.map(answered(effect), secured)

const checkBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.Effect<Problem | undefined> =>
  Effect.match(readBody(request, maxBytes), {
    onSuccess: () => undefined,
    onFailure: (problem) => {
      if (typeof problem === "object") return validationProblem([problem])
      return problem === "unreadable"
        ? faceProblem("unreadable_body", "The body could not be read.")
        : faceProblem("payload_too_large", refusalOfSize(problem, maxBytes))
    }
  })

/** Checks a streamed body by its headers. The handler itself limits the bytes that arrive. */
const checkStreamed = (request: HttpServerRequest.HttpServerRequest, wanted: string): Problem | undefined => {
  const [given = ""] = (request.headers["content-type"] ?? "").split(";", 1)
  if (given.trim().toLowerCase() !== wanted) {
    return faceProblem("unsupported_media_type", `Send the file itself, with the header content-type: ${wanted}.`)
  }
  if (Number(request.headers["content-length"] ?? 0) <= maxFileBytes) return undefined
  return faceProblem("payload_too_large", `The file is too large: at most ${maxFileBytes} bytes are allowed.`)
}

/** The size of a body in bytes; the limit if it was too large to be read whole. */
const bytesOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<number> => {
  const announced = Number(request.headers["content-length"])
  if (Number.isFinite(announced)) return Effect.succeed(Math.min(announced, bodyMaxBytes))
  // It has been read, and the request caches it.
  return Effect.match(request.text, { onSuccess: ({ length }) => length, onFailure: () => bodyMaxBytes })
}

const boundedBody = Effect.map(RateLimits, (limits) =>
  BoundedBody.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const streamed = Context.getOption(endpoint.annotations, StreamedBody)
      const refuse = (problem: Problem) => toResponse(problem, pathOf(request.url))
      if (Option.isSome(streamed)) {
        const problem = checkStreamed(request, streamed.value)
        return problem === undefined ? yield* httpEffect : refuse(problem)
      }
      if (!hasBody(request.method)) return yield* httpEffect
      const readable = asJson(request)
      if (readable === undefined) {
        const detail = `The body must be JSON in UTF-8: send the header content-type: application/json instead of ${request.headers["content-type"] ?? ""}.`
        return refuse(faceProblem("unsupported_media_type", detail))
      }
      const isOpen = Context.get(endpoint.annotations, Open)
      const problem = yield* checkBody(readable, isOpen ? openBodyMaxBytes : bodyMaxBytes)
      yield* limits.body((yield* Caller).keyId, yield* bytesOf(readable))
      return problem === undefined
        ? yield* Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, readable)
        : refuse(problem)
    })
  )
)

export const layer: Layer.Layer<Face | BoundedBody, never, RateLimits> = Layer.merge(
  Layer.succeed(Face, (httpEffect) => faced(httpEffect)),
  Layer.effect(BoundedBody, boundedBody)
)
