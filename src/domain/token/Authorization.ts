/** The decision about a driver's token: its verdict in OCPP's words, where it came from and when it was made. Kept with the session. */

/** OCPP 1.6 §7.2 AuthorizationStatus. */
export type AuthorizationStatus = "Accepted" | "Blocked" | "Expired" | "Invalid" | "ConcurrentTx"

/** Who decided: a token of the organisation's own, its rule for unknown ones, and later a reservation or a roaming partner. */
export type AuthorizationSource = "LocalToken" | "UnknownTokenRule" | "Reservation" | "RoamingToken" | "None"

export interface Authorization {
  readonly status: AuthorizationStatus
  readonly source: AuthorizationSource
  /** ms epoch of the decision. */
  readonly decidedAt: number
  readonly expiresAt: number | undefined
  readonly parentUid: string | undefined
}
