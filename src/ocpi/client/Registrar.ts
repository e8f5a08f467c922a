/**
 * The port `PartnerRegistrar`: we register with a partner, renew that registration, or remove the partner. A partner calls back while our POST is
 * open, so its new token is accepted for our versions before we send it. It is accepted for other modules only after the partner has answered.
 */
import { Effect, Layer } from "effect"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import { Conflict } from "../../domain/Errors.ts"
import type { Credentials } from "../../domain/roaming/Credentials.ts"
import {
  type Connection,
  type Partner,
  isRegistered,
  registeredSince,
  retiringTokenHours,
  strangerTo
} from "../../domain/roaming/Partner.ts"
import { newPartnerToken, tokenVerifier } from "../../domain/roaming/PartnerTokens.ts"
import { type Handover, PartnerRegistrar } from "../../domain/roaming/PartnerRegistrar.ts"
import { Exchanges } from "../../domain/roaming/Exchanges.ts"
import { Retrying } from "../../domain/operator/Idempotency.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { Partners, type Registration } from "../../domain/roaming/Partners.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { type OcpiVersion, factsOf, versions } from "../protocol/Version.ts"
import { type Discovery, discover } from "./Handshake.ts"
import { observing } from "./Observing.ts"
import { type Access, type ClientOptions, type PartnerFailed, type TokenForm, accessBy, ask } from "./OcpiClient.ts"
import { ourCredentials } from "./OurCredentials.ts"

/**
 * Informs a partner that its registration is over (OCPI 2.2.1 §7.2.4). A failure is only logged, since the partner also finds out with its next
 * call. The log of its exchanges was removed with it.
 */
const farewell = (
  secrets: Secrets["Service"],
  client: Omit<ClientOptions, "newId">,
  partner: Partner,
  sealed: string | undefined,
  now: number
) =>
  Effect.gen(function* () {
    const { connection } = partner
    const token = sealed === undefined ? undefined : secrets.open(sealPurposes.partnerToken, sealed)
    const url = connection?.endpoints.find(({ module }) => module === "credentials")?.url
    if (connection === undefined || token === undefined || url === undefined) return
    const access = accessBy(token, partner, connection.tokenForm)
    const call = { method: "DELETE", url, module: "credentials", correlationId: secrets.uuid(now) } as const
    yield* ask(call, access, { ...client, newId: () => secrets.uuid(now) })
  }).pipe(
    Effect.catchTag("PartnerFailed", ({ message }) =>
      Effect.logWarning(`a partner that was removed could not be informed: ${message}`)
    ),
    Effect.annotateLogs({ partnerId: partner.id })
  )

/** Makes `PartnerRegistrar.remove`. Requests that are open when the scope closes are interrupted. */
const leaving = (client: Omit<ClientOptions, "newId">) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const secrets = yield* Secrets
    const scope = yield* Effect.scope
    const remove: PartnerRegistrar["Service"]["remove"] = Effect.fn("PartnerRegistrar.remove")(function* (id, audit) {
      const { organisationId } = audit.by
      const partner = yield* partners.get(organisationId, id)
      const sealed = yield* partners.theirToken(organisationId, id)
      yield* partners.remove(id, audit)
      yield* Effect.forkIn(farewell(secrets, client, partner, sealed, audit.now), scope)
    })
    return remove
  })

export interface RegistrarOptions {
  /** Our OCPI address without a trailing slash. */
  readonly base: string
  readonly client: Omit<ClientOptions, "newId">
}

/** How long the whole handshake may take, including the partner's calls back to us. */
const expectedMillis = 60_000

/** How long a renewal's token is accepted if the partner never answered: as long as the partner would accept our old token. */
const renewedMillis = retiringTokenHours * 3_600_000

/** What differs between a registration and a renewal. */
interface Shaking {
  /** The form of the token that is tried first. */
  readonly form: TokenForm
  readonly method: "POST" | "PUT"
  /** How long the partner may use its new token before it has answered. */
  readonly takenMillis: number
  readonly store: Partners["Service"]["register"]
}

const conflict = (code: string, message: string) => new Conflict({ code, message })

const isOurs = (version: string): version is OcpiVersion => versions.some((facts) => facts.version === version)

const credentialsUrl = ({ endpoints }: Discovery): string | undefined =>
  endpoints.find(({ module }) => module === "credentials")?.url

const unusable = ({ http, message }: PartnerFailed) =>
  http === 401
    ? conflict(
        "partner_unusable",
        `The partner refused the token: ${message}. Ask the partner for one that is valid for a registration.`
      )
    : conflict("partner_unusable", `The partner could not be reached: ${message}`)

/** Discovers the partner with its registration token, and finds its credentials module. */
const found = (handover: Handover, access: Access, correlationId: string, client: ClientOptions) =>
  Effect.gen(function* () {
    const { version, versionsUrl } = handover
    if (version !== undefined && !isOurs(version)) {
      return yield* conflict("no_common_version", `OCPI ${version} is not supported here.`)
    }
    const discovery = yield* Effect.mapError(discover(versionsUrl, version, access, correlationId, client), unusable)
    if ("_tag" in discovery) {
      const offered = discovery.offered.join(", ") || "none"
      return yield* conflict(
        "no_common_version",
        `The partner's versions are ${offered}; none of them can be used here.`
      )
    }
    const url = credentialsUrl(discovery)
    if (url === undefined)
      return yield* conflict("endpoints_missing", "The partner's version details have no credentials module.")
    return { discovery, url }
  })

/** The URL of a partner's credentials module, and its other endpoints. */
type Where = Effect.Success<ReturnType<typeof found>>

/** Sends our credentials, and reads the partner's. */
const exchanged = (
  method: "POST" | "PUT",
  { discovery, url }: Where,
  ours: Credentials,
  access: Access,
  correlationId: string,
  client: ClientOptions
) =>
  Effect.gen(function* () {
    const wire = wireObjects[discovery.version].credentials
    const call = {
      method,
      url,
      module: "credentials",
      body: JSON.stringify(wire.encode(ours)),
      correlationId
    } as const
    const { data } = yield* Effect.mapError(ask(call, { ...access, form: discovery.form }, client), unusable)
    return yield* Effect.mapError(wire.decode(data), () =>
      conflict("partner_unusable", "The partner's answer is not a credentials object.")
    )
  })

/** What is stored once the partner has answered our credentials. */
const agreed = (
  partner: Partner,
  { discovery }: Where,
  theirs: Credentials,
  tokens: Pick<Registration, "ourVerifier" | "theirToken">,
  now: number
) => {
  const stranger = strangerTo(partner, theirs.parties)
  if (stranger !== undefined) {
    return Effect.fail(
      conflict("unexpected_party", `${stranger} If that is intended, invite the partner under that party.`)
    )
  }
  const connection: Connection = {
    version: discovery.version,
    versionsUrl: theirs.url,
    tokenForm: discovery.form,
    parties: theirs.parties,
    endpoints: discovery.endpoints,
    registeredAt: registeredSince(partner, { version: discovery.version, versionsUrl: theirs.url }, now)
  }
  const registration: Registration = { begun: { by: "Us" }, connection, ...tokens }
  return Effect.succeed(registration)
}

const make = (options: RegistrarOptions) =>
  Effect.gen(function* () {
    const exchanges = yield* Exchanges
    const partners = yield* Partners
    const parties = yield* Parties
    const secrets = yield* Secrets
    const remove = yield* leaving(options.client)

    /** The handshake of OCPI 2.2.1 §7.2.2 or §7.2.3, including storing its result. */
    const shaken = (partner: Partner, handover: Handover, shaking: Shaking, audit: AuditContext) =>
      Effect.gen(function* () {
        const { form, method, store, takenMillis } = shaking
        const { now } = audit
        const client = { ...options.client, newId: () => secrets.uuid(now), observe: observing(exchanges, partner) }
        const correlationId = secrets.uuid(now)
        const access = accessBy(handover.token, partner, form)
        const where = yield* found(handover, access, correlationId, client)
        const token = newPartnerToken(secrets)
        const ourVerifier = tokenVerifier(secrets, token)
        const given = Effect.gen(function* () {
          yield* partners.expect(partner.id, { verifier: ourVerifier, expiresAt: now + takenMillis }, audit)
          const ours = yield* ourCredentials(parties, options.base, partner.organisationId, token)
          const theirs = yield* exchanged(method, where, ours, access, correlationId, client)
          const tokens = { theirToken: secrets.seal(sealPurposes.partnerToken, theirs.token), ourVerifier }
          const registration = yield* agreed(partner, where, theirs, tokens, now)
          const { commit } = yield* Retrying
          return yield* commit(store(partner.id, registration, audit), () => partner.id)
        })
        // If a renewal ends without an answer, the new token may be the only one that the partner has, so it stays valid. A registration starts
        // over.
        if (method === "PUT") return yield* given
        return yield* Effect.onError(given, () => Effect.ignore(partners.withdraw(partner.id, ourVerifier, audit)))
      })

    const register = Effect.fn("PartnerRegistrar.register")(function* (
      id: string,
      handover: Handover,
      audit: AuditContext
    ) {
      const partner = yield* partners.get(audit.by.organisationId, id)
      if (isRegistered(partner)) {
        return yield* conflict("registered", "This partner is already registered. Reset its registration first.")
      }
      if (partner.status === "Suspended") {
        return yield* conflict(
          "suspended",
          "This partner is suspended, so its calls would be refused. End the suspension first."
        )
      }
      const { version } = handover
      const form = version !== undefined && isOurs(version) ? factsOf(version).tokenForm : versions[0]!.tokenForm
      const shaking = { form, method: "POST", takenMillis: expectedMillis, store: partners.register } as const
      return yield* shaken(partner, handover, shaking, audit)
    })

    const renew = Effect.fn("PartnerRegistrar.renew")(function* (id: string, audit: AuditContext) {
      const partner = yield* partners.get(audit.by.organisationId, id)
      const { connection, organisationId, status } = partner
      const sealed = yield* partners.theirToken(organisationId, id)
      const token = sealed === undefined ? undefined : secrets.open(sealPurposes.partnerToken, sealed)
      if (status !== "Registered" || connection === undefined || token === undefined) {
        return yield* conflict("not_registered", "Only a registered partner's credentials can be renewed.")
      }
      const { tokenForm: form, version, versionsUrl } = connection
      const shaking = { form, method: "PUT", takenMillis: renewedMillis, store: partners.renew } as const
      return yield* shaken(partner, { versionsUrl, token, version }, shaking, audit)
    })
    return PartnerRegistrar.of({ register, renew, remove })
  })

export const layer = (
  options: RegistrarOptions
): Layer.Layer<PartnerRegistrar, never, Exchanges | Partners | Parties | Secrets> =>
  Layer.effect(PartnerRegistrar, make(options))
