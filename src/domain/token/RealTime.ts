/**
 * Partners' answers about a card that is being read (OCPI 2.2.1 §12.2.1, real-time authorization): which partners are asked, how long a charger waits
 * for them, and what they answer.
 */
import type { RoamingContract } from "../roaming/Roaming.ts"
import type { ReadingPlace } from "./RoamingTokens.ts"

/** How long a charger waits for partners' answers, in ms. Drivers wait for three seconds at most. */
export const verdictWithinMillis = 3_000

/** The most partners that are asked about one card. Partners beyond that are not asked; if none of those asked allows the card, it is refused. */
export const askedAtMost = 10

/** A partner's RFID token for a uid, with the fields that matter for the decision. */
export interface RoamingCard extends RoamingContract {
  /** True if the partner allows it to charge. */
  readonly valid: boolean
  /** OCPI's group_id, which is OCPP's parentIdTag. */
  readonly groupUid: string | undefined
  /** OCPI 2.2.1 §12.4.5 WhitelistType, or a value that we do not know. */
  readonly whitelist: string
}

/** A partner to ask: about a card that it has pushed, or, without `card`, about an unknown one. */
export interface AskedPartner {
  readonly partnerId: string
  readonly card: RoamingContract | undefined
}

/** A partner's answer (OCPI 2.2.1 §12.3.1 AuthorizationInfo). */
export interface PartnerAnswer {
  readonly about: AskedPartner
  /** OCPI 2.2.1 §12.4.1 AllowedType. `UNKNOWN`: the partner has no such token. Undefined: it did not answer in time. */
  readonly allowed: string | undefined
  /** The contract by which the session is billed; undefined if the partner did not allow it. */
  readonly contract: RoamingContract | undefined
  readonly groupUid: string | undefined
  /** The EVSEs of the charger, by OCPP's numbers, to which the partner limits its permission. Undefined: it does not limit it. */
  readonly evseIds: ReadonlyArray<number> | undefined
  /** The partner's reference, to be repeated in the session and its CDR. */
  readonly authorizationReference: string | undefined
}

/** The answer of a partner that cannot be reached. */
export const silent = (about: AskedPartner): PartnerAnswer => ({
  about,
  allowed: undefined,
  contract: undefined,
  groupUid: undefined,
  evseIds: undefined,
  authorizationReference: undefined
})

export const isAllowing = ({ allowed }: PartnerAnswer): boolean => allowed?.toUpperCase() === "ALLOWED"

/** The place that an answer names (OCPI 2.2.1 §12.3.1 `location`): a location, and those of its EVSEs where the driver may charge, or all of them. */
export interface PermittedPlace {
  readonly locationId: string | undefined
  readonly evseUids: ReadonlyArray<string>
}

const sameId = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The EVSEs to which an answer limits its permission, of those that the question named; undefined if it does not limit it. */
export const permittedEvses = (
  asked: NonNullable<ReadingPlace["location"]>,
  given: PermittedPlace | undefined
): ReadonlyArray<number> | undefined => {
  if (given === undefined) return undefined
  if (given.locationId !== undefined && !sameId(given.locationId, asked.id)) return []
  if (given.evseUids.length === 0) return undefined
  return asked.evses.filter(({ uid }) => given.evseUids.some((one) => sameId(one, uid))).map(({ evseId }) => evseId)
}

/** The answer as it applies at an EVSE, or, without one, at any EVSE of the charger: the driver may not charge where it does not permit that. */
export const answerAt = (answer: PartnerAnswer, evseId: number | undefined): PartnerAnswer => {
  const { evseIds } = answer
  const isPermitted = evseIds === undefined || (evseId === undefined ? evseIds.length > 0 : evseIds.includes(evseId))
  return isPermitted || !isAllowing(answer) ? answer : { ...answer, allowed: "NOT_ALLOWED" }
}

/** Whether a card may only charge if its partner allows it at that moment. Unknown whitelist types are treated as if they required this. */
export const mustBeAsked = ({ whitelist }: Pick<RoamingCard, "whitelist">): boolean =>
  !["ALWAYS", "ALLOWED"].includes(whitelist.toUpperCase())

/** Whether the card may charge if the partner does not answer. */
export const substitutes = ({ valid, whitelist }: Pick<RoamingCard, "valid" | "whitelist">): boolean =>
  valid && whitelist.toUpperCase() === "ALLOWED_OFFLINE"

/**
 * The cards of a uid about which their partners are asked. If several partners have the uid as valid, none is asked, because neither can be billed. A
 * card that is not valid is asked about too if its whitelist type requires it.
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

/** True if an answer is about this card. */
export const isAbout = (card: RoamingContract, { about }: PartnerAnswer): boolean =>
  about.partnerId === card.partnerId &&
  about.card?.countryCode === card.countryCode &&
  about.card.partyId === card.partyId
