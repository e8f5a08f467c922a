/**
 * A token of a partner's driver, from the partner's token module (OCPI 2.2.1 §12). The partner pushes it or we fetch it; we never change it. It is
 * identified by its party, uid and type together, case-insensitively, and stored in the partner's spelling.
 */
import type { Partner } from "../roaming/Partner.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { RoamingContract } from "../roaming/Roaming.ts"

/** OCPI 2.2.1 §12.4.3 EnergyContract. */
export interface EnergyContract {
  readonly supplierName: string
  readonly contractId?: string | undefined
}

/** The content of a partner's token. Values of newer OCPI versions are stored as they are. */
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
  /** ms epoch, by the partner's clock. */
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

/** The key of a token when its type may be missing. Then a valid token is preferred, and of several the one that was changed last. */
export interface RoamingTokenAddress extends PartyId {
  readonly uid: string
  readonly type: string | undefined
}

/** The fields of a PATCH; all others stay unchanged. */
export type RoamingTokenPatch = Partial<RoamingTokenBody>

/**
 * The most tokens of one partner that are stored; the largest eMSPs have some hundreds of thousands. This many take about a gigabyte of the database,
 * and a partner that creates tokens endlessly must not fill it for all others.
 */
export const tokensMax = 2_000_000

/** The type of a token if none is given (OCPI 2.2.1 §12.2.1). */
export const defaultTokenType = "RFID"

/** The key of a token as text; two tokens are the same exactly if their texts are equal. */
export const roamingTokenKey = ({ countryCode, partyId, type, uid }: RoamingTokenKey): string =>
  JSON.stringify([countryCode.toUpperCase(), partyId.toUpperCase(), uid.toLowerCase(), type.toUpperCase()])

/** The party of a token in OCPI versions that do not name it: the partner's eMSP, which is its only party in 2.1.1. */
export const tokenParty = ({ connection }: Partner): PartyId | undefined => {
  const parties = connection?.parties ?? []
  return parties.find(({ role }) => role === "EMSP") ?? parties[0]
}

/** A `lastUpdated` that is further ahead of our clock than this is not believed. Otherwise it would block every later change. */
const believedAheadMillis = 3_600_000

/** The outcome for a token that a partner has sent. */
export type Taken = "Created" | "Replaced" | "Unchanged" | "Outdated"

const sameBody = (one: RoamingTokenBody, other: RoamingTokenBody): boolean =>
  JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))

/** True if two tokens differ in their time at most. */
export const isSameButForTime = (one: RoamingTokenBody, other: RoamingTokenBody): boolean =>
  sameBody(one, { ...other, lastUpdated: one.lastUpdated })

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

/**
 * What to do with a token that a partner has sent. Pushes may arrive out of order: a token that is older than the stored one, or equal to it, changes
 * nothing.
 */
export const takenAs = (sent: RoamingTokenBody, stored: RoamingTokenBody | undefined, now: number): Taken => {
  if (stored === undefined) return "Created"
  if (sameBody(sent, stored)) return "Unchanged"
  const believed = stored.lastUpdated <= now + believedAheadMillis
  return believed && sent.lastUpdated < stored.lastUpdated ? "Outdated" : "Replaced"
}

/**
 * A token with a PATCH applied: fields that are not given stay, and none is removed (OCPI 2.2.1 §4.1.3). A PATCH without a time, as in 2.1.1, is the
 * partner's newest: it gets the time of receipt, or the stored time if that is later because the partner's clock is ahead.
 */
export const patchedToken = (token: RoamingTokenBody, patch: RoamingTokenPatch, now: number): RoamingTokenBody => ({
  ...token,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
  lastUpdated: patch.lastUpdated ?? Math.max(now, token.lastUpdated)
})
