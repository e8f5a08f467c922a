/** A fact with its charger and site, and the building blocks for the facts in the cases of events. */
import type { PlacedFact } from "../../src/domain/event/FactLocation.ts"

export const at = Date.UTC(2026, 4, 20, 12)
export const iso = "2026-05-20T12:00:00.000Z"

export const fact = (type: string, body: unknown, more: Partial<PlacedFact> = {}): PlacedFact => ({
  position: 41,
  type,
  subject: "charger:CP-1",
  at,
  body,
  chargerId: "CP-1",
  siteId: "site-1",
  ...more
})

export const charger = { chargerId: "CP-1", siteId: "site-1" }
export const session = { sessionId: "s1", ...charger }

export const start = {
  sessionId: "s1",
  evseId: 1,
  connectorId: 1,
  transactionId: 77,
  tokenUid: "CARD",
  meterStartWh: 1000,
  authorization: { status: "Accepted", source: "LocalToken", decidedAt: at },
  supersedes: []
}

export const started = {
  type: "session.started",
  subject: "session:s1",
  data: {
    ...session,
    evseId: 1,
    connectorId: 1,
    transactionId: "77",
    tokenUid: "CARD",
    authorization: "Accepted",
    startedAt: iso,
    meterStartWh: 1000
  }
}

export const unread = { meterWh: null, readAt: null, powerW: null, cost: null }

export const workCounts = {
  heldSessions: 1,
  corrections: 0,
  parkedDeliveries: 2,
  tokenConflicts: 0,
  unknownChargers: 3,
  configurationDrifts: 4
}

/** The fields of a charger that an operator sets. */
export const aCharger = {
  chargerId: "CP-1",
  siteId: "site-0",
  name: "Left",
  securityProfile: 1,
  registration: "Accepted",
  hasPassword: true,
  equipment: []
}
export const whole = { ...charger, name: "Left" }

export const superseded = { energyWh: null, meterStopWh: null, stopReason: "Superseded", heldReason: "StopMissing" }

/** A description, the fact, and its events without times and ids. */
export type Case = readonly [string, PlacedFact, ReadonlyArray<object>]
