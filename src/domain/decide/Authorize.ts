/**
 * Decides whether a driver's token may charge, as an OCPP status (OCPP 1.6 §7.2). The first source that knows the token decides: a partner's command
 * for it, a reservation for it at this charger, the organisation's own tokens, roaming partners' tokens, partners that are asked in real time, and
 * finally the organisation's rule for unknown tokens. The decision, its source and its time are stored with the session.
 */
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Answers, Question } from "../charger/Decision.ts"
import { grantFor, roamingOf } from "../roaming/TokenGrant.ts"
import { entitles } from "../reservation/Reservation.ts"
import type { Authorization, AuthorizationPolicy, AuthorizationStatus } from "../token/Authorization.ts"
import { answerAt, askedAtMost, type AskedPartner, cardsToAsk, contractOf } from "../token/RealTime.ts"
import type { Token, TokenFacts } from "../token/Token.ts"
import { roamingVerdict, strangerVerdict, type Verdict } from "../token/Verdict.ts"

/** What the token is to be used for. */
export type AuthorizationContext =
  /** An Authorize names no connector (OCPP 1.6 §6.1), so it cannot be decided whether another session is concurrent. */
  | { readonly _tag: "Asking"; readonly tokenUid: string; readonly chargerId: string }
  /** A session starts at this connector. */
  | {
      readonly _tag: "Starting"
      readonly tokenUid: string
      readonly chargerId: string
      readonly evseId: number
      readonly reservationId: number | undefined
      /** When it started, ms epoch. An offline start is decided by this time, not by its time of arrival. */
      readonly at: number
    }

/** A start that is older than this when it arrives was made offline. Clocks and networks explain smaller differences. */
const offlineAfterMillis = 5 * 60_000

/** The time that a driver needs to end a session with a card. */
const endsWithinMillis = 5 * 60_000

/** The status at a given time. It is not known when a token was blocked, but an expired token was valid before its expiry. */
export const statusOf = (token: Token, at: number): AuthorizationStatus => {
  if (token.status !== "Accepted") return token.status
  return token.expiresAt !== undefined && token.expiresAt <= at ? "Expired" : "Accepted"
}

const ownVerdict = (token: Token, at: number): Verdict => ({
  status: statusOf(token, at),
  source: "LocalToken",
  expiresAt: token.expiresAt,
  parentUid: token.parentUid
})

/**
 * A partner that requested this start or reserved this connector is responsible for the token. The charger may cache the answer for as long as the
 * request is valid.
 */
const grantedVerdict = (facts: TokenFacts, context: AuthorizationContext): Verdict | undefined => {
  const grant = grantFor(facts.granted ?? [], context._tag === "Starting" ? context.evseId : undefined)
  if (grant === undefined) return undefined
  const { expiresAt } = grant
  return { status: "Accepted", source: "RoamingToken", expiresAt, parentUid: undefined, roaming: roamingOf(grant) }
}

/** A token with a reservation. If only the reservation lets it charge, the charger may cache the answer until the reservation expires. */
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
 * An unknown token that is charging at this charger: the driver presents it to stop, and its reservation has been used. A driver who was allowed to
 * start may also stop; some chargers request an authorisation before they release the cable. The charger may cache this answer for the time that a
 * stop takes.
 */
const charging = (facts: TokenFacts, context: AuthorizationContext, now: number): Verdict | undefined => {
  if (context._tag === "Starting") return undefined
  const session = facts.openSessions.find(({ chargerId }) => chargerId === context.chargerId)
  const expiresAt = now + endsWithinMillis
  return session && { status: "Accepted", source: session.source, expiresAt, parentUid: undefined }
}

/**
 * An own token that is blocked or expired is refused even with a reservation: an earlier reservation must not circumvent the block. For a partner's
 * token, the partner that reserved has already taken responsibility (OCPI 2.2.1 §13.2.1: the token of a ReserveNow is not validated).
 */
const verdictOf = (
  facts: TokenFacts,
  policy: AuthorizationPolicy,
  context: AuthorizationContext,
  now: number
): Verdict => {
  const at = context._tag === "Starting" ? context.at : now
  // A charger's clock that is ahead must not make a token expire early.
  const own = facts.token === undefined ? undefined : ownVerdict(facts.token, Math.min(at, now))
  if (own !== undefined && own.status !== "Accepted") return own
  const evseId = context._tag === "Starting" ? context.evseId : undefined
  const partnerAnswers = (facts.partnerAnswers ?? []).map((answer) => answerAt(answer, evseId))
  const roaming = roamingVerdict(facts.roaming, partnerAnswers, now)
  const reserved = reservedVerdict(facts, context, own ?? roaming ?? { parentUid: undefined }, at)
  const unknown = policy.unknownTokens === "Accept" ? "Accepted" : "Invalid"
  return (
    grantedVerdict(facts, context) ??
    reserved ??
    own ??
    // A driver who was allowed to start may stop, even if the partner cannot be reached.
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
 * True if the token charges elsewhere. A session on the same connector does not count: the start that is being authorised shows that it has ended.
 * For an offline start only sessions that ran at its time count.
 */
export const chargesElsewhere = (facts: TokenFacts, context: AuthorizationContext, now: number): boolean => {
  if (context._tag === "Asking") return false
  const { at, chargerId, evseId } = context
  const ranThen = (startedAt: number) => at >= now - offlineAfterMillis || startedAt <= at
  return facts.openSessions.some(
    (open) => (open.chargerId !== chargerId || open.evseId !== evseId) && ranThen(open.startedAt)
  )
}

/**
 * The partners that must be asked in real time. None if they were already asked, if the decision does not depend on them, or if the token is
 * presented to stop its own session.
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
  policy: AuthorizationPolicy,
  context: AuthorizationContext,
  now: number
): Authorization => {
  const verdict = verdictOf(facts, policy, context, now)
  // Not for a partner's own requests: that partner decides whether its driver may charge twice, and another partner's token may have the same uid.
  const isAsked = policy.concurrentTransactions === "Refuse" && grantedVerdict(facts, context) === undefined
  const concurrent = verdict.status === "Accepted" && isAsked && chargesElsewhere(facts, context, now)
  // A refused token is billed to no one.
  const { roaming, ...decided } = verdict
  const status = concurrent ? "ConcurrentTx" : verdict.status
  return { ...decided, ...(roaming === undefined || status !== "Accepted" ? {} : { roaming }), status, decidedAt: now }
}

export type Authorizing =
  | { readonly _tag: "Ask"; readonly question: Question }
  | { readonly _tag: "Decided"; readonly authorization: Authorization; readonly facts: TokenFacts }

/** Decides on a token. Requests its stored facts first, then the answers of partners if the decision depends on them. */
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
