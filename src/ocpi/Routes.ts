/**
 * The OCPI face as routes for an `HttpRouter`: everything below `/ocpi`. It finds what is asked for and by whom, and puts every answer into the
 * envelope, refusals and defects too; what is done is the modules'.
 */
import { ByteSize, Cause, Clock, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Bearer, Partners } from "../domain/ports/Partners.ts"
import { Secrets } from "../domain/ports/Secrets.ts"
import { tokenVerifier } from "../domain/party/PartnerTokens.ts"
import type { CallOptions } from "../outbound/HttpCall.ts"
import { nameOf } from "./EndpointTable.ts"
import { failure, success } from "./Envelope.ts"
import type { Handlers, Reply } from "./Exchange.ts"
import { matcher, type Target } from "./Matching.ts"
import { credentialsHandlers } from "./modules/Credentials.ts"
import { versionDetails, versionList } from "./modules/Versions.ts"
import { wireObjects } from "./objects/WireObjects.ts"
import { type Reason, refusalOf, Refused } from "./Status.ts"
import { tokensOf } from "./TokenHeader.ts"
import type { VersionFacts } from "./Version.ts"

export interface OcpiOptions {
  /** Base of every absolute URL that is handed out (`PUBLIC_URL`). */
  readonly publicUrl: string
  readonly outbound: CallOptions
}

/** Most bytes of one request's body: the largest sensible one, a token, has some thousands; commands embed one. */
const bodyMaxBytes = 1_048_576

/** Longest id of a request that is echoed; ids have 36 characters. */
const idMax = 255

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const refuse = (reason: Reason) => new Refused({ reason })

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** The body's JSON, or undefined where there is no body. */
const bodyOf = (request: Request): Effect.Effect<unknown, Refused> =>
  Number(request.headers["content-length"] ?? 0) > bodyMaxBytes
    ? Effect.fail(refuse({ _tag: "TooLarge", limitBytes: bodyMaxBytes }))
    : request.text.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMaxBytes)),
        Effect.mapError(() => refuse({ _tag: "TooLarge", limitBytes: bodyMaxBytes })),
        Effect.flatMap((text) =>
          text.trim() === ""
            ? Effect.undefined
            : Effect.mapError(decodeJson(text), () => refuse({ _tag: "Unreadable", detail: "The body is no JSON." }))
        )
      )

/** Ids of a request, made up where the partner sent none: 2.1.1 knows none, and others forget them. */
const idsOf = (request: Request, newId: () => string) => {
  const given = (name: string) => {
    const id = request.headers[name]
    return id !== undefined && id !== "" && id.length <= idMax && /^[\u0020-\u007e]+$/.test(id) ? id : newId()
  }
  return { requestId: given("x-request-id"), correlationId: given("x-correlation-id") }
}

/** What domain errors are here. */
const reasonOf = (error: unknown): Reason | undefined => {
  if (error instanceof Refused) return error.reason
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  switch (tag) {
    case "StorageUnavailable":
      return { _tag: "Failed" }
    case "NotFound":
      return { _tag: "NotFound", object: "Other", detail: "There is no such object." }
    case "InvalidInput":
    case "Conflict": {
      const { detail, message } = error as { readonly detail?: string; readonly message?: string }
      return { _tag: "Invalid", detail: detail ?? message ?? "This cannot be done." }
    }
    default:
      return undefined
  }
}

const json = (body: unknown, status: number, headers: Readonly<Record<string, string>>): Response =>
  HttpServerResponse.setHeaders(HttpServerResponse.jsonUnsafe(body, { status }), {
    "cache-control": "no-store",
    ...headers
  })

interface Facing {
  readonly handlers: Handlers
  readonly base: string
  readonly find: (method: string, path: string) => Target
}

/** The path behind `/ocpi`. */
const pathOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/^\/ocpi/, "")

const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? "")

const face = ({ base, find, handlers }: Facing) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const secrets = yield* Secrets

    /** Whom a token belongs to. A suspended partner is as unknown as a stranger, but is told why. */
    const authenticated = (request: Request, now: number) =>
      Effect.gen(function* () {
        const tokens = tokensOf(request.headers["authorization"])
        const verifiers = tokens.map((token) => tokenVerifier(secrets, token))
        const bearer = verifiers.length === 0 ? undefined : yield* partners.bearer(verifiers, now)
        if (bearer === undefined) return yield* refuse({ _tag: "Unauthorized" })
        if (bearer.partner.status === "Suspended") return yield* refuse({ _tag: "Suspended" })
        return { bearer, token: tokens[0] ?? "" }
      })

    const served = (
      target: Target,
      request: Request,
      { bearer, token }: { readonly bearer: Bearer; readonly token: string },
      correlationId: string,
      now: number
    ): ReturnType<Extract<Target, { readonly _tag: "Module" }>["handler"]> => {
      switch (target._tag) {
        case "Versions":
          return Effect.succeed({ data: versionList(base) })
        case "Details":
          return Effect.succeed({ data: versionDetails(target.facts, base, (row) => handlers.has(nameOf(row))) })
        case "OtherMethods":
          return Effect.fail(refuse({ _tag: "MethodNotAllowed", allowed: target.allowed }))
        case "Nothing":
          return Effect.fail(refuse({ _tag: "UnknownPath" }))
        case "Module": {
          const { facts, handler, params, row } = target
          // A registration token opens nothing but the way to a registration (OCPI 2.2.1 §7.1.3).
          if (bearer.use === "Registration" && row.module !== "credentials")
            return Effect.fail(refuse({ _tag: "Unauthorized" }))
          const query = queryOf(request.url)
          const wire = wireObjects[facts.version]
          return handler({ bearer, token, facts, wire, params, query, body: bodyOf(request), correlationId, now })
        }
      }
    }

    const answer = (request: Request) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { correlationId, requestId } = idsOf(request, () => secrets.uuid(now))
        const echoed = { "x-request-id": requestId, "x-correlation-id": correlationId }
        const target = find(request.method, pathOf(request.url))
        const facts: VersionFacts | undefined = "facts" in target ? target.facts : undefined
        let as400 = false
        const refused = (reason: Reason): Response => {
          const { headers, http, message, status } = refusalOf(reason, facts?.unknownToken ?? 2004)
          return json(failure(status, message, now), as400 && http === 200 ? 400 : http, { ...echoed, ...headers })
        }
        const replied = ({ created, data, headers }: Reply): Response =>
          json(success(data, now), created === true ? 201 : 200, { ...echoed, ...headers })
        return yield* Effect.gen(function* () {
          const known = yield* authenticated(request, now)
          as400 = known.bearer.partner.switches.semanticErrorsAs400 === true
          return replied(yield* served(target, request, known, correlationId, now))
        }).pipe(
          Effect.catchCause((cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
            const failed = cause.reasons.find(Cause.isFailReason)
            const reason = cause.reasons.some(Cause.isDieReason) ? undefined : reasonOf(failed?.error)
            if (reason !== undefined) return Effect.succeed(refused(reason))
            return Effect.as(
              Effect.logError("OCPI request failed", cause).pipe(
                Effect.annotateLogs({ method: request.method, path: pathOf(request.url) })
              ),
              refused({ _tag: "Failed" })
            )
          })
        )
      })
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, answer)
  })

/** All routes of OCPI for an `HttpRouter`. */
export const ocpiRoutes = ({ outbound, publicUrl }: OcpiOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const base = `${publicUrl.replace(/\/+$/, "")}/ocpi`
      const handlers: Handlers = yield* credentialsHandlers({ base, client: outbound })
      const answer = yield* face({ handlers, base, find: matcher(handlers) })
      for (const method of methods) yield* router.add(method, "/ocpi/*", answer)
    })
  )
