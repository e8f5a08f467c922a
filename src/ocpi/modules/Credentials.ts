/**
 * Credentials (OCPI 2.2.1 §7): a partner registers, renews and ends its registration. While its POST or PUT is open we call it back with
 * the token that it sent. No transaction is open during that call. The result for both sides is then stored in one transaction.
 */
import { Effect } from "effect"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import type { Conflict } from "../../domain/Errors.ts"
import type { Credentials } from "../../domain/roaming/Credentials.ts"
import { type Connection, registeredSince, strangerTo } from "../../domain/roaming/Partner.ts"
import { newPartnerToken, tokenVerifier } from "../../domain/roaming/PartnerTokens.ts"
import { Exchanges } from "../../domain/roaming/Exchanges.ts"
import { Parties } from "../../domain/roaming/Parties.ts"
import { type Begun, Partners, type Registration } from "../../domain/roaming/Partners.ts"
import { Secrets } from "../../domain/values/Secrets.ts"
import { discover } from "../client/Handshake.ts"
import { accessBy, type ClientOptions } from "../client/OcpiClient.ts"
import { observing } from "../client/Observing.ts"
import { ourCredentials } from "../client/OurCredentials.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { faultOf, invalid, refuse, type Refused } from "../protocol/Status.ts"
import { auditOf } from "./AuditContexts.ts"

export interface CredentialsOptions {
  /** Our OCPI address without a trailing slash. */
  readonly base: string
  readonly client: Omit<ClientOptions, "newId">
}

const already = () =>
  refuse({ _tag: "WrongRegistration", detail: "You are already registered. Use PUT to renew your credentials." })
const notYet = () =>
  refuse({ _tag: "WrongRegistration", detail: "You are not registered yet. Use POST to send your credentials." })

/**
 * Our own POST is open. The token in it is only for the partner's calls that belong to that POST (OCPI 2.2.1 §7.2.2), and is not an
 * invitation.
 */
const underway = () =>
  refuse({ _tag: "WrongRegistration", detail: "We are registering with you: answer our POST of credentials." })

/** Whether the token belongs to a completed registration. */
const isRegisteredBy = ({ bearer: { use } }: Exchange) => use === "Access" || use === "Retiring"

/** The refusal for a conflict when the registration is stored. */
const refusedBy = ({ code, message }: Conflict): Refused => {
  switch (code) {
    case "registered":
      return already()
    case "not_registered":
      return notYet()
    case "token_gone":
      return refuse({ _tag: "Unauthorized", why: "Unknown" })
    case "suspended":
      return refuse({ _tag: "Suspended" })
    default:
      return refuse({ _tag: "Invalid", detail: message })
  }
}

/** The partner was removed meanwhile, together with its token. */
const removed = () => refuse({ _tag: "Unauthorized", why: "Unknown" })

/** The refusal of an unreadable body, with its first problem. */
const unreadable = (error: { readonly message: string }) =>
  refuse({
    _tag: "Unreadable",
    detail: `The body is not a credentials object: ${faultOf(error)}`
  })

const given = (exchange: Exchange) =>
  Effect.flatMap(exchange.body, (body) => Effect.mapError(exchange.wire.credentials.decode(body), unreadable))

/** Calls the partner back with the token that it sent, to find its modules for this version. */
const callBack = (exchange: Exchange, theirs: Credentials, client: ClientOptions) =>
  Effect.gen(function* () {
    const { bearer, correlationId, facts } = exchange
    const access = accessBy(theirs.token, bearer.partner, facts.tokenForm)
    const found = yield* discover(theirs.url, facts.version, access, correlationId, client).pipe(
      Effect.mapError(({ heard, message }) => {
        // What our DNS resolves is not shown to partners; the log of exchanges has it.
        const why = heard ? message : "nothing answers at that address"
        return refuse({ _tag: "PartnerUnusable", detail: `Your versions could not be read: ${why}` })
      })
    )
    if ("_tag" in found) {
      const detail = `Your versions are ${found.offered.join(", ") || "none"}; ${facts.version} is not among them.`
      return yield* refuse({ _tag: "UnsupportedVersion", detail })
    }
    if (!found.endpoints.some(({ module }) => module === "credentials")) {
      return yield* refuse({ _tag: "EndpointsMissing", detail: "Your version details have no credentials module." })
    }
    return found
  })

/** The partner's connection from now on. */
const connectionOf = (
  { bearer, facts: { version }, now }: Exchange,
  { parties, url: versionsUrl }: Credentials,
  found: Effect.Success<ReturnType<typeof callBack>>
): Connection => ({
  version,
  versionsUrl,
  tokenForm: found.form,
  parties,
  endpoints: found.endpoints,
  registeredAt: registeredSince(bearer.partner, { version, versionsUrl }, now)
})

export const credentialsHandlers = (options: CredentialsOptions) =>
  Effect.gen(function* () {
    const exchanges = yield* Exchanges
    const partners = yield* Partners
    const parties = yield* Parties
    const secrets = yield* Secrets

    /** Completes a registration, with the token for the partner. */
    const connect = (exchange: Exchange, theirs: Credentials, begun: Begun) =>
      Effect.gen(function* () {
        const { now } = exchange
        const found = yield* callBack(exchange, theirs, {
          ...options.client,
          newId: () => secrets.uuid(now),
          observe: observing(exchanges, exchange.bearer.partner)
        })
        const connection = connectionOf(exchange, theirs, found)
        const token = newPartnerToken(secrets)
        const theirToken = secrets.seal(sealPurposes.partnerToken, theirs.token)
        const registration: Registration = { begun, connection, theirToken, ourVerifier: tokenVerifier(secrets, token) }
        return { token, registration }
      })

    const answer = (exchange: Exchange, token: string) =>
      Effect.map(
        ourCredentials(parties, options.base, exchange.bearer.partner.organisationId, token),
        (credentials) => ({ data: exchange.wire.credentials.encode(credentials) })
      )

    const exchanged = (exchange: Exchange, store: Partners["Service"]["register"]) =>
      Effect.gen(function* () {
        const theirs = yield* given(exchange)
        const stranger = strangerTo(exchange.bearer.partner, theirs.parties)
        if (stranger !== undefined) return yield* invalid(stranger)
        const { id, organisationId } = exchange.bearer.partner
        const begun: Begun = {
          by: "Partner",
          presented: tokenVerifier(secrets, exchange.token),
          theirToken: yield* partners.theirToken(organisationId, id)
        }
        const { registration, token } = yield* connect(exchange, theirs, begun)
        const stored = store(id, registration, auditOf(exchange))
        yield* Effect.catchTags(stored, { Conflict: refusedBy, NotFound: removed })
        return yield* answer(exchange, token)
      })

    const get: Handler = (exchange) => answer(exchange, exchange.token)

    const post: Handler = (exchange) => {
      const { use } = exchange.bearer
      if (use === "Expected") return underway()
      return use === "Registration" ? exchanged(exchange, partners.register) : already()
    }

    const put: Handler = (exchange) => (isRegisteredBy(exchange) ? exchanged(exchange, partners.renew) : notYet())

    /** The body is ignored. The answer repeats credentials that are no longer valid, as product.md describes. */
    const remove: Handler = (exchange) =>
      Effect.gen(function* () {
        if (!isRegisteredBy(exchange)) return yield* notYet()
        const { id } = exchange.bearer.partner
        const reply = yield* answer(exchange, exchange.token)
        yield* Effect.catchTag(partners.unregister(id, auditOf(exchange)), "Conflict", refusedBy)
        return reply
      })

    return new Map<string, Handler>([
      ["GET credentials", get],
      ["POST credentials", post],
      ["PUT credentials", put],
      ["DELETE credentials", remove]
    ])
  })
