/**
 * Tokens (OCPI 2.2.1 §12.2.2), as their receiver: a partner pushes, changes and reads its drivers' tokens. The party in the URL says whose
 * token it is. It must be one of the caller's own parties, or a party behind it if it is a hub; otherwise the token is unknown.
 */
import { Effect, type Schema } from "effect"
import type { PartyId } from "../../domain/values/PartyId.ts"
import { HubClients } from "../../domain/roaming/HubClients.ts"
import { RoamingTokens } from "../../domain/token/RoamingTokens.ts"
import { defaultTokenType, type RoamingTokenKey, type RoamingTokenPatch } from "../../domain/token/RoamingToken.ts"
import type { Exchange, Handler } from "./Exchange.ts"
import { heldParties, type MayHold } from "../protocol/HeldParties.ts"
import { faultOf, invalid, refuse } from "../protocol/Status.ts"
import { auditOf } from "./AuditContexts.ts"

const unreadable = (error: Schema.SchemaError) => invalid(`The body is not a Token object: ${faultOf(error)}`)

const unknown = () => refuse({ _tag: "NotFound", object: "Token", detail: "This token is unknown." })

/** An older update must not be answered as if it had been stored: the partner would believe that, for example, a card is blocked. */
const outdated = () =>
  invalid(
    "A newer version of this token is stored, so nothing was changed: send the token with a last_updated that is not before the stored one."
  )

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Reads a token's key from the URL. In versions without the token's type in the key, only the uid identifies it. */
const addressing =
  (mayHold: MayHold) =>
  ({ bearer, facts, params, query }: Exchange) =>
    Effect.gen(function* () {
      const { countryCode = "", partyId = "", tokenUid = "" } = params
      const party: PartyId = { countryCode: countryCode.toUpperCase(), partyId: partyId.toUpperCase() }
      if (!(yield* mayHold(bearer.partner, party))) {
        const detail = "The party in the URL is not one of those in your credentials."
        return yield* refuse({ _tag: "NotFound", object: "Other", detail })
      }
      const given = query.get("type")?.trim().toUpperCase() || undefined
      const type = given ?? (facts.hasTokenTypes ? defaultTokenType : undefined)
      return { party, uid: tokenUid, given, type }
    })

/** Refuses a body that names another token than the URL. */
const matching = (
  { facts }: Exchange,
  { party, given, uid }: { readonly party: PartyId; readonly uid: string; readonly given: string | undefined },
  body: Partial<RoamingTokenKey>
) => {
  if (body.uid !== undefined && !same(body.uid, uid)) return invalid("The uid in the URL differs from the token's.")
  const { countryCode = party.countryCode, partyId = party.partyId } = body
  if (!same(countryCode, party.countryCode) || !same(partyId, party.partyId)) {
    return invalid("The party in the URL differs from the token's.")
  }
  const typed = facts.hasTokenTypes && given !== undefined && body.type !== undefined
  return typed && !same(given, body.type) ? invalid("The type in the URL differs from the token's.") : undefined
}

const given = (exchange: Exchange) =>
  Effect.flatMap(exchange.body, (body) =>
    body === undefined
      ? Effect.fail(refuse({ _tag: "Unreadable", detail: "The body is empty: send the token." }))
      : Effect.succeed(body)
  )

/** The fields that a PATCH may change. The key stays, which includes the type in versions that identify tokens by it. */
const changes = ({ facts }: Exchange, { countryCode: _, partyId: __, type, uid: ___, ...rest }: RoamingTokenPatch) =>
  facts.hasTokenTypes || type === undefined ? rest : { ...rest, type }

const identityOf = ({ facts }: Exchange) => ({ isByUid: !facts.hasTokenTypes })

export const tokensHandlers = Effect.gen(function* () {
  const tokens = yield* RoamingTokens
  const addressed = addressing(heldParties(yield* HubClients))

  const get: Handler = (exchange) =>
    Effect.gen(function* () {
      const { party, type, uid } = yield* addressed(exchange)
      const { id, organisationId } = exchange.bearer.partner
      const found = yield* Effect.catchTag(
        tokens.find(organisationId, id, { ...party, uid, type }),
        "NotFound",
        unknown
      )
      return { data: exchange.wire.tokens.encode(found) }
    })

  const put: Handler = (exchange) =>
    Effect.gen(function* () {
      const { bearer, facts, wire } = exchange
      const address = yield* addressed(exchange)
      const token = yield* Effect.mapError(wire.tokens.decode(yield* given(exchange), address.party), unreadable)
      const wrong = matching(exchange, address, token)
      if (wrong !== undefined) return yield* wrong
      const [taken] = yield* tokens.put(bearer.partner.id, [token], auditOf(exchange), identityOf(exchange))
      if (taken === "Outdated") return yield* outdated()
      const says201 = facts.createdTokenIs201 || bearer.partner.switches.createdAs201 === true
      return { data: undefined, created: says201 && taken === "Created" }
    })

  const patch: Handler = (exchange) =>
    Effect.gen(function* () {
      const { bearer, facts, wire } = exchange
      const address = yield* addressed(exchange)
      const patched = yield* Effect.mapError(wire.tokens.decodePatch(yield* given(exchange)), unreadable)
      const wrong = matching(exchange, { ...address, given: address.type }, patched)
      if (wrong !== undefined) return yield* wrong
      if (patched.lastUpdated === undefined && facts.patchNamesTime) {
        return yield* invalid("A PATCH must contain last_updated.")
      }
      const { party, type, uid } = address
      const which = { ...party, uid, type }
      const change = changes(exchange, patched)
      const patching = tokens.patch(bearer.partner.id, which, change, auditOf(exchange), identityOf(exchange))
      const taken = yield* Effect.catchTag(patching, "NotFound", unknown)
      if (taken === "Outdated") return yield* outdated()
      return { data: undefined }
    })

  const path = "tokens/:countryCode/:partyId/:tokenUid"
  return new Map<string, Handler>([
    [`GET ${path}`, get],
    [`PUT ${path}`, put],
    [`PATCH ${path}`, patch]
  ])
})
