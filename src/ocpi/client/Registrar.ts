/**
 * The port `PartnerRegistrar`: we register with a partner. The token by which it will call us is good for our versions before it hears of it, since it
 * calls back while our POST is open; it is good for more only once its answer is here.
 */
import { Effect, Layer } from "effect"
import { Conflict } from "../../domain/Errors.ts"
import type { Credentials } from "../../domain/party/Credentials.ts"
import { isRegistered, type Partner } from "../../domain/party/Partner.ts"
import { newPartnerToken, tokenVerifier } from "../../domain/party/PartnerTokens.ts"
import { type Handover, PartnerRegistrar } from "../../domain/ports/PartnerRegistrar.ts"
import { Exchanges } from "../../domain/ports/Exchanges.ts"
import { Parties } from "../../domain/ports/Parties.ts"
import { Partners } from "../../domain/ports/Partners.ts"
import { Secrets } from "../../domain/ports/Secrets.ts"
import type { Writing } from "../../domain/ports/Sites.ts"
import { wireObjects } from "../objects/WireObjects.ts"
import { factsOf, type OcpiVersion, versions } from "../Version.ts"
import { discover, type Discovery } from "./Handshake.ts"
import { observing } from "./Observing.ts"
import { type Access, ask, type ClientOptions } from "./OcpiClient.ts"
import { ourCredentials } from "./OurCredentials.ts"

export interface RegistrarOptions {
  /** Our OCPI address without a slash at its end. */
  readonly base: string
  readonly client: Omit<ClientOptions, "newId">
}

/** How long the partner may take to call back: the whole handshake. */
const expectedMillis = 60_000

const conflict = (code: string, message: string) => new Conflict({ code, message })

const isOurs = (version: string): version is OcpiVersion => versions.some((facts) => facts.version === version)

const credentialsUrl = ({ endpoints }: Discovery): string | undefined =>
  endpoints.find(({ module }) => module === "credentials")?.url

const unusable = ({ message }: { readonly message: string }) =>
  conflict("partner_unusable", `The partner could not be asked: ${message}`)

/** Where the partner is, as far as it says by its registration token. */
const found = (handover: Handover, access: Access, correlationId: string, client: ClientOptions) =>
  Effect.gen(function* () {
    const { version, versionsUrl } = handover
    if (version !== undefined && !isOurs(version)) {
      return yield* conflict("no_common_version", `We have no OCPI ${version}.`)
    }
    const discovery = yield* Effect.mapError(discover(versionsUrl, version, access, correlationId, client), unusable)
    if ("_tag" in discovery) {
      const offered = discovery.offered.join(", ") || "none"
      return yield* conflict("no_common_version", `The partner's versions are ${offered}; none of them is wanted here.`)
    }
    const url = credentialsUrl(discovery)
    if (url === undefined) return yield* conflict("endpoints_missing", "The partner names no credentials module.")
    return { discovery, url }
  })

/** Sends our credentials, and reads the partner's. */
const exchanged = (
  { discovery, url }: Effect.Success<ReturnType<typeof found>>,
  ours: Credentials,
  access: Access,
  correlationId: string,
  client: ClientOptions
) =>
  Effect.gen(function* () {
    const wire = wireObjects[discovery.version].credentials
    const post = {
      method: "POST",
      url,
      module: "credentials",
      body: JSON.stringify(wire.encode(ours)),
      correlationId
    } as const
    const { data } = yield* Effect.mapError(ask(post, { ...access, form: discovery.form }, client), unusable)
    return yield* Effect.mapError(wire.decode(data), () =>
      conflict("partner_unusable", "The partner answered with something that is no credentials object.")
    )
  })

const make = (options: RegistrarOptions) =>
  Effect.gen(function* () {
    const exchanges = yield* Exchanges
    const partners = yield* Partners
    const parties = yield* Parties
    const secrets = yield* Secrets

    const accessOf = (partner: Partner, handover: Handover): Access => {
      const { tokenForm } = partner.switches
      const wanted =
        handover.version !== undefined && isOurs(handover.version) ? factsOf(handover.version) : versions[0]!
      return { token: handover.token, form: tokenForm ?? wanted.tokenForm, isFixed: tokenForm !== undefined }
    }

    const register = Effect.fn("PartnerRegistrar.register")(function* (
      id: string,
      handover: Handover,
      writing: Writing
    ) {
      const { by, now } = writing
      const partner = yield* partners.get(by.organisationId, id)
      if (isRegistered(partner)) {
        return yield* conflict("registered", "This partner is registered already. Reset its registration first.")
      }
      const observe = observing(exchanges, partner)
      const client = { ...options.client, newId: () => secrets.uuid(now), observe }
      const correlationId = secrets.uuid(now)
      const access = accessOf(partner, handover)
      const where = yield* found(handover, access, correlationId, client)
      const token = newPartnerToken(secrets)
      const verifier = tokenVerifier(secrets, token)
      yield* partners.expect(id, { verifier, expiresAt: now + expectedMillis }, writing)
      const ours = yield* ourCredentials(parties, options.base, by.organisationId, token)
      const theirs = yield* exchanged(where, ours, access, correlationId, client)
      const { endpoints, form, version } = where.discovery
      const connection = {
        version,
        versionsUrl: theirs.url,
        tokenForm: form,
        parties: theirs.parties,
        endpoints,
        registeredAt: now
      }
      const theirToken = secrets.seal("partner-token", theirs.token)
      return yield* partners.register(id, { connection, theirToken, ourVerifier: verifier }, writing)
    })
    return PartnerRegistrar.of({ register })
  })

export const layer = (
  options: RegistrarOptions
): Layer.Layer<PartnerRegistrar, never, Exchanges | Partners | Parties | Secrets> =>
  Layer.effect(PartnerRegistrar, make(options))
