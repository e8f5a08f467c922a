/**
 * Credentials (OCPI 2.2.1 §7): a partner registers, renews and ends its registration. While its POST or PUT is open we call it back with the token that it
 * brought; no transaction is open meanwhile, and what both sides have afterwards changes in one.
 */
import { Effect } from "effect"
import { newPartnerToken, tokenVerifier } from "../../domain/party/PartnerTokens.ts"
import type { Credentials } from "../../domain/party/Credentials.ts"
import type { Connection } from "../../domain/party/Partner.ts"
import type { PartnerParty } from "../../domain/party/Party.ts"
import { Access } from "../../domain/ports/Access.ts"
import { Partners, type Registration } from "../../domain/ports/Partners.ts"
import { Secrets } from "../../domain/ports/Secrets.ts"
import { discover } from "../client/Handshake.ts"
import type { ClientOptions } from "../client/OcpiClient.ts"
import type { Exchange, Handler } from "../Exchange.ts"
import { Refused } from "../Status.ts"

export interface CredentialsOptions {
  /** Our OCPI address without a slash at its end. */
  readonly base: string
  readonly client: Omit<ClientOptions, "newId">
}

const refuse = (reason: Refused["reason"]) => new Refused({ reason })

const already = () =>
  refuse({ _tag: "WrongRegistration", detail: "You are registered already. PUT renews your credentials." })
const notYet = () => refuse({ _tag: "WrongRegistration", detail: "You are not registered yet. POST your credentials." })

/** The message of the first thing that is wrong with a body. */
const unreadable = (error: { readonly message: string }) =>
  refuse({
    _tag: "Unreadable",
    detail: `These are no credentials: ${error.message.split("\n").join(" ").slice(0, 300)}`
  })

export const credentialsHandlers = (options: CredentialsOptions) =>
  Effect.gen(function* () {
    const partners = yield* Partners
    const access = yield* Access
    const secrets = yield* Secrets

    /** Ours, with the token by which the partner calls us. */
    const ours = (organisationId: string, token: string) =>
      Effect.map(
        Effect.catchTag(access.organisation(organisationId), "NotFound", Effect.die),
        ({ countryCode, name, partyId }): Credentials => {
          const party: PartnerParty = { role: "CPO", countryCode, partyId, businessDetails: { name } }
          return { token, url: `${options.base}/versions`, parties: [party] }
        }
      )

    /** Calls the partner back, and makes of both what a registration ends with. */
    const connect = (exchange: Exchange, theirs: Credentials) =>
      Effect.gen(function* () {
        const { bearer, correlationId, facts, now } = exchange
        const { tokenForm } = bearer.partner.switches
        const found = yield* discover(
          theirs.url,
          facts.version,
          { token: theirs.token, form: tokenForm ?? facts.tokenForm, isFixed: tokenForm !== undefined },
          correlationId,
          { ...options.client, newId: () => secrets.uuid(now) }
        ).pipe(
          Effect.mapError(({ message }) =>
            refuse({ _tag: "PartnerUnusable", detail: `Your versions could not be read: ${message}` })
          )
        )
        if ("_tag" in found) {
          const detail = `Your versions are ${found.offered.join(", ") || "none"}; ${facts.version} is not among them.`
          return yield* refuse({ _tag: "UnsupportedVersion", detail })
        }
        if (!found.endpoints.some(({ module }) => module === "credentials")) {
          return yield* refuse({ _tag: "EndpointsMissing", detail: "Your version details name no credentials module." })
        }
        const connection: Connection = {
          version: facts.version,
          versionsUrl: theirs.url,
          tokenForm: found.form,
          parties: theirs.parties,
          endpoints: found.endpoints,
          registeredAt: now
        }
        const token = newPartnerToken(secrets)
        const registration: Registration = {
          connection,
          theirToken: secrets.seal("partner-token", theirs.token),
          ourVerifier: tokenVerifier(secrets, token)
        }
        return { token, registration }
      })

    const writing = ({ bearer: { partner }, now }: Exchange) => ({
      by: {
        organisationId: partner.organisationId,
        actor: `partner:${partner.id}`,
        keyId: "",
        operatorId: undefined,
        permissions: []
      },
      now
    })

    const given = (exchange: Exchange) =>
      Effect.flatMap(exchange.body, (body) => Effect.mapError(exchange.wire.credentials.decode(body), unreadable))

    const answer = (exchange: Exchange, token: string) =>
      Effect.map(ours(exchange.bearer.partner.organisationId, token), (credentials) => ({
        data: exchange.wire.credentials.encode(credentials)
      }))

    const get: Handler = (exchange) => answer(exchange, exchange.token)

    const post: Handler = (exchange) =>
      Effect.gen(function* () {
        if (exchange.bearer.use !== "Registration") return yield* already()
        const { registration, token } = yield* connect(exchange, yield* given(exchange))
        const { id } = exchange.bearer.partner
        yield* Effect.catchTag(partners.register(id, registration, writing(exchange)), "Conflict", already)
        return yield* answer(exchange, token)
      })

    const put: Handler = (exchange) =>
      Effect.gen(function* () {
        if (exchange.bearer.use === "Registration") return yield* notYet()
        const { registration, token } = yield* connect(exchange, yield* given(exchange))
        const { id } = exchange.bearer.partner
        yield* Effect.catchTag(partners.renew(id, registration, writing(exchange)), "Conflict", notYet)
        return yield* answer(exchange, token)
      })

    /** Whatever body comes along says nothing. What is answered is good for nothing any more (product.md has it so). */
    const remove: Handler = (exchange) =>
      Effect.gen(function* () {
        if (exchange.bearer.use === "Registration") return yield* notYet()
        const { id } = exchange.bearer.partner
        const reply = yield* answer(exchange, exchange.token)
        yield* Effect.catchTag(partners.unregister(id, writing(exchange)), "Conflict", notYet)
        return reply
      })

    return new Map<string, Handler>([
      ["GET credentials", get],
      ["POST credentials", post],
      ["PUT credentials", put],
      ["DELETE credentials", remove]
    ])
  })
