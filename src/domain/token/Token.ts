/** A driver's token (card, tag): what an operator registers and what a charger reads. Uids compare case-insensitively (OCPP CiString). */
import type { Grant } from "../roaming/TokenGrant.ts"
import type { AuthorizationSource } from "./Authorization.ts"
import type { ReservationFacts } from "../reservation/Reservation.ts"
import type { PartnerAnswer, RoamingCard } from "./RealTime.ts"

export const tokenStatuses = ["Accepted", "Blocked", "Expired"] as const
export type TokenStatus = (typeof tokenStatuses)[number]

/** OCPI's TokenType; cards of one's own are RFID unless said otherwise. */
export const tokenTypes = ["RFID", "AD_HOC_USER", "APP_USER", "OTHER"] as const
export type TokenType = (typeof tokenTypes)[number]

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

/** What the authorisation of a token at a charger needs to know, read in one go. */
export interface TokenFacts {
  /** A card of the organisation's own. */
  readonly token: Token | undefined
  /** Reservations of the charger, of any driver, that may be in force at the time that was asked about. */
  readonly reservations: ReadonlyArray<ReservationFacts>
  /** Cards of this uid that registered partners have. */
  readonly roaming: ReadonlyArray<RoamingCard>
  /** Partners that are asked about unknown cards. */
  readonly askable?: ReadonlyArray<string>
  /** What those who were asked have said; undefined until they were. */
  readonly partnerAnswers?: ReadonlyArray<PartnerAnswer> | undefined
  /** What partners have said just now of this card at this charger. */
  readonly granted?: ReadonlyArray<Grant>
  /** Open sessions that this token was let begin anywhere in the organisation: (charger, evse), for ConcurrentTx. */
  readonly openSessions: ReadonlyArray<{
    readonly chargerId: string
    readonly evseId: number
    readonly sessionId: string
    /** ms epoch. */
    readonly startedAt: number
    /** Who let it begin. */
    readonly source: AuthorizationSource
  }>
}
