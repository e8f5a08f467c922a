/** A charger as one row: its overall state, and what counts as connected. */
import { describe, expect, it } from "vitest"
import {
  chargerRowOf,
  type ChargerSummary,
  fleetOf,
  type OverallState,
  overallStateOf
} from "../../../src/domain/charger/ChargerRow.ts"
import { type ConnectorStatus, connectorStatuses } from "../../../src/domain/site/Connector.ts"

const online = (...statuses: ReadonlyArray<ConnectorStatus>) =>
  overallStateOf({ connected: true, everConnected: true, statuses })

describe("the overall state of a charger", () => {
  it("is Faulted or Unavailable when any connector is, whatever the others report", () => {
    expect(online("Charging", "Faulted", "Unavailable")).toBe("Faulted")
    expect(online("Charging", "Unavailable")).toBe("Unavailable")
    expect(online("Unavailable", "Available")).toBe("Unavailable")
  })

  it("is otherwise the status of its busiest connector", () => {
    const busiest: ReadonlyArray<ConnectorStatus> = [
      "Charging",
      "SuspendedEVSE",
      "SuspendedEV",
      "Finishing",
      "Preparing",
      "Reserved",
      "Available"
    ]
    for (const [n, status] of busiest.entries()) {
      expect([status, online(...busiest.slice(n).toReversed())]).toEqual([status, status])
    }
  })

  it("is Offline without a connection, whatever it reported before, and NeverConnected before the first", () => {
    const gone = { connected: false, statuses: connectorStatuses }
    expect(overallStateOf({ ...gone, everConnected: true })).toBe("Offline")
    expect(overallStateOf({ ...gone, everConnected: false })).toBe("NeverConnected")
  })

  it("is Unavailable while it is connected but has reported nothing", () => {
    expect(online()).toBe("Unavailable")
  })
})

const now = Date.UTC(2026, 4, 20, 12)
const minute = 60_000

const connector = (evseId: number, status: ConnectorStatus) => ({
  evseId,
  connectorId: 1,
  status,
  errorCode: undefined,
  info: undefined,
  statusAt: now
})

const session = (evseId: number, powerW: number | undefined, powerAt: number | undefined) => ({
  sessionId: `S${evseId}`,
  evseId,
  connectorId: 1,
  powerW,
  powerAt
})

const summary: ChargerSummary = {
  chargerId: "CP-1",
  name: "Left",
  siteId: "site",
  siteName: "Harbour",
  manufacturer: "Maker",
  model: "M1",
  firmwareVersion: "1.0",
  ocppVersion: "1.6",
  lastSeen: now,
  epoch: 1,
  connected: true,
  wholeStatus: "Available",
  connectors: [connector(1, "Charging"), connector(2, "Available"), connector(3, "Charging")],
  sessions: [session(1, 11_000, now - 14 * minute), session(3, 7000, now - 15 * minute), session(9, 500, now)]
}

const known = { connected: true, everConnected: true, lastSeen: now }

describe("the row of a charger", () => {
  it("has the power of each session whose reading is recent enough", () => {
    const row = chargerRowOf(summary, known, now)
    expect(row.connectors.map(({ powerW, sessionId }) => [sessionId, powerW])).toEqual([
      ["S1", 11_000],
      [undefined, undefined],
      ["S3", undefined]
    ])
    // The session of a connector that the charger has not reported counts too.
    expect([row.state, row.powerW, row.activeSessions]).toEqual(["Charging", 11_500, 3])
  })

  it("has no power while the charger is offline, but keeps its sessions and last statuses", () => {
    const row = chargerRowOf(summary, { ...known, connected: false }, now)
    expect([row.state, row.connected, row.powerW, row.activeSessions]).toEqual(["Offline", false, 0, 3])
    expect(row.connectors[0]).toMatchObject({ status: "Charging", sessionId: "S1", powerW: undefined })
  })

  it("has the fault that the charger reports for itself as a whole", () => {
    expect(chargerRowOf({ ...summary, wholeStatus: "Faulted" }, known, now).state).toBe("Faulted")
    expect(chargerRowOf({ ...summary, wholeStatus: undefined }, known, now).state).toBe("Charging")
  })
})

it("is counted in the fleet's totals: by state, in need of attention, and connected", () => {
  const byState: Partial<Record<OverallState, number>> = { Faulted: 1, Charging: 20, Offline: 3, NeverConnected: 4 }
  const counts = fleetOf({ byState, powerW: 5 })
  expect(counts).toMatchObject({ total: 28, needAttention: 4, connected: 21, powerW: 5 })
  expect(counts.byState).toMatchObject({ ...byState, Available: 0, SuspendedEV: 0 })
})
