/** The decision about a driver's token: its OCPP status, who made it and when. Stored with the session. */
import type { SessionRoaming } from "../roaming/Roaming.ts"

/** OCPP 1.6 §7.2 AuthorizationStatus. */
export const authorizationStatuses = ["Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx"] as const
export type AuthorizationStatus = (typeof authorizationStatuses)[number]

/** Who decided, also about a refusal, in the order in which they are consulted (see `authorize`). `None`: no decision was made. */
export const authorizationSources = ["Reservation", "LocalToken", "RoamingToken", "UnknownTokenRule", "None"] as const
export type AuthorizationSource = (typeof authorizationSources)[number]

/** An organisation's settings for tokens. */
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
  /** The partner's driver and contract, if the token belongs to a partner. */
  readonly roaming?: SessionRoaming | undefined
}
