/** A driver's token (card, tag): what an operator registers and what a charger reads. Uids compare case-insensitively (OCPP CiString). */

export type TokenStatus = "Accepted" | "Blocked" | "Expired"

/** OCPI's TokenType; cards of one's own are RFID unless said otherwise. */
export type TokenType = "RFID" | "AD_HOC_USER" | "APP_USER" | "OTHER"

export interface Token {
  readonly uid: string
  readonly organisationId: string
  readonly type: TokenType
  readonly status: TokenStatus
  readonly parentUid: string | undefined
  readonly expiresAt: number | undefined
  /** Free text for people, e.g. the number printed on the card. */
  readonly visualNumber: string | undefined
  readonly note: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** How a uid is compared and stored as a key. */
export const tokenKey = (uid: string): string => uid.toLowerCase()

/** What the authorisation of a token needs to know, read in one go. */
export interface TokenFacts {
  readonly token: Token | undefined
  /** Open sessions that this token has anywhere in the organisation: (charger, evse), for ConcurrentTx. */
  readonly openSessions: ReadonlyArray<{
    readonly chargerId: string
    readonly evseId: number
    readonly sessionId: string
  }>
}
