/**
 * The OCPI face as routes for an `HttpRouter`: everything below `/ocpi`. It finds what is asked for and by whom; what is done is the modules', and
 * every answer has the envelope, refusals and defects too.
 */
import { Cause, Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { tokenVerifier } from "../domain/party/PartnerTokens.ts"
import { type Bearer, Partners } from "../domain/ports/Partners.ts"
import { Secrets } from "../domain/ports/Secrets.ts"
import { type Answering, reasonOfCause, refused, replied } from "./Answering.ts"
import { atOnce, requestsAtOnce } from "./AtOnce.ts"
import { bodyOf, idsOf, pathOf, queryOf, type Request } from "./Asking.ts"
import type { CallOptions } from "../outbound/HttpCall.ts"
import { nameOf } from "./EndpointTable.ts"
import type { Handler, Handlers } from "./Exchange.ts"
import { matcher, type Target } from "./Matching.ts"
import { countRequest } from "./Metrics.ts"
import { commandsHandlers } from "./modules/Commands.ts"
import { credentialsHandlers } from "./modules/Credentials.ts"
import { tokensHandlers } from "./modules/Tokens.ts"
import { versionDetails, versionList } from "./modules/Versions.ts"
import { wireObjects } from "./objects/WireObjects.ts"
import { type Reason, refusalOf, Refused, statusCodes } from "./Status.ts"
import { tokensOf } from "./TokenHeader.ts"

export interface OcpiOptions {
  /** Base of every absolute URL that is handed out (`PUBLIC_URL`). */
  readonly publicUrl: string
  readonly outbound: CallOptions
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const refuse = (reason: Reason) => new Refused({ reason })

/** Who asks, by which of its tokens. */
interface Caller {
  readonly bearer: Bearer
  readonly token: string
}

/** Whom a token belongs to. A suspended partner is told so: nobody else holds its token. */
const authentication = Effect.gen(function* () {
  const partners = yield* Partners
  const secrets = yield* Secrets
  return (request: Request, now: number) =>
    Effect.gen(function* () {
      const tokens = tokensOf(request.headers["authorization"])
      const verifiers = tokens.map((token) => tokenVerifier(secrets, token))
      const bearer = verifiers.length === 0 ? undefined : yield* partners.bearer(verifiers, now)
      if (bearer === undefined) return yield* refuse({ _tag: "Unauthorized" })
      if (bearer.partner.status === "Suspended") return yield* refuse({ _tag: "Suspended" })
      const caller: Caller = { bearer, token: tokens[bearer.reading] ?? "" }
      return caller
    })
})

/** What is at a target, for a caller. */
const serving =
  (base: string, handlers: Handlers) =>
  (target: Target, request: Request, { bearer, token }: Caller, { ids, now }: Answering): ReturnType<Handler> => {
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
        if (bearer.use === "Registration" && row.module !== "credentials") {
          return Effect.fail(refuse({ _tag: "Unauthorized" }))
        }
        const wire = wireObjects[facts.version]
        const { correlationId } = ids
        const query = queryOf(request.url)
        return handler({ bearer, token, facts, wire, params, query, body: bodyOf(request), correlationId, now })
      }
    }
  }

const face = (base: string, handlers: Handlers) =>
  Effect.gen(function* () {
    const secrets = yield* Secrets
    const authenticated = yield* authentication
    const find = matcher(handlers)
    const served = serving(base, handlers)
    const bounded = atOnce(requestsAtOnce)

    const answer = (request: Request) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const target = find(request.method, pathOf(request.url))
        let answering: Answering = {
          now,
          ids: idsOf(request, () => secrets.uuid(now)),
          accept: request.headers["accept"],
          unknownToken: "facts" in target ? target.facts.unknownToken : 2004,
          semanticErrorsAs400: false
        }
        return yield* Effect.gen(function* () {
          const caller = yield* authenticated(request, now)
          const { semanticErrorsAs400 = false } = caller.bearer.partner.switches
          answering = { ...answering, semanticErrorsAs400 }
          const reply = yield* bounded(caller.bearer.partner.id, served(target, request, caller, answering))
          yield* countRequest(target, statusCodes.Success)
          return replied(answering, reply)
        }).pipe(
          Effect.catchCause((cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
            const known = reasonOfCause(cause)
            const reason = known ?? { _tag: "Failed" as const }
            const log = Effect.annotateLogs(Effect.logError("OCPI request failed", cause), {
              method: request.method,
              path: pathOf(request.url)
            })
            return (known === undefined ? log : Effect.void).pipe(
              Effect.andThen(countRequest(target, refusalOf(reason, answering.unknownToken).status)),
              Effect.as(refused(answering, reason))
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
      const modules: ReadonlyArray<Handlers> = [
        yield* commandsHandlers(outbound),
        yield* credentialsHandlers({ base, client: outbound }),
        yield* tokensHandlers
      ]
      const answer = yield* face(base, new Map(modules.flatMap((handlers) => [...handlers])))
      for (const method of methods) yield* router.add(method, "/ocpi/*", answer)
    })
  )
