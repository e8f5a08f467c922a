/**
 * Whether a driver's token may charge, in OCPP's words (OCPP 1.6 §7.2). Asked in this order, and the first that knows decides: a partner's command
 * for it, a reservation for the card at this charger, a card of the organisation's own, a roaming partner's card, partners that are asked about
 * strangers, the organisation's rule for unknown ones. The decision, its source and its time are kept with the session.
 */
import type { ChargerPolicy, ChargerState } from "../charger/ChargerState.ts"
import type { Answers, Question } from "../charger/Decision.ts"
import { grantFor, roamingOf } from "../roaming/TokenGrant.ts"
import { entitles } from "../reservation/Reservation.ts"
import type { Authorization, AuthorizationStatus } from "../token/Authorization.ts"
import { askedAtMost, type AskedPartner, cardsToAsk, contractOf } from "../token/RealTime.ts"
import type { Token, TokenFacts } from "../token/Token.ts"
import { roamingVerdict, strangerVerdict, type Verdict } from "../token/Verdict.ts"

/** What is to be done with the token. */
export type AuthorizationContext =
  /** Only asked: OCPP 1.6 §6.1 has no connector, and hence no other session to be at the same time as. */
  | { readonly _tag: "Asking"; readonly tokenUid: string; readonly chargerId: string }
  /** A session starts at this connector. */
  | {
      readonly _tag: "Starting"
      readonly tokenUid: string
      readonly chargerId: string
      readonly evseId: number
      readonly reservationId: number | undefined
      /** When it started, ms epoch: what was made offline is judged by its own time, and not by the one of its arrival. */
      readonly at: number
    }

/** Starts that are older than this when they arrive were made offline; younger ones are as old as clocks and networks make them. */
const offlineAfterMillis = 5 * 60_000

/** What it takes to end a session by a card. */
const endsWithinMillis = 5 * 60_000

/** When a block began is not known; a card that has expired was good before. */
const statusOf = (token: Token, at: number): AuthorizationStatus => {
  if (token.status !== "Accepted") return token.status
  return token.expiresAt !== undefined && token.expiresAt <= at ? "Expired" : "Accepted"
}

const ownVerdict = (token: Token, at: number): Verdict => ({
  status: statusOf(token, at),
  source: "LocalToken",
  expiresAt: token.expiresAt,
  parentUid: token.parentUid
})

/** A partner that has this session started or this connector reserved answers for the card. The charger may remember it for as long as that holds. */
const grantedVerdict = (facts: TokenFacts, context: AuthorizationContext): Verdict | undefined => {
  const grant = grantFor(facts.granted ?? [], context._tag === "Starting" ? context.evseId : undefined)
  if (grant === undefined) return undefined
  const { expiresAt } = grant
  return { status: "Accepted", source: "RoamingToken", expiresAt, parentUid: undefined, roaming: roamingOf(grant) }
}

/** Of a card that only its reservation lets charge, the charger may remember the answer until that ends. */
const reservedVerdict = (
  facts: TokenFacts,
  context: AuthorizationContext,
  { parentUid, roaming }: Pick<Verdict, "parentUid" | "roaming">,
  at: number
): Verdict | undefined => {
  const place = context._tag === "Starting" ? context : { evseId: undefined, reservationId: undefined }
  const { evseId, reservationId } = place
  const claim = { evseId, reservationId, tokenUid: context.tokenUid, parentUid, at }
  const reservation = facts.reservations.find((one) => entitles(claim, one))
  if (reservation === undefined) return undefined
  const expiresAt = facts.token === undefined ? reservation.expiresAt : facts.token.expiresAt
  return { status: "Accepted", source: "Reservation", expiresAt, parentUid, roaming }
}

/**
 * Of an unknown card that charges at this charger: it is held up to end that, and its reservation is used by now. A driver who was let
 * begin is let end; some chargers ask before they let go of the cable. The charger may remember that for as long as it takes.
 */
const charging = (facts: TokenFacts, context: AuthorizationContext, now: number): Verdict | undefined => {
  if (context._tag === "Starting") return undefined
  const session = facts.openSessions.find(({ chargerId }) => chargerId === context.chargerId)
  const expiresAt = now + endsWithinMillis
  return session && { status: "Accepted", source: session.source, expiresAt, parentUid: undefined }
}

/**
 * A card of one's own that is blocked or has expired stays refused whatever was reserved for it: who blocked it did so knowing it, and a
 * reservation that was made before must not be the way around. Of a partner's card the partner who reserved has already answered for it
 * (OCPI 2.2.1 §13.2.1: the token of a ReserveNow is not validated).
 */
const verdictOf = (facts: TokenFacts, policy: ChargerPolicy, context: AuthorizationContext, now: number): Verdict => {
  const at = context._tag === "Starting" ? context.at : now
  // A clock that is ahead makes no card expire before its time.
  const own = facts.token === undefined ? undefined : ownVerdict(facts.token, Math.min(at, now))
  if (own !== undefined && own.status !== "Accepted") return own
  const partnerAnswers = facts.partnerAnswers ?? []
  const roaming = roamingVerdict(facts.roaming, partnerAnswers, now)
  const reserved = reservedVerdict(facts, context, own ?? roaming ?? { parentUid: undefined }, at)
  const unknown = policy.unknownTokens === "Accept" ? "Accepted" : "Invalid"
  return (
    grantedVerdict(facts, context) ??
    reserved ??
    own ??
    // Who was let begin is let end, whether or not his partner can be reached.
    (facts.partnerAnswers === undefined && cardsToAsk(facts.roaming).length > 0
      ? charging(facts, context, now)
      : undefined) ??
    roaming ??
    charging(facts, context, now) ??
    strangerVerdict(partnerAnswers, now) ?? {
      status: unknown,
      source: "UnknownTokenRule",
      expiresAt: undefined,
      parentUid: undefined
    }
  )
}

/**
 * True when the token charges elsewhere. A session on the same connector does not count: the start that is being authorised shows that it
 * has ended. Of a start that was made offline only what ran then counts.
 */
const chargesElsewhere = (facts: TokenFacts, context: AuthorizationContext, now: number): boolean => {
  if (context._tag === "Asking") return false
  const { at, chargerId, evseId } = context
  const ranThen = (startedAt: number) => at >= now - offlineAfterMillis || startedAt <= at
  return facts.openSessions.some(
    (open) => (open.chargerId !== chargerId || open.evseId !== evseId) && ranThen(open.startedAt)
  )
}

/**
 * The partners whose word in real time decides, and who have not been asked yet; none where anybody else knows, or where the card is held up to end
 * what it was let begin.
 */
export const partnersToAsk = (
  facts: TokenFacts,
  context: AuthorizationContext,
  now: number
): ReadonlyArray<AskedPartner> => {
  if (facts.partnerAnswers !== undefined || facts.token !== undefined) return []
  const at = context._tag === "Starting" ? context.at : now
  const settled =
    grantedVerdict(facts, context) ??
    reservedVerdict(facts, context, roamingVerdict(facts.roaming, [], now) ?? { parentUid: undefined }, at) ??
    charging(facts, context, now)
  if (settled !== undefined) return []
  const cards = cardsToAsk(facts.roaming).map((card) => ({ partnerId: card.partnerId, card: contractOf(card) }))
  const strangers = facts.roaming.length > 0 ? [] : (facts.askable ?? [])
  return [...cards, ...strangers.map((partnerId) => ({ partnerId, card: undefined }))].slice(0, askedAtMost)
}

/** Decides on a token at `now` (ms epoch). */
export const authorize = (
  facts: TokenFacts,
  policy: ChargerPolicy,
  context: AuthorizationContext,
  now: number
): Authorization => {
  const verdict = verdictOf(facts, policy, context, now)
  // Whether its driver may charge twice at a time is for the partner to say that has had both begun, and another's may have the same uid.
  const isAsked = policy.concurrentTransactions === "Refuse" && grantedVerdict(facts, context) === undefined
  const concurrent = verdict.status === "Accepted" && isAsked && chargesElsewhere(facts, context, now)
  // A card that is refused is billed to no one.
  const { roaming, ...decided } = verdict
  const status = concurrent ? "ConcurrentTx" : verdict.status
  return { ...decided, ...(roaming === undefined || status !== "Accepted" ? {} : { roaming }), status, decidedAt: now }
}

export type Authorizing =
  | { readonly _tag: "Ask"; readonly question: Question }
  | { readonly _tag: "Decided"; readonly authorization: Authorization; readonly facts: TokenFacts }

/** Asks what is known of a token, then its partners if their answer decides, and then decides on it. */
export const authorizing = (
  { policy }: Pick<ChargerState, "policy">,
  { token, partnerAnswers }: Answers,
  context: AuthorizationContext,
  now: number
): Authorizing => {
  const { tokenUid } = context
  const starting = context._tag === "Starting" ? context : undefined
  if (token === undefined) return { _tag: "Ask", question: { _tag: "FindToken", tokenUid, at: starting?.at ?? now } }
  const facts: TokenFacts = { ...token, partnerAnswers }
  const partners = partnersToAsk(facts, context, now)
  if (partners.length > 0) {
    return { _tag: "Ask", question: { _tag: "AskPartners", tokenUid, evseId: starting?.evseId, partners } }
  }
  return { _tag: "Decided", authorization: authorize(facts, policy, context, now), facts }
}
