/**
 * Partners' words on a card that is being read (OCPI 2.2.1 §12.2.1, real-time authorization): of whom they are wanted, who asks where and for how long,
 * and what they say.
 */
import type { RoamingContract } from "../roaming/Roaming.ts"

/** How long a charger waits for partners' words, in ms: drivers wait for three seconds, and partners allow by themselves after as many. */
export const verdictWithinMillis = 3_000

/** Most partners that are asked about one card: who is not among them has not been asked, and the card is refused. */
export const askedAtMost = 10

/** A partner's RFID token of a uid, as far as it decides. */
export interface RoamingCard extends RoamingContract {
  /** The partner lets it charge. */
  readonly valid: boolean
  /** OCPI's group_id, which is OCPP's parentIdTag. */
  readonly groupUid: string | undefined
  /** OCPI 2.2.1 §12.4.5 WhitelistType, or a word that we do not know. */
  readonly whitelist: string
}

/** Whom to ask: with the card that it has pushed, or without one, about a stranger. */
export interface AskedPartner {
  readonly partnerId: string
  readonly card: RoamingContract | undefined
}

/** What a partner says (OCPI 2.2.1 §12.3.1 AuthorizationInfo). */
export interface PartnerAnswer {
  readonly about: AskedPartner
  /** OCPI 2.2.1 §12.4.1 AllowedType; `UNKNOWN` has no such token, and undefined said nothing in time. */
  readonly allowed: string | undefined
  /** By which it is billed; undefined where the partner did not allow it. */
  readonly contract: RoamingContract | undefined
  readonly groupUid: string | undefined
  /** To be repeated in the session and its record. */
  readonly authorizationReference: string | undefined
}

/** The word of a partner that cannot be reached. */
export const silent = (about: AskedPartner): PartnerAnswer => ({
  about,
  allowed: undefined,
  contract: undefined,
  groupUid: undefined,
  authorizationReference: undefined
})

export const isAllowing = ({ allowed }: PartnerAnswer): boolean => allowed?.toUpperCase() === "ALLOWED"

/** Whether a card may only charge on the partner's word of that moment; words of whitelists that we do not know are careful ones. */
export const mustBeAsked = ({ whitelist }: Pick<RoamingCard, "whitelist">): boolean =>
  !["ALWAYS", "ALLOWED"].includes(whitelist.toUpperCase())

/** Whether it may charge where the partner says nothing. */
export const substitutes = ({ valid, whitelist }: Pick<RoamingCard, "valid" | "whitelist">): boolean =>
  valid && whitelist.toUpperCase() === "ALLOWED_OFFLINE"

/**
 * The partners whose cards of a uid are to be asked about. Two that both vouch for it are not asked, since neither can be billed. A card that is not
 * valid is asked about too where its whitelist says so.
 */
export const cardsToAsk = (cards: ReadonlyArray<RoamingCard>): ReadonlyArray<RoamingCard> => {
  const valid = cards.filter((card) => card.valid)
  if (valid.length > 1) return []
  return (valid.length === 1 ? valid : cards).filter(mustBeAsked)
}

export const contractOf = ({ contractId, countryCode, partnerId, partyId, type, uid }: RoamingContract) => ({
  partnerId,
  countryCode,
  partyId,
  uid,
  type,
  contractId
})

/** True where a word is about this card. */
export const isAbout = (card: RoamingContract, { about }: PartnerAnswer): boolean =>
  about.partnerId === card.partnerId &&
  about.card?.countryCode === card.countryCode &&
  about.card.partyId === card.partyId
