/**
 * The token of a START_SESSION or RESERVE_NOW (OCPI 2.2.1 §13.3). The partner vouches for it, so we do not look it up or verify it with the
 * partner. It must belong to one of the partner's parties, or to a party behind it if it is a hub.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { CommandRequest } from "../../domain/command/CommandRequest.ts"
import { fitsCharger, grantMillis, type NewGrant } from "../../domain/roaming/TokenGrant.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { PartyId } from "../../domain/values/PartyId.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { tokenParty } from "../../domain/token/RoamingToken.ts"
import type { MayHold } from "../protocol/HeldParties.ts"
import { Refused } from "../protocol/Status.ts"

type Presenting = Extract<CommandRequest, { readonly token: unknown }>

const foreign = () =>
  new Refused({
    reason: { _tag: "Invalid", detail: "The token does not belong to one of your parties (country_code, party_id)." }
  })

/** The party of the token; undefined if it belongs to someone else. */
const partyOf = (
  mayHold: MayHold,
  partner: Partner,
  { countryCode, partyId }: Presenting["token"]
): Effect.Effect<PartyId | undefined, StorageUnavailable> => {
  if (countryCode === undefined || partyId === undefined) return Effect.succeed(tokenParty(partner))
  const party = { countryCode, partyId }
  return Effect.map(mayHold(partner, party), (held) => (held ? party : undefined))
}

/**
 * The idTag for a uid that is too long for the charger: 18 characters, because some chargers send two more back. It is the same whenever this partner presents that uid, so that the card that
 * reserved is recognised when it starts.
 */
const standIn = (secrets: Pick<Secrets["Service"], "verifier">, partner: Partner, uid: string): string => {
  const bytes = secrets.verifier("stand-in", `${partner.id} ${uid.toLowerCase()}`)
  return `VL${Buffer.from(bytes).toString("hex").slice(0, 16).toUpperCase()}`
}

/** The grant that lets the token charge, with the idTag that the charger receives, before its EVSE is chosen. */
export const presented =
  (secrets: Pick<Secrets["Service"], "verifier">, mayHold: MayHold) =>
  (
    partner: Partner,
    request: Presenting,
    now: number
  ): Effect.Effect<Omit<NewGrant, "evseId">, Refused | StorageUnavailable> =>
    Effect.gen(function* () {
      const { authorizationReference, token } = request
      const party = yield* partyOf(mayHold, partner, token)
      if (party === undefined) return yield* foreign()
      return {
        partnerId: partner.id,
        countryCode: party.countryCode,
        partyId: party.partyId,
        uid: token.uid,
        type: token.type,
        contractId: token.contractId,
        authMethod: "COMMAND",
        ...(authorizationReference === undefined ? {} : { authorizationReference }),
        idTag: fitsCharger(token.uid) ? token.uid : standIn(secrets, partner, token.uid),
        expiresAt: request._tag === "ReserveNow" ? request.expiresAt : now + grantMillis
      }
    })
