/** The decision about a driver's token: its verdict in OCPP's words, where it came from and when it was made. Kept with the session. */
import type { SessionRoaming } from "../roaming/Roaming.ts"

/** OCPP 1.6 §7.2 AuthorizationStatus. */
export const authorizationStatuses = ["Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx"] as const
export type AuthorizationStatus = (typeof authorizationStatuses)[number]

/** Who decided, of a refusal too; in the order in which they are asked, see `authorize`. `None` is what was not decided. */
export const authorizationSources = ["Reservation", "LocalToken", "RoamingToken", "UnknownTokenRule", "None"] as const
export type AuthorizationSource = (typeof authorizationSources)[number]

/** What an organisation has set for tokens. */
export interface AuthorizationPolicy {
  /** The decision on unknown tokens. */
  readonly unknownTokens: "Refuse" | "Accept"
  /** Whether a token may have two sessions at once. */
  readonly concurrentTransactions: "Refuse" | "Allow"
}

export interface Authorization {
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
  /** ms epoch of the decision. */
  readonly decidedAt: number
  readonly expiresAt: number | undefined
  readonly parentUid: string | undefined
  /** The partner's driver that this is about, where the card is a partner's. */
  readonly roaming?: SessionRoaming | undefined
}
