/**
 * The OCPI interface as routes for an `HttpRouter`: everything below `/ocpi`. It finds the endpoint and the caller of a request, and the
 * modules do the rest. Every answer has the envelope, including refusals and defects.
 */
import { Cause, Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { asCaller, readingFor } from "../../domain/values/ThreadTime.ts"
import { tokenVerifier } from "../../domain/roaming/PartnerTokens.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { Exchanges } from "../../domain/roaming/Exchanges.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { type Bearer, Partners } from "../../domain/roaming/Partners.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { CredentialsProved, uncounted, type WrongCredentials } from "../../domain/operator/WrongCredentials.ts"
import { type Answering, type Known, reasonOfCause, refused, replied } from "./Answering.ts"
import { atOnce, requestsAtOnce } from "./AtOnce.ts"
import { type Request, bodyOf, idsOf, pathOf, queryOf } from "./Asking.ts"
import type { CallOptions } from "../../outbound/HttpCall.ts"
import { type EndpointRow, nameOf } from "../protocol/EndpointTable.ts"
import type { Handler, Handlers } from "../modules/Exchange.ts"
import { type Target, matcher } from "./Matching.ts"
import { countRequest, moduleOf } from "./Metrics.ts"
import { cdrsHandlers } from "../modules/Cdrs.ts"
import { chargingProfilesHandlers } from "../modules/ChargingProfiles.ts"
import { commandsHandlers } from "../modules/Commands.ts"
import { credentialsHandlers } from "../modules/Credentials.ts"
import { locationsHandlers } from "../modules/Locations.ts"
import { sessionsHandlers } from "../modules/Sessions.ts"
import { tariffsHandlers } from "../modules/Tariffs.ts"
import { tokensHandlers } from "../modules/Tokens.ts"
import { hubClientInfoHandlers } from "../modules/HubClientInfo.ts"
import { versionDetails, versionList } from "../modules/Versions.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { openApi } from "./OpenApi.ts"
import { recordRequest } from "./Recording.ts"
import {
  type Routing,
  asMeant,
  isNamed,
  isRouted,
  misnamed,
  misrouted,
  routingOf,
  swapped
} from "../modules/Routing.ts"
import { Refused, refusalOf, refuse, statusCodes } from "../protocol/Status.ts"
import { tokensOf, whyUnknown } from "../protocol/TokenHeader.ts"
import { type StorageUnavailable, TooMany } from "../../domain/Errors.ts"

/** Parties are rarely added. A request for an unknown party reads them again at once. */
const rememberedMillis = 10_000

/** The most organisations whose parties are cached. Beyond that the cache is cleared. */
const organisationsMax = 1_000

/** The parties of an organisation, cached for a moment, since every routed request needs them. */
const ownParties = (parties: Parties["Service"]) => {
  const known = new Map<string, { readonly at: number; readonly all: ReadonlyArray<PartyId> }>()
  return (
    organisationId: string,
    now: number,
    isEnough: (all: ReadonlyArray<PartyId>) => boolean
  ): Effect.Effect<ReadonlyArray<PartyId>, StorageUnavailable> =>
    Effect.suspend(() => {
      const found = known.get(organisationId)
      if (found !== undefined && now - found.at < rememberedMillis && isEnough(found.all)) {
        return Effect.succeed(found.all)
      }
      return Effect.map(parties.list(organisationId), (all) => {
        if (known.size >= organisationsMax) known.clear()
        known.set(organisationId, { at: now, all })
        return all
      })
    })
}

export interface OcpiOptions {
  /** Base of every absolute URL in answers (`PUBLIC_URL`). */
  readonly publicUrl: string
  readonly outbound: CallOptions
  /** How the description is answered at a path. */
  readonly described?: (
    path: string,
    json: string
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>
  /** Counts wrong tokens, by the network that a request comes from. */
  readonly wrong?: WrongCredentials
  readonly networkOf?: (request: HttpServerRequest.HttpServerRequest) => string
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** The partner that sent a request, and the token that it used. */
interface Caller {
  readonly bearer: Bearer
  readonly token: string
}

/** Finds the partner that a request's token belongs to. */
const authentication = Effect.fnUntraced(function* ({ networkOf = () => "", wrong = uncounted }: OcpiOptions) {
  const partners = yield* Partners
  const secrets = yield* Secrets
  const proved = yield* CredentialsProved
  return (request: Request, now: number) =>
    Effect.gen(function* () {
      const tokens = tokensOf(request.headers["authorization"])
      const verifiers = tokens.map((token) => tokenVerifier(secrets, token))
      const [verifier] = verifiers
      const network = networkOf(request)
      const bearer =
        verifier === undefined ? undefined : yield* wrong.lookUp(network, verifier, partners.bearer(verifiers, now))
      if (bearer === undefined) {
        yield* Effect.mapError(wrong.count(network), ({ retryAfterSeconds }) =>
          refuse({ _tag: "TooMany", retryAfterSeconds })
        )
        const header = request.headers["authorization"]
        return yield* refuse({ _tag: "Unauthorized", why: whyUnknown(header) })
      }
      proved(request.source)
      const caller: Caller = { bearer, token: tokens[bearer.reading] ?? "" }
      return caller
    })
})

/** A request and what is known of it so far. */
interface Underway {
  readonly request: Request
  readonly target: Target
  routing: Routing
  answering: Answering
  /** Our party that the request is for, if we have several. */
  addressed: PartyId | undefined
  caller: Caller | undefined
  /** The body, as far as it was read. */
  body: string | undefined
}

/** Serves a target for a caller. */
const serving =
  (base: string, handlers: Handlers) =>
  (underway: Underway, { bearer, token }: Caller): ReturnType<Handler> => {
    const { addressed, answering, request, routing, target } = underway
    switch (target._tag) {
      case "Versions":
        return Effect.succeed({ data: versionList(base) })
      case "Details": {
        const { credentialsOnce = false } = bearer.partner.switches
        const isServed = (row: EndpointRow) => handlers.has(nameOf(row))
        return Effect.succeed({ data: versionDetails(target.facts, base, isServed, credentialsOnce) })
      }
      case "OtherMethods":
        return Effect.fail(refuse({ _tag: "MethodNotAllowed", allowed: target.allowed }))
      case "Unreadable":
        return Effect.fail(refuse({ _tag: "Unreadable", detail: "The URL is not correctly percent-encoded." }))
      case "Nothing":
        return Effect.fail(refuse({ _tag: "UnknownPath" }))
      case "Module": {
        const { facts, handler, params, row } = target
        // A registration token gives access only to what a registration needs (OCPI 2.2.1 §7.1.3).
        const isStranger = bearer.use === "Registration" || bearer.use === "Expected"
        if (isStranger && row.module !== "credentials") {
          const why = bearer.use === "Expected" ? "NotYet" : "RegistrationOnly"
          return Effect.fail(refuse({ _tag: "Unauthorized", why }))
        }
        const wire = wireObjects[facts.version]
        const { ids, now } = answering
        const query = queryOf(request.url)
        const body = bodyOf(request, (text) => {
          underway.body = text
        })
        const { correlationId } = ids
        return handler({ bearer, token, facts, routing, addressed, wire, params, query, body, correlationId, now })
      }
    }
  }

/** Modules whose GET is a list from the database. */
const listed: ReadonlySet<string> = new Set(["cdrs", "locations", "sessions", "tariffs"])

/** Serves a list when there is a place for a read. */
const read = <A, E, R>({ request, target }: Underway, partnerId: string, served: Effect.Effect<A, E, R>) =>
  target._tag === "Module" && request.method === "GET" && listed.has(target.row.module)
    ? Effect.catchIf(
        readingFor(partnerId, served),
        (error): error is TooMany => error instanceof TooMany,
        ({ retryAfterSeconds }) => Effect.fail(new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } }))
      )
    : served

/** Checks the routing of a request to a functional module, and sets that of its answer. */
const routed = Effect.gen(function* () {
  const partiesOf = ownParties(yield* Parties)
  return (underway: Underway, { bearer }: Caller) =>
    Effect.gen(function* () {
      const { answering, target } = underway
      if (target._tag !== "Module" || !target.facts.hasRouting || !isNamed(target.row.module)) return
      const foreign = misnamed(underway.routing, bearer.partner)
      if (foreign !== undefined) return yield* foreign
      if (!isRouted(target.row.module)) return
      const { connection, organisationId } = bearer.partner
      const meant = (all: ReadonlyArray<PartyId>) => asMeant(underway.routing, all, bearer.partner)
      const ours = yield* partiesOf(organisationId, answering.now, (all) => misrouted(meant(all), all) === undefined)
      const routing = meant(ours)
      const wrong = misrouted(routing, ours)
      if (wrong !== undefined) return yield* wrong
      underway.routing = routing
      underway.answering = { ...answering, routing: swapped(routing, ours, connection?.parties ?? []) }
      underway.addressed = ours.length > 1 ? routing.to : undefined
    })
})

/** The answer for a failure. A defect is logged. */
const failed = ({ answering, request, target }: Underway, cause: Cause.Cause<Known>) => {
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
}

const face = (base: string, handlers: Handlers, options: OcpiOptions) =>
  Effect.gen(function* () {
    const exchanges = yield* Exchanges
    const secrets = yield* Secrets
    const authenticated = yield* authentication(options)
    const route = yield* routed
    const find = matcher(handlers)
    const served = serving(base, handlers)
    const bounded = atOnce(requestsAtOnce)

    const success = (underway: Underway) =>
      Effect.gen(function* () {
        const caller = yield* authenticated(underway.request, underway.answering.now)
        const { partner } = caller.bearer
        underway.caller = caller
        const { semanticErrorsAs400 = false } = partner.switches
        underway.answering = { ...underway.answering, semanticErrorsAs400 }
        // The answer may say so, since only the partner itself has its token.
        if (partner.status === "Suspended") return yield* refuse({ _tag: "Suspended" })
        yield* route(underway, caller)
        const reply = yield* asCaller(
          partner.id,
          bounded(partner.id, read(underway, partner.id, served(underway, caller)))
        )
        yield* countRequest(underway.target, statusCodes.Success)
        return replied(underway.answering, reply)
      })

    const answer = (request: Request) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const target = find(request.method, pathOf(request.url))
        const answering: Answering = {
          now,
          ids: idsOf(request, () => secrets.uuid(now)),
          accept: request.headers["accept"],
          unknownToken: "facts" in target ? target.facts.unknownToken : 2004,
          semanticErrorsAs400: false
        }
        const routing = routingOf(request.headers)
        const unknown = { addressed: undefined, caller: undefined, body: undefined }
        const underway: Underway = { request, target, routing, answering, ...unknown }
        const response = yield* Effect.catchCause(success(underway), (cause) => failed(underway, cause))
        const { body: requestBody, caller } = underway
        if (caller !== undefined) {
          const { partner } = caller.bearer
          const recorded = { partner, module: moduleOf(target), request, requestBody, response }
          const done = yield* Clock.currentTimeMillis
          recordRequest(exchanges, { ...recorded, answering: underway.answering, now: done })
        }
        return response
      })
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, answer)
  })

/** All routes of OCPI for an `HttpRouter`. */
export const ocpiRoutes = (options: OcpiOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { outbound, publicUrl } = options
      const base = `${publicUrl.replace(/\/+$/, "")}/ocpi`
      const modules: ReadonlyArray<Handlers> = [
        yield* cdrsHandlers({ base }),
        yield* chargingProfilesHandlers(outbound),
        yield* commandsHandlers(outbound),
        yield* credentialsHandlers({ base, client: outbound }),
        yield* hubClientInfoHandlers,
        yield* locationsHandlers({ base }),
        yield* sessionsHandlers({ base }),
        yield* tariffsHandlers({ base }),
        yield* tokensHandlers
      ]
      const handlers: Handlers = new Map(modules.flatMap((one) => [...one]))
      const answer = yield* face(base, handlers, options)
      const document = JSON.stringify(openApi(base, (row) => handlers.has(nameOf(row))))
      // Open to partners that have no token yet: it contains nothing private.
      const described =
        options.described?.("/ocpi/swagger.json", document) ??
        Effect.succeed(HttpServerResponse.text(document, { contentType: "application/json" }))
      yield* router.add("GET", "/ocpi/swagger.json", described)
      for (const method of methods) yield* router.add(method, "/ocpi/*", answer)
    })
  )
