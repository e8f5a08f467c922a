/**
 * All our requests to registered partners. The client adds the partner's token, the URL of the module and the headers of its version. Callers only
 * say what is requested.
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import type { Connection, Partner, PartnerEndpoint } from "../../domain/roaming/Partner.ts"
import { hiddenOf } from "../../domain/roaming/ExchangeRecord.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { Exchanges } from "../../domain/roaming/Exchanges.ts"
import { Partners } from "../../domain/roaming/Partners.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { InterfaceRole, ModuleId } from "../protocol/EndpointTable.ts"
import { factsOf, type OcpiVersion, versionNamed } from "../protocol/Version.ts"
import type { Call, CallOptions } from "../../outbound/HttpCall.ts"
import { keptConnections, type KeptOptions } from "../../outbound/KeptConnections.ts"
import { observing } from "./Observing.ts"
import { accessBy, type Answered, ask, type PartnerCall, type PartnerFailed } from "./OcpiClient.ts"

/** The partner is not registered, is suspended or does not have the module. Nothing was sent. */
export class PartnerUnreached extends Data.TaggedError("PartnerUnreached")<{ readonly message: string }> {}

/** The target of a request. */
export type At =
  /** One of the partner's modules, by the partner's role in it, and the path segments below its URL, which are encoded here. */
  | {
      readonly module: ModuleId
      readonly role: InterfaceRole
      readonly path?: ReadonlyArray<string>
      readonly query?: Readonly<Record<string, string>>
    }
  /** A URL that the partner gave, for example of a next page. */
  | { readonly url: string }
  /** The `response_url` of a command. The log shows only a part of it, from which it cannot be reconstructed. */
  | { readonly responseUrl: string }

export interface PartnerRequest {
  readonly method: Call["method"]
  readonly at: At
  /** JSON of the partner's version; undefined for no body. */
  readonly body?: unknown
  /** The same for all tries of one request (OCPI 2.2.1 §4.1.6). */
  readonly correlationId: string
  /** Our party that sends, and the partner's party that receives (OCPI 2.2.1 §4.2.2). */
  readonly from?: PartyId | undefined
  readonly to?: PartyId | undefined
  /**
   * The partner's sealed token, if the caller has just read it with the partner. Otherwise, or if the partner refuses it, the client reads
   * the token.
   */
  readonly sealedToken?: string | undefined
}

export class PartnerClient extends Context.Service<
  PartnerClient,
  {
    /** The version that a partner is registered with; undefined if it is not registered. */
    readonly versionOf: (partner: Partner) => OcpiVersion | undefined
    /** The URL of a partner's module; undefined if it does not have the module. */
    readonly endpointOf: (partner: Partner, module: ModuleId, role: InterfaceRole) => string | undefined
    readonly call: (
      partner: Partner,
      request: PartnerRequest
    ) => Effect.Effect<Answered, PartnerFailed | PartnerUnreached | StorageUnavailable>
  }
>()("voltlane/PartnerClient") {}

const unreached = (message: string) => new PartnerUnreached({ message })

/** In 2.1.1 endpoints have no role. */
const endpointIn = (
  endpoints: ReadonlyArray<PartnerEndpoint>,
  module: ModuleId,
  role: InterfaceRole
): string | undefined => endpoints.find((one) => one.module === module && (one.role ?? role) === role)?.url

/** Joins address and path with exactly one slash. The address keeps a query of its own. */
const joined = (address: string, path: ReadonlyArray<string>, query: Readonly<Record<string, string>>): string => {
  const url = new URL(address)
  if (path.length > 0) url.pathname = [url.pathname.replace(/\/+$/, ""), ...path.map(encodeURIComponent)].join("/")
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

const given = (at: Exclude<At, { readonly module: ModuleId }>): string => ("url" in at ? at.url : at.responseUrl)

const addressOf = (partner: Partner, at: At): string | undefined => {
  if (!("module" in at)) return given(at)
  const address = endpointIn(partner.connection?.endpoints ?? [], at.module, at.role)
  return address === undefined ? undefined : joined(address, at.path ?? [], at.query ?? {})
}

/** The module of a call. A URL that the partner gave belongs to the module whose URL it begins with. */
const moduleAt = ({ endpoints }: Connection, at: At): string =>
  "module" in at ? at.module : (endpoints.find(({ url }) => given(at).startsWith(url))?.module ?? "")

const hiddenAt = ({ endpoints }: Connection, at: At): string | undefined =>
  "responseUrl" in at
    ? hiddenOf(
        at.responseUrl,
        endpoints.map(({ url }) => url)
      )
    : undefined

const routing = ({ from, to }: PartnerRequest): Readonly<Record<string, string>> => ({
  ...(from === undefined ? {} : { "ocpi-from-country-code": from.countryCode, "ocpi-from-party-id": from.partyId }),
  ...(to === undefined ? {} : { "ocpi-to-country-code": to.countryCode, "ocpi-to-party-id": to.partyId })
})

/** Most opened tokens that are kept. Beyond that the oldest is removed. */
const openedMax = 1_000

/** Caches opened tokens: every call needs one, and opening it takes a fifth of the time of a push. Tokens are in memory anyway. */
const opening = (secrets: Secrets["Service"]): ((sealed: string) => string | undefined) => {
  const opened = new Map<string, string>()
  return (sealed) => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const token = secrets.open(sealPurposes.partnerToken, sealed)
    if (token !== undefined) opened.set(sealed, token)
    const [oldest] = opened.keys()
    if (opened.size > openedMax && oldest !== undefined) opened.delete(oldest)
    return token
  }
}

export interface PartnerClientOptions extends CallOptions, KeptOptions {}

const make = (options: PartnerClientOptions) =>
  Effect.gen(function* () {
    const exchanges = yield* Exchanges
    const partners = yield* Partners
    const secrets = yield* Secrets
    const kept = yield* keptConnections(options)
    const opened = opening(secrets)

    const versionOf = ({ connection }: Partner) =>
      connection === undefined ? undefined : versionNamed(connection.version)

    const accessTo = (sealed: string | undefined, partner: Partner, connection: Connection) =>
      Effect.gen(function* () {
        const token = sealed === undefined ? undefined : opened(sealed)
        if (token === undefined) {
          return yield* unreached(
            "The partner's token is missing, or was encrypted with another SECRET_KEY: register again."
          )
        }
        return accessBy(token, partner, connection.tokenForm)
      })

    // No span: each call is in the log of exchanges, and a span would cost as much as the request.
    const call = Effect.fnUntraced(function* (partner: Partner, request: PartnerRequest) {
      const { connection, status } = partner
      const version = versionOf(partner)
      if (status !== "Registered" || connection === undefined || version === undefined) {
        return yield* unreached(`The partner is ${status.toLowerCase()}, not registered.`)
      }
      const { at, body, correlationId, method } = request
      const url = addressOf(partner, at)
      if (url === undefined) return yield* unreached("The partner does not have this module.")
      const now = yield* Clock.currentTimeMillis
      const what: PartnerCall = {
        method,
        url,
        module: moduleAt(connection, at),
        hidden: hiddenAt(connection, at),
        body: body === undefined ? undefined : JSON.stringify(body),
        correlationId,
        headers: factsOf(version).hasRouting ? routing(request) : {}
      }
      const settings = { ...options, kept, newId: () => secrets.uuid(now), observe: observing(exchanges, partner) }
      const askBy = (sealed: string | undefined) =>
        Effect.flatMap(accessTo(sealed, partner, connection), (access) => ask(what, access, settings))
      const newest = partners.theirToken(partner.organisationId, partner.id)
      const { sealedToken } = request
      if (sealedToken === undefined) return yield* Effect.flatMap(newest, askBy)
      // Tokens may be exchanged while a call waits to be sent, so a refused token may be outdated. Then the current one is tried.
      return yield* Effect.catchIf(
        askBy(sealedToken),
        (failed) => failed._tag === "PartnerFailed" && failed.http === 401,
        (failed) => Effect.flatMap(newest, (sealed) => (sealed === sealedToken ? Effect.fail(failed) : askBy(sealed)))
      )
    })

    return PartnerClient.of({
      versionOf,
      endpointOf: (partner, module, role) => endpointIn(partner.connection?.endpoints ?? [], module, role),
      call
    })
  })

export const layer = (
  options: PartnerClientOptions
): Layer.Layer<PartnerClient, never, Exchanges | Partners | Secrets> => Layer.effect(PartnerClient, make(options))
