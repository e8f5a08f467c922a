/** Authentication and answers of REST v1: https only, keys in the query never logged, errors in its own envelope. */
import { Cause, Clock, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { TooMany } from "../../domain/Errors.ts"
import { purposes } from "../../domain/operator/Keys.ts"
import { CredentialsProved, uncounted, type WrongCredentials } from "../../domain/operator/WrongCredentials.ts"
import { Access } from "../../domain/operator/Access.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { asCaller, readingFor } from "../../domain/values/ThreadTime.ts"
import { readBody, refusalOfSize } from "../BodyLimit.ts"
import { messages } from "../Issues.ts"
import { failureIn, refusalIn } from "../DomainError.ts"
import { pathOf } from "../RawUrl.ts"
import { domainResponse, isDomainError, Refused, refusedResponse } from "./Errors.ts"
import { V1Authorization, V1Caller, V1Face } from "./Middleware.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export interface V1Options {
  /** Base of the URLs in the OpenAPI document (`PUBLIC_URL`). */
  readonly publicUrl: string
  /** Whether a request came over https, by its own socket or according to a trusted proxy. */
  readonly isSecure: (request: Request) => boolean
  /** `V1_ALLOW_HTTP`: plain http is accepted too. */
  readonly allowHttp: boolean
  /** Counts wrong codes, by the network that a request comes from. */
  readonly wrong?: WrongCredentials
  readonly networkOf?: (request: Request) => string
}

const schemaResponse = (error: HttpApiError.HttpApiSchemaError): Response | undefined => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return undefined
  const text = messages(error.cause.issue).join("; ")
  return error.kind === "Params"
    ? refusedResponse("invalid_group_id", `groupId must be the integer id of a group: ${text}`)
    : refusedResponse("invalid_body", text)
}

/** The answer for an operation's failure; undefined for a defect. */
const responseOf = (error: unknown): Response | undefined => {
  if (error instanceof Refused) return refusedResponse(error.code, error.message)
  if (HttpApiError.HttpApiSchemaError.is(error)) return schemaResponse(error)
  return isDomainError(error) ? domainResponse(error) : undefined
}

/** The router's own answer to a body that is not JSON has no envelope, so it is replaced. */
const enveloped = (response: Response): Response =>
  response.status === 415
    ? refusedResponse(
        "unsupported_media_type",
        "The body must be JSON: send the header content-type: application/json."
      )
    : response

const answered = <R>(
  effect: Effect.Effect<Response, unknown, R>,
  request: Request
): Effect.Effect<Response, never, R> =>
  Effect.catchCause(effect, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    const error = refusalIn(cause) ?? failureIn(cause)
    const response = error === undefined ? undefined : responseOf(error)
    if (response !== undefined) return Effect.succeed(response)
    return Effect.as(
      // Only the path: the query contains the caller's code.
      Effect.logError("REST v1 request failed", cause).pipe(
        Effect.annotateLogs({ method: request.method, path: pathOf(request.url) })
      ),
      refusedResponse("internal_error", "The service failed; it has been logged. Try again later.")
    )
  })

const checkBody = (request: Request): Effect.Effect<Response | undefined> =>
  request.method !== "POST"
    ? Effect.undefined
    : Effect.match(readBody(request), {
        onSuccess: () => undefined,
        onFailure: (problem) => {
          if (typeof problem === "object") {
            return refusedResponse("invalid_body", `${problem.pointer}: ${problem.detail}`)
          }
          return problem === "unreadable"
            ? refusedResponse("invalid_body", "The body could not be read.")
            : refusedResponse("payload_too_large", refusalOfSize(problem))
        }
      })

/**
 * Headers of every answer below `/api`. The URL contains keys, so it must not be sent in a Referer header, and the answer must not be
 * cached.
 */
export const securedHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const secured = (response: Response): Response => HttpServerResponse.setHeaders(response, securedHeaders)

const insecure = refusedResponse(
  "https_required",
  "REST v1 is available only over https, because its keys are part of the URL. Use https, let a trusted proxy send X-Forwarded-Proto: https " +
    "(TRUST_PROXY), or set V1_ALLOW_HTTP=true on a closed network."
)

/** Wraps one operation or page with all rules of REST v1. */
export const faced =
  (options: V1Options) =>
  <R>(effect: Effect.Effect<Response, unknown, R>): Effect.Effect<Response, never, R | Request> =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!options.allowHttp && !options.isSecure(request)) return insecure
      return enveloped(yield* answered(effect, request))
    }).pipe(Effect.map(secured))

const unauthorized = new Refused({
  code: "unauthorized",
  message: "Send the query parameters code and clientId of REST v1. Keys of REST v2 do not work here."
})

/** Longest clientId or code that is checked; ours have 16 and 43 characters. */
const credentialMaxLength = 256

const isCredential = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= credentialMaxLength

const authorization = ({ networkOf = () => "", wrong = uncounted }: V1Options) =>
  Effect.gen(function* () {
    const access = yield* Access
    const secrets = yield* Secrets
    const proved = yield* CredentialsProved
    // A dummy that no code matches, so that an unknown clientId takes as long to refuse as a wrong code.
    const dummy = secrets.verifier(purposes.v1Code, "dummy")

    return V1Authorization.of((httpEffect) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { clientId, code } = yield* HttpServerRequest.ParsedSearchParams
        const network = networkOf(request)
        const refuse = Effect.matchEffect(wrong.count(network), {
          onFailure: (tooMany) => Effect.succeed(domainResponse(tooMany)),
          onSuccess: () => unauthorized
        })
        if (!isCredential(clientId) || !isCredential(code)) return yield* refuse
        const look = Effect.map(access.findV1(clientId), (one) =>
          secrets.verify(purposes.v1Code, code, one?.verifier ?? dummy) ? one : undefined
        )
        const found = yield* wrong.lookUp(network, secrets.verifier(purposes.v1Code, `${clientId} ${code}`), look)
        if (found === undefined) return yield* refuse
        proved(request.source)
        access.used(found.principal.actor, yield* Clock.currentTimeMillis)
        const refusal = yield* checkBody(request)
        if (refusal !== undefined) return refusal
        const { keyId } = found.principal
        const work = Effect.provideService(httpEffect, V1Caller, found.principal)
        const read = Effect.catchIf(
          readingFor(keyId, work),
          (error): error is TooMany => error instanceof TooMany,
          (error) => Effect.succeed(domainResponse(error))
        )
        return yield* asCaller(keyId, request.method === "GET" ? read : work)
      })
    )
  })

export const layer = (options: V1Options) =>
  Layer.merge(
    Layer.effect(V1Authorization, authorization(options)),
    Layer.succeed(V1Face, (httpEffect) => faced(options)(httpEffect))
  )
