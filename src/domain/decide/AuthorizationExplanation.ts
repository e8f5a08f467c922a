/**
 * Explains why a card may or may not charge: the decision that a charger would get now, the rule behind it, and what an operator can do. The verdict
 * always comes from `authorize`.
 */
import type { Authorization } from "../token/Authorization.ts"
import type { CardEvidence, CardWanted } from "../token/Authorizations.ts"
import { silent } from "../token/RealTime.ts"
import type { Token, TokenFacts } from "../token/Token.ts"
import { authorize, chargesElsewhere, partnersToAsk, statusOf } from "./Authorize.ts"

export const authorizationRules = [
  "own_token",
  "own_token_blocked",
  "own_token_expired",
  "reservation",
  "partner_request",
  "partner_token",
  "partner_token_refused",
  "partner_conflict",
  "partner_asked",
  "unknown_token_accepted",
  "unknown_token_refused",
  "charging_here",
  "charging_already"
] as const
export type AuthorizationRule = (typeof authorizationRules)[number]

/** One checked condition. Checks are for display and do not make the verdict. */
export interface Check {
  readonly rule: "known" | "status" | "expiry" | "partner_valid" | "one_partner" | "not_charging" | "unknown_tokens"
  readonly passed: boolean
  readonly detail: string
}

export interface AuthorizationExplanation {
  readonly authorization: Authorization
  readonly rule: AuthorizationRule
  /** One or two sentences for operators, with what to do. */
  readonly explanation: string
  readonly checks: ReadonlyArray<Check>
}

const iso = (at: number): string => new Date(at).toISOString()

interface Decided {
  readonly authorization: Authorization
  readonly facts: TokenFacts
  /** The ids of partners whose answers would decide. They were not asked for this explanation. */
  readonly asks: ReadonlyArray<string>
}

/** EVSE numbers of OCPP begin at 1, so no session is at this EVSE, and every open session counts as elsewhere. */
const noEvse = 0

/** Decides as for an Authorize, then as for a start, since only a start can be refused because of another session. Partners count as silent. */
const decided = ({ facts, policy }: CardEvidence, { chargerId = "", tokenUid }: CardWanted, now: number): Decided => {
  const asking = { _tag: "Asking", tokenUid, chargerId } as const
  const partners = partnersToAsk(facts, asking, now)
  const answered = { ...facts, partnerAnswers: partners.map(silent) }
  const authorization = authorize(answered, policy, asking, now)
  const asks = partners.map(({ partnerId }) => partnerId)
  const starting = { _tag: "Starting", tokenUid, chargerId, evseId: noEvse, reservationId: undefined, at: now } as const
  const start = authorize(answered, policy, starting, now)
  const isConcurrent = authorization.status === "Accepted" && start.status === "ConcurrentTx"
  return { authorization: isConcurrent ? start : authorization, facts: answered, asks }
}

const named = (names: ReadonlyMap<string, string>, ids: ReadonlyArray<string>): string =>
  [...new Set(ids)].map((id) => names.get(id) ?? id).join(", ")

const expired = ({ expiresAt, status }: Token): string =>
  status === "Expired" || expiresAt === undefined ? "is marked as expired" : `expired at ${iso(expiresAt)}`

const ruleOf = ({ asks, authorization, facts }: Decided, { chargerId }: CardWanted): AuthorizationRule => {
  const { source, status } = authorization
  if (status === "ConcurrentTx") return "charging_already"
  const isHere = facts.openSessions.some((open) => open.chargerId === chargerId)
  switch (source) {
    case "Reservation":
      return isHere && facts.token === undefined ? "charging_here" : "reservation"
    case "LocalToken":
      if (facts.token === undefined) return "charging_here"
      return status === "Accepted" ? "own_token" : status === "Expired" ? "own_token_expired" : "own_token_blocked"
    case "RoamingToken": {
      if (status === "Accepted") {
        if ((facts.granted ?? []).length > 0) return "partner_request"
        return asks.length > 0 ? "partner_asked" : "partner_token"
      }
      if (facts.roaming.filter(({ valid }) => valid).length > 1) return "partner_conflict"
      return asks.length > 0 ? "partner_asked" : "partner_token_refused"
    }
    case "UnknownTokenRule":
    case "None":
      if (asks.length > 0) return "partner_asked"
      if (status !== "Accepted") return "unknown_token_refused"
      return isHere ? "charging_here" : "unknown_token_accepted"
  }
}

const texts = (
  rule: AuthorizationRule,
  { asks, authorization, facts }: Decided,
  { partnerNames, policy }: CardEvidence
): string => {
  const partners = named(
    partnerNames,
    facts.roaming.map(({ partnerId }) => partnerId)
  )
  const open = facts.openSessions[0]
  switch (rule) {
    case "own_token":
      return "The card is one of yours and may charge."
    case "own_token_blocked":
      return "The card is one of yours and is blocked. Set its status to Accepted to let it charge."
    case "own_token_expired":
      return `The card is one of yours and ${facts.token === undefined ? "has expired" : expired(facts.token)}. Change its status and expiresAt to let it charge.`
    case "reservation":
      return "A reservation of this charger lets the card charge."
    case "partner_request":
      return "A partner has requested this session and takes responsibility for its driver."
    case "partner_token":
      return `The card belongs to a partner (${partners}), which lets it charge.`
    case "partner_token_refused":
      return `The card belongs to a partner (${partners}), which does not let it charge. The driver has to contact that partner.`
    case "partner_conflict":
      return `Several partners list this card as valid (${partners}), so it is unclear whom to bill. All partners but one must withdraw it.`
    case "partner_asked":
      return `The answer of ${named(partnerNames, asks)} decides: the partner is asked each time the card is presented. Without an answer within three seconds the verdict is ${authorization.status}.`
    case "unknown_token_accepted":
      return "The card is unknown, and your organisation's settings let unknown cards charge."
    case "unknown_token_refused":
      return policy.unknownTokens === "Refuse"
        ? "The card is unknown: it is not one of yours, and no registered partner has it. Add it as a token, or have its partner send it."
        : "The card is refused by the rule for unknown cards."
    case "charging_here":
      return "The card is charging here now and may therefore stop its session. Otherwise it would not be accepted."
    case "charging_already":
      return `The card is already charging${open === undefined ? "" : ` at ${open.chargerId} since ${iso(open.startedAt)}`}, and a card may not have two sessions at once. End that session, or allow it in the organisation's settings.`
  }
}

const checksOf = (
  { facts }: Decided,
  { partnerNames, policy }: CardEvidence,
  { chargerId = "", tokenUid }: CardWanted,
  now: number
): ReadonlyArray<Check> => {
  const { openSessions, roaming, token } = facts
  const partners = named(
    partnerNames,
    roaming.map(({ partnerId }) => partnerId)
  )
  const isKnown = token !== undefined || roaming.length > 0
  const known: Check = {
    rule: "known",
    passed: isKnown,
    detail:
      token !== undefined
        ? "It is one of yours"
        : isKnown
          ? `It belongs to a partner: ${partners}`
          : "It belongs neither to you nor to a partner"
  }
  const own: ReadonlyArray<Check> =
    token === undefined
      ? []
      : [
          { rule: "status", passed: token.status === "Accepted", detail: `Its status is ${token.status}` },
          {
            rule: "expiry",
            passed: statusOf(token, now) !== "Expired",
            detail: token.expiresAt === undefined ? "It does not expire" : `It expires at ${iso(token.expiresAt)}`
          }
        ]
  const valid = roaming.filter((card) => card.valid)
  const theirs: ReadonlyArray<Check> =
    token !== undefined || roaming.length === 0
      ? []
      : [
          {
            rule: "partner_valid",
            passed: valid.length > 0,
            detail: valid.length > 0 ? "It is valid" : "It is not valid"
          },
          {
            rule: "one_partner",
            passed: valid.length <= 1,
            detail: `${valid.length} partners list it as valid`
          }
        ]
  const unknown: Check = {
    rule: "unknown_tokens",
    passed: policy.unknownTokens === "Accept",
    detail: `Unknown cards: ${policy.unknownTokens}`
  }
  const starting = { _tag: "Starting", tokenUid, chargerId, evseId: noEvse, reservationId: undefined, at: now } as const
  const isFree = policy.concurrentTransactions === "Allow" || !chargesElsewhere(facts, starting, now)
  const notCharging: Check = {
    rule: "not_charging",
    passed: isFree,
    detail: openSessions.length === 0 ? "It is charging nowhere" : `Its open sessions: ${openSessions.length}`
  }
  return [known, ...own, ...theirs, ...(isKnown ? [] : [unknown]), notCharging]
}

/** Explains the decision on a card at `now` (ms epoch). */
export const explainAuthorization = (
  evidence: CardEvidence,
  wanted: CardWanted,
  now: number
): AuthorizationExplanation => {
  const decision = decided(evidence, wanted, now)
  const rule = ruleOf(decision, wanted)
  return {
    authorization: decision.authorization,
    rule,
    explanation: texts(rule, decision, evidence),
    checks: checksOf(decision, evidence, wanted, now)
  }
}
