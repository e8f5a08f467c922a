/**
 * Whether a driver's token may charge, in OCPP's words (OCPP 1.6 §7.2). The decision, its source and its time are kept with the session.
 * Further sources (reservations, roaming partners) come before and after the local token.
 */
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import type { Authorization, AuthorizationStatus } from "./Authorization.ts"
import type { Token, TokenFacts } from "./Token.ts"

/** What is to be done with the token. */
export type AuthorizationContext =
  /** Only asked: OCPP 1.6 §6.1 has no connector, and hence no other session to be at the same time as. */
  | { readonly _tag: "Asking" }
  /** A session starts at this connector. */
  | { readonly _tag: "Starting"; readonly chargerId: string; readonly evseId: number }

const statusOf = (token: Token, now: number): AuthorizationStatus => {
  if (token.status !== "Accepted") return token.status
  return token.expiresAt !== undefined && token.expiresAt <= now ? "Expired" : "Accepted"
}

/**
 * True when the token charges elsewhere. A session on the same connector does not count: the start that is being authorised shows that it
 * has ended.
 */
const chargesElsewhere = (facts: TokenFacts, context: AuthorizationContext): boolean =>
  context._tag === "Starting" &&
  facts.openSessions.some((open) => open.chargerId !== context.chargerId || open.evseId !== context.evseId)

/** Decides on a token at `now` (ms epoch). */
export const authorize = (
  facts: TokenFacts,
  policy: ChargerPolicy,
  context: AuthorizationContext,
  now: number
): Authorization => {
  const { token } = facts
  const unknown = policy.unknownTokens === "Accept" ? "Accepted" : "Invalid"
  const status = token === undefined ? unknown : statusOf(token, now)
  const concurrent =
    status === "Accepted" && policy.concurrentTransactions === "Refuse" && chargesElsewhere(facts, context)
  return {
    status: concurrent ? "ConcurrentTx" : status,
    source: token === undefined ? "UnknownTokenRule" : "LocalToken",
    decidedAt: now,
    expiresAt: token?.expiresAt,
    parentUid: token?.parentUid
  }
}
