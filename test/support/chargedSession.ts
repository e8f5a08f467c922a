/** A session of one hour with 10 kWh, for tests of its price. */
import type { ChargingSession } from "../../src/domain/session/ChargingSession.ts"

export const start = Date.UTC(2026, 4, 20, 10)
export const minute = 60_000

export const chargedSession = (more: Partial<ChargingSession> = {}): ChargingSession => ({
  id: "01990000-0000-7000-8000-000000000001",
  organisationId: "01990000-0000-7000-8000-000000000002",
  chargerId: "CP-1",
  siteId: "01990000-0000-7000-8000-000000000003",
  evseId: 1,
  connectorId: 1,
  transactionId: "7",
  ocppVersion: "1.6",
  tokenUid: "CARD",
  status: "COMPLETED",
  authorization: {
    status: "Accepted",
    source: "LocalToken",
    decidedAt: start,
    expiresAt: undefined,
    parentUid: undefined
  },
  startedAt: start,
  endedAt: start + 60 * minute,
  meterStartWh: 1000,
  meterStopWh: 11_000,
  energyWh: 10_000,
  stopReason: "Local",
  heldReason: undefined,
  createdAt: start,
  updatedAt: start,
  ...more
})
