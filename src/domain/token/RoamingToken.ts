/**
 * A partner's driver's token as its token module has it (OCPI 2.2.1 §12): pushed to us or fetched by us, and never ours to change. It is known by its
 * party, uid and type together, whatever the case of their letters; it is kept as the partner spells it.
 */
import type { Partner } from "../roaming/Partner.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { RoamingContract } from "../roaming/Roaming.ts"

/** OCPI 2.2.1 §12.4.3 EnergyContract. */
export interface EnergyContract {
  readonly supplierName: string
  readonly contractId?: string | undefined
}

/** What a partner's token says; words of newer versions are kept as they are. */
export interface RoamingTokenBody extends Omit<RoamingContract, "partnerId"> {
  readonly visualNumber: string | undefined
  readonly issuer: string
  /** OCPI's group_id, which is OCPP's parentIdTag. */
  readonly groupUid: string | undefined
  /** True if the partner allows it to charge. */
  readonly valid: boolean
  /** OCPI 2.2.1 §12.4.5 WhitelistType. */
  readonly whitelist: string
  readonly language: string | undefined
  readonly defaultProfileType: string | undefined
  readonly energyContract: EnergyContract | undefined
  /** By the partner's clock, ms epoch. */
  readonly lastUpdated: number
}

export interface RoamingToken extends RoamingTokenBody {
  readonly partnerId: string
}

/** The fields that identify a token. */
export interface RoamingTokenKey extends PartyId {
  readonly uid: string
  readonly type: string
}

/** The same from who may not tell the type: of several tokens a valid one is meant, and the one that was changed last. */
export interface RoamingTokenAddress extends PartyId {
  readonly uid: string
  readonly type: string | undefined
}

/** The fields of a PATCH; all others stay as they are. */
export type RoamingTokenPatch = Partial<RoamingTokenBody>

/**
 * Tokens of one partner that are kept; the largest eMSPs have some hundreds of thousands. So many take about a gigabyte of the database, and a partner that
 * makes new ones without an end must not fill it for everybody.
 */
export const tokensMax = 2_000_000

/** The type of a token where none is named (OCPI 2.2.1 §12.2.1). */
export const defaultTokenType = "RFID"

/** Two tokens are one exactly when these texts are the same. */
export const roamingTokenKey = ({ countryCode, partyId, type, uid }: RoamingTokenKey): string =>
  JSON.stringify([countryCode.toUpperCase(), partyId.toUpperCase(), uid.toLowerCase(), type.toUpperCase()])

/** The party that a token belongs to whose version does not say: its eMSP, which in 2.1.1 is the only party there is. */
export const tokenParty = ({ connection }: Partner): PartyId | undefined => {
  const parties = connection?.parties ?? []
  return parties.find(({ role }) => role === "EMSP") ?? parties[0]
}

/** Farther ahead of ours than any clock that is set: what claims to be from then must not outlive every later change. */
const believedAheadMillis = 3_600_000

/** The outcome for a token that a partner has sent. */
export type Taken = "Created" | "Replaced" | "Unchanged" | "Outdated"

const sameBody = (one: RoamingTokenBody, other: RoamingTokenBody): boolean =>
  JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))

const ordered = (token: RoamingTokenBody) => [
  token.countryCode,
  token.partyId,
  token.uid,
  token.type,
  token.contractId,
  token.visualNumber ?? null,
  token.issuer,
  token.groupUid ?? null,
  token.valid,
  token.whitelist,
  token.language ?? null,
  token.defaultProfileType ?? null,
  token.energyContract?.supplierName ?? null,
  token.energyContract?.contractId ?? null,
  token.lastUpdated
]

/** Pushes may arrive out of order: a token that is older than the stored one, or equal to it, changes nothing. */
export const takenAs = (sent: RoamingTokenBody, stored: RoamingTokenBody | undefined, now: number): Taken => {
  if (stored === undefined) return "Created"
  if (sameBody(sent, stored)) return "Unchanged"
  const believed = stored.lastUpdated <= now + believedAheadMillis
  return believed && sent.lastUpdated < stored.lastUpdated ? "Outdated" : "Replaced"
}

/** A token with a PATCH laid over it: what is not named stays, and nothing is taken away (OCPI 2.2.1 §4.1.3). */
export const patchedToken = (token: RoamingTokenBody, patch: RoamingTokenPatch): RoamingTokenBody => ({
  ...token,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
})
