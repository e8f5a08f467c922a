/** Verdicts on partners' tokens, from the tokens that partners have pushed and from their answers in real time. */
import type { RoamingAuthMethod, RoamingContract, SessionRoaming } from "../roaming/Roaming.ts"
import type { AuthorizationSource, AuthorizationStatus } from "./Authorization.ts"
import {
  cardsToAsk,
  contractOf,
  isAbout,
  isAllowing,
  mustBeAsked,
  type PartnerAnswer,
  type RoamingCard,
  substitutes
} from "./RealTime.ts"

export interface Verdict {
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
  readonly expiresAt: number | undefined
  readonly parentUid: string | undefined
  readonly roaming?: SessionRoaming | undefined
}

/** How long the charger may remember a partner's real-time answer, in ms; after that the partner is asked again. */
const rememberedMillis = 5 * 60_000

const refused = (status: AuthorizationStatus): Verdict => ({
  status,
  source: "RoamingToken",
  expiresAt: undefined,
  parentUid: undefined
})

const accepted = (
  contract: RoamingContract,
  authMethod: RoamingAuthMethod,
  more: { readonly groupUid: string | undefined; readonly reference?: string | undefined; readonly expiresAt?: number }
): Verdict => ({
  status: "Accepted",
  source: "RoamingToken",
  expiresAt: more.expiresAt,
  parentUid: more.groupUid,
  roaming: {
    ...contractOf(contract),
    authMethod,
    ...(more.reference === undefined ? {} : { authorizationReference: more.reference })
  }
})

/** OCPI's denials as OCPP statuses (OCPP 1.6 §7.2). `Invalid` is an unknown token, or one that may not charge at this place. */
const denials: Readonly<Record<string, AuthorizationStatus>> = {
  BLOCKED: "Blocked",
  NO_CREDIT: "Blocked",
  EXPIRED: "Expired"
}

const denial = ({ allowed }: PartnerAnswer): Verdict => refused(denials[allowed?.toUpperCase() ?? ""] ?? "Invalid")

/** The verdict if a partner allows the token; undefined if none does. If several allow it, it is refused, because it is unknown which one to bill. */
const allowedBy = (partnerAnswers: ReadonlyArray<PartnerAnswer>, now: number): Verdict | undefined => {
  const [one, ...others] = partnerAnswers.filter(isAllowing)
  if (one === undefined) return undefined
  const contract = one.contract ?? one.about.card
  if (others.length > 0 || contract === undefined) return refused("Invalid")
  return accepted(contract, "AUTH_REQUEST", {
    groupUid: one.groupUid,
    reference: one.authorizationReference,
    expiresAt: now + rememberedMillis
  })
}

/**
 * The verdict on partners' cards of one uid; undefined if there are none. If two partners have the uid as valid, both cannot be billed, and a guess
 * could bill the wrong one.
 */
export const roamingVerdict = (
  cards: ReadonlyArray<RoamingCard>,
  partnerAnswers: ReadonlyArray<PartnerAnswer>,
  now: number
): Verdict | undefined => {
  if (cards.length === 0) return undefined
  const [valid, ...others] = cards.filter((card) => card.valid)
  if (others.length > 0) return refused("Invalid")
  if (valid !== undefined && !mustBeAsked(valid)) return accepted(valid, "WHITELIST", valid)
  const asked = cardsToAsk(cards)
  const said = partnerAnswers.filter((word) => asked.some((card) => isAbout(card, word)))
  const allowed = allowedBy(said, now)
  if (allowed !== undefined) return allowed
  const denied = said.find((word) => word.allowed !== undefined)
  if (denied !== undefined) return denial(denied)
  if (valid === undefined) return refused("Blocked")
  return substitutes(valid) ? accepted(valid, "WHITELIST", valid) : refused("Invalid")
}

/** The verdict on a token that is on no list; undefined if no partner knows it. */
export const strangerVerdict = (partnerAnswers: ReadonlyArray<PartnerAnswer>, now: number): Verdict | undefined => {
  const said = partnerAnswers.filter(({ about }) => about.card === undefined)
  const known = said.find(({ allowed }) => allowed !== undefined && allowed !== "UNKNOWN")
  return allowedBy(said, now) ?? (known && denial(known))
}
