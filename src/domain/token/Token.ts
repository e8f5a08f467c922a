/** A driver's token (card, tag): what an operator registers and what a charger reads. Uids compare case-insensitively (OCPP CiString). */
import type { Grant } from "../roaming/TokenGrant.ts"
import type { AuthorizationSource } from "./Authorization.ts"
import type { ReservationFacts } from "../reservation/Reservation.ts"
import type { PartnerAnswer, RoamingCard } from "./RealTime.ts"

export const tokenStatuses = ["Accepted", "Blocked", "Expired"] as const
export type TokenStatus = (typeof tokenStatuses)[number]

/** OCPI's TokenType; the organisation's own tokens are RFID by default. */
export const tokenTypes = ["RFID", "AD_HOC_USER", "APP_USER", "OTHER"] as const
export type TokenType = (typeof tokenTypes)[number]

export interface Token {
  readonly uid: string
  readonly organisationId: string
  readonly type: TokenType
  readonly status: TokenStatus
  readonly parentUid: string | undefined
  readonly expiresAt: number | undefined
  /** Free text, for example the number that is printed on the card. */
  readonly visualNumber: string | undefined
  readonly note: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** How a uid is compared and stored as a key. */
export const tokenKey = (uid: string): string => uid.toLowerCase()

/** All data that the authorisation of a token at a charger needs, read at once. */
export interface TokenFacts {
  /** The organisation's own token. */
  readonly token: Token | undefined
  /** Reservations at the charger, of any driver, that may be in force at the requested time. */
  readonly reservations: ReadonlyArray<ReservationFacts>
  /** Registered partners' tokens with this uid. */
  readonly roaming: ReadonlyArray<RoamingCard>
  /** Partners that are asked about unknown tokens. */
  readonly askable?: ReadonlyArray<string>
  /** The answers of the partners that were asked; undefined before that. */
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer> | undefined
  /** Grants that partners made for this token at this charger, the newest first. */
  readonly granted?: ReadonlyArray<Grant>
  /** Open sessions of this token anywhere in the organisation: (charger, EVSE), for ConcurrentTx. */
  readonly openSessions: ReadonlyArray<{
    readonly chargerId: string
    readonly evseId: number
    readonly sessionId: string
    /** ms epoch. */
    readonly startedAt: number
    /** Who authorised its start. */
    readonly source: AuthorizationSource
  }>
}
