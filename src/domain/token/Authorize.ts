/**
 * Whether a driver's token may charge, in OCPP's words (OCPP 1.6 §7.2). Asked in this order, and the first that knows decides: a partner's command
 * for it, a reservation for the card at this charger, a card of the organisation's own, a roaming partner's card, the organisation's rule for unknown ones. The decision, its
 * source and its time are kept with the session.
 */
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import { grantFor, roamingOf } from "../party/Grant.ts"
import type { SessionRoaming } from "../party/Roaming.ts"
import { entitles } from "../reservation/Reservation.ts"
import type { Authorization, AuthorizationSource, AuthorizationStatus } from "./Authorization.ts"
import type { RoamingToken, Token, TokenFacts } from "./Token.ts"

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

interface Verdict {
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
  readonly expiresAt: number | undefined
  readonly parentUid: string | undefined
  readonly roaming?: SessionRoaming | undefined
}

/** When a block began nobody knows; a card that has expired was good before. */
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

/** Two partners that both vouch for one uid cannot both be billed, and guessing would bill the wrong one. */
const roamingVerdict = (cards: ReadonlyArray<RoamingToken>): Verdict | undefined => {
  if (cards.length === 0) return undefined
  const [valid, ...others] = cards.filter((card) => card.valid)
  const base = { source: "RoamingToken", expiresAt: undefined } as const
  if (valid === undefined) return { ...base, status: "Blocked", parentUid: undefined }
  return others.length === 0
    ? { ...base, status: "Accepted", parentUid: valid.parentUid }
    : { ...base, status: "Invalid", parentUid: undefined }
}

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
  parentUid: string | undefined,
  at: number
): Verdict | undefined => {
  const place = context._tag === "Starting" ? context : { evseId: undefined, reservationId: undefined }
  const { evseId, reservationId } = place
  const claim = { evseId, reservationId, tokenUid: context.tokenUid, parentUid, at }
  const reservation = facts.reservations.find((one) => entitles(claim, one))
  if (reservation === undefined) return undefined
  const expiresAt = facts.token === undefined ? reservation.expiresAt : facts.token.expiresAt
  return { status: "Accepted", source: "Reservation", expiresAt, parentUid }
}

/**
 * Of a card that nobody knows and that charges at this charger: it is held up to end that, and its reservation is used by now. Whoever was let
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
  const roaming = roamingVerdict(facts.roaming)
  const reserved = reservedVerdict(facts, context, own?.parentUid ?? roaming?.parentUid, at)
  const unknown = policy.unknownTokens === "Accept" ? "Accepted" : "Invalid"
  return (
    grantedVerdict(facts, context) ??
    reserved ??
    own ??
    roaming ??
    charging(facts, context, now) ?? {
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

/** Decides on a token at `now` (ms epoch). */
export const authorize = (
  facts: TokenFacts,
  policy: ChargerPolicy,
  context: AuthorizationContext,
  now: number
): Authorization => {
  const verdict = verdictOf(facts, policy, context, now)
  const concurrent =
    verdict.status === "Accepted" && policy.concurrentTransactions === "Refuse" && chargesElsewhere(facts, context, now)
  return { ...verdict, status: concurrent ? "ConcurrentTx" : verdict.status, decidedAt: now }
}
