/** One card at one charger, and what may be known of it: the common fixtures of the authorisation tests. */
import type { ChargerPolicy } from "../../../src/domain/charger/ChargerState.ts"
import type { ReservationFacts } from "../../../src/domain/reservation/Reservation.ts"
import type { AuthorizationContext } from "../../../src/domain/decide/Authorize.ts"
import type { RoamingCard } from "../../../src/domain/token/RealTime.ts"
import { minute } from "../../support/events.ts"

export const policy: ChargerPolicy = {
  unknownTokens: "Refuse",
  concurrentTransactions: "Refuse",
  heartbeatIntervalSeconds: 300
}
export const now = minute(0)
export const asking: AuthorizationContext = { _tag: "Asking", tokenUid: "ANNA", chargerId: "CP-1" }
export const start = {
  _tag: "Starting",
  tokenUid: "Anna",
  chargerId: "CP-1",
  evseId: 1,
  reservationId: undefined
} as const
export const starting: AuthorizationContext = { ...start, at: now }
/** It was made offline and arrives an hour later. */
export const late: AuthorizationContext = { ...start, at: minute(-60) }
export const startedAt = minute(-90)
export const elsewhere = { chargerId: "CP-2", evseId: 1, sessionId: "s", startedAt, source: "Reservation" as const }
export const nextDoor = { chargerId: "CP-1", evseId: 2, sessionId: "s", startedAt, source: "Reservation" as const }
export const here = { chargerId: "CP-1", evseId: 1, sessionId: "s", startedAt, source: "Reservation" as const }

export const reserved = (more: Partial<ReservationFacts> = {}): ReservationFacts => ({
  commandId: "01900000-0000-7000-8000-000000000001",
  reservationId: 7,
  evseId: 1,
  tokenUid: "anna",
  parentUid: undefined,
  expiresAt: minute(30),
  status: "Active",
  sessionId: undefined,
  createdAt: minute(-30),
  ...more
})
export const card = (valid: boolean, partnerId = "NL-MSP", more: Partial<RoamingCard> = {}): RoamingCard => ({
  partnerId,
  countryCode: "NL",
  partyId: "MSP",
  uid: "Anna",
  type: "RFID",
  contractId: `${partnerId}-7`,
  valid,
  groupUid: undefined,
  whitelist: "ALLOWED",
  ...more
})
