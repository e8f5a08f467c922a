/** Sessions and readings in a `FakeWorld`, as the journal would have left them. */
import type { ChargingSession } from "../../src/domain/session/ChargingSession.ts"
import type { FakeWorld } from "./fakeRecords.ts"

export const sessionStart = Date.UTC(2026, 4, 20, 8)

/** A session, running unless given otherwise; returns its id. */
export const aFakeSession = (
  world: FakeWorld,
  session: Pick<ChargingSession, "organisationId" | "chargerId" | "siteId"> & Partial<ChargingSession>
): string => {
  const id = world.uuid()
  world.sessions.set(id, {
    id,
    evseId: 1,
    connectorId: 1,
    transactionId: "1234567890",
    ocppVersion: "1.6",
    tokenUid: "CARD",
    status: "ACTIVE",
    authorization: {
      status: "Accepted",
      source: "LocalToken",
      decidedAt: sessionStart,
      expiresAt: undefined,
      parentUid: undefined
    },
    startedAt: sessionStart,
    endedAt: undefined,
    meterStartWh: 1000,
    meterStopWh: undefined,
    energyWh: 0,
    stopReason: undefined,
    heldReason: undefined,
    createdAt: sessionStart,
    updatedAt: sessionStart,
    ...session
  })
  return id
}

/** `count` readings of a session, a minute apart. */
export const readingsOf = (world: FakeWorld, sessionId: string, count: number): void => {
  world.readings.set(
    sessionId,
    Array.from({ length: count }, (_, n) => ({
      at: sessionStart + n * 60_000,
      heardAt: sessionStart + n * 60_000 + 500,
      energyWh: 1000 + n,
      samples: [
        {
          value: String(1000 + n),
          measurand: "Energy.Active.Import.Register",
          context: "Sample.Periodic",
          format: "Raw",
          location: "Outlet",
          unit: "Wh"
        }
      ]
    }))
  )
}
