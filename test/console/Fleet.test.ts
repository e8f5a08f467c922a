/** The live store: in whatever order a snapshot and events arrive, the latest state wins and nothing outdated is shown. */
import { describe, expect, it } from "vitest"
import type { Charger, LiveEvent, Session } from "../../console/src/api/types.ts"
import {
  apply,
  emptyFleet,
  type Fleet,
  numberOf,
  place as addRunning,
  rowOf,
  stateOf
} from "../../console/src/live/fleet.ts"
import { randomFrom } from "../../demo/Town.ts"

const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 12, 0, second)).toISOString()

const charger = (chargerId: string, isConnected: boolean, statuses: ReadonlyArray<string>): Charger =>
  ({
    chargerId,
    name: `Charger ${chargerId}`,
    siteId: "s1",
    manufacturer: "Maker",
    chargerModel: "Model",
    firmwareVersion: "1",
    activeConnection: isConnected,
    lastSeen: at(0),
    offlineSince: null,
    status: null,
    evses: statuses.map((status, index) => ({
      evseId: index + 1,
      connectors: [
        {
          connectorId: 1,
          status,
          errorCode: "NoError",
          info: null,
          statusAt: at(0),
          standard: "IEC_62196_T2",
          maxPowerW: 11_000
        }
      ]
    }))
  }) as unknown as Charger

const read = (...chargers: ReadonlyArray<Charger>): Fleet => {
  const fleet = emptyFleet()
  for (const one of chargers) fleet.rows.set(one.chargerId, rowOf(one, "Harbour", undefined))
  return fleet
}

const event = (type: LiveEvent["type"], second: number, data: object): LiveEvent =>
  ({ id: `${second}`, type, at: at(second), subject: "", data }) as LiveEvent

const place = { evseId: 1, connectorId: 1 }

const status = (second: number, chargerId: string, evseId: number, to: string, errorCode: string | null = null) =>
  event("connector.status", second, {
    chargerId,
    siteId: "s1",
    evseId,
    connectorId: 1,
    status: to,
    errorCode,
    info: null
  })

describe("the overall state of a charger", () => {
  it.each([
    ["a fault rather than a charge", true, ["Charging", "Faulted"], "Faulted"],
    ["that of its busiest connector", true, ["Available", "SuspendedEV", "Charging"], "Charging"],
    ["unavailable if no connector is known", true, [], "Unavailable"],
    ["offline if it is not connected, whatever it reported before", false, ["Charging"], "Offline"]
  ] as const)("is %s", (_, isConnected, statuses, word) => {
    const row = rowOf(charger("A", isConnected, statuses), "", undefined)
    expect(row.state).toBe(word)
  })

  it("is never connected until its first connection", () => {
    const never = { connected: false, everConnected: false, whole: undefined, connectors: [] }
    expect(stateOf(never)).toBe("NeverConnected")
  })
})

it("follows a session from its start through its readings to its end", () => {
  const fleet = read(charger("A", true, ["Preparing", "Available"]))
  const session = { sessionId: "x", chargerId: "A", siteId: "s1" }
  apply(fleet, event("session.started", 0, { ...session, evseId: 1, connectorId: 1, meterStartWh: 1000 }))
  apply(
    fleet,
    event("session.updated", 60, {
      ...session,
      ...place,
      reason: "MeterRead",
      meterWh: 1100,
      readAt: at(60),
      powerW: 6000
    })
  )
  const [first, second] = fleet.rows.get("A")!.connectors
  expect([first?.sessionId, first?.energyWh, first?.powerW]).toEqual(["x", 100, 6000])
  expect(second?.sessionId).toBe(undefined)
  expect(fleet.rows.get("A")?.powerW).toBe(6000)
  apply(fleet, event("session.ended", 90, { ...session, endedAt: at(90) }))
  expect(fleet.rows.get("A")?.powerW).toBe(undefined)
  expect(fleet.rows.get("A")?.connectors[0]?.sessionId).toBe(undefined)
})

it("asks for a charger if it or its connector is unknown, or if it has booted", () => {
  const fleet = read(charger("A", true, ["Available"]))
  expect(apply(fleet, status(1, "B", 1, "Available"))).toBe("B")
  expect(apply(fleet, status(1, "A", 2, "Available"))).toBe("A")
  expect(apply(fleet, event("charger.booted", 2, { chargerId: "A" }))).toBe("A")
  expect(apply(fleet, status(3, "A", 1, "Charging"))).toBe(undefined)
})

it("ignores an older reading that arrives late", () => {
  const fleet = read(charger("A", true, ["Charging"]))
  const session = { sessionId: "x", chargerId: "A", siteId: "s1" }
  apply(fleet, event("session.started", 0, { ...session, evseId: 1, connectorId: 1, meterStartWh: 0 }))
  const reading = (second: number, meterWh: number) =>
    apply(
      fleet,
      event("session.updated", 100, {
        ...session,
        ...place,
        reason: "MeterRead",
        meterWh,
        readAt: at(second),
        powerW: null
      })
    )
  reading(60, 100)
  reading(30, 50)
  expect(fleet.rows.get("A")?.energyWh).toBe(100)
})

it("keeps a connector free if a reading of its session comes after the end", () => {
  const fleet = read(charger("A", true, ["Charging"]))
  const session = { sessionId: "x", chargerId: "A", siteId: "s1" }
  const reading = (second: number) =>
    event("session.updated", second, {
      ...session,
      ...place,
      reason: "MeterRead",
      meterWh: second,
      readAt: at(second),
      powerW: null
    })
  apply(fleet, event("session.started", 0, { ...session, ...place, meterStartWh: 0 }))
  apply(fleet, reading(10))
  apply(fleet, event("session.ended", 30, { ...session, endedAt: at(30) }))
  // A charger sends what it queued while it was offline.
  apply(fleet, reading(20))
  const [connector] = fleet.rows.get("A")!.connectors
  expect([connector?.sessionId, connector?.energyWh, connector?.powerW]).toEqual([undefined, undefined, undefined])
})

it("ends with the same sessions wherever the snapshot falls among their events (seeds 1 to 200)", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomFrom(seed)
    const started = new Map<string, string>()
    const running: Array<Map<string, string>> = [new Map()]
    const events: Array<LiveEvent> = []
    // One connector of each of two chargers, at which sessions follow one another; readings also come after the end.
    for (let second = 1; second <= 40; second++) {
      const chargerId = random() < 0.5 ? "A" : "B"
      const now = new Map(running.at(-1))
      const own = { chargerId, siteId: "s1" }
      const current = now.get(chargerId)
      const last = started.get(chargerId)
      if (last !== undefined && random() < 0.4) {
        const data = { ...own, ...place, sessionId: last, reason: "MeterRead", meterWh: second, readAt: at(second) }
        events.push(event("session.updated", second, { ...data, powerW: null }))
      } else if (current === undefined) {
        const sessionId = `${chargerId}${second}`
        started.set(chargerId, sessionId)
        now.set(chargerId, sessionId)
        events.push(event("session.started", second, { ...own, ...place, sessionId, meterStartWh: 0 }))
      } else {
        now.delete(chargerId)
        events.push(event("session.ended", second, { ...own, sessionId: current, endedAt: at(second) }))
      }
      running.push(now)
    }
    // What the service would answer after the first `until` events.
    const truth = (until: number) => {
      const fleet = read(charger("A", true, ["Available"]), charger("B", true, ["Available"]))
      for (const [chargerId, id] of running[until]!) {
        const registers = { meterStartWh: 0, energyWh: 0, updatedAt: at(until) }
        addRunning(fleet, { id, chargerId, ...place, ...registers, status: "ACTIVE" } as Session)
      }
      return fleet
    }
    const shown = (fleet: Fleet) => [...fleet.rows.values()].map(({ connectors, id }) => [id, connectors[0]?.sessionId])
    const snapshotAt = Math.floor(random() * events.length)
    const streamAt = Math.floor(random() * (snapshotAt + 1))
    const fleet = truth(snapshotAt)
    for (const one of events.slice(streamAt)) apply(fleet, one)
    expect(shown(fleet), `seed ${seed}`).toEqual(shown(truth(events.length)))
  }
})

it("ends in the same state wherever the snapshot falls among the events (seeds 1 to 60)", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomFrom(seed)
    const pick = <A>(of: ReadonlyArray<A>): A => of[Math.floor(random() * of.length)]!
    const connectorStatuses = ["Available", "Preparing", "Charging", "Faulted", "Unavailable", "SuspendedEV"]
    const events = Array.from({ length: 40 }, (_, index) =>
      random() < 0.2
        ? event(pick(["charger.connected", "charger.disconnected"] as const), index + 1, {
            chargerId: pick(["A", "B"])
          })
        : status(index + 1, pick(["A", "B"]), 1 + Math.floor(random() * 2), pick(connectorStatuses))
    )
    // What the service would answer after the first `until` events.
    const truth = (until: number) => {
      const states = new Map(["A", "B"].map((id) => [id, { isConnected: true, statuses: ["Available", "Available"] }]))
      for (const { data, type } of events.slice(0, until)) {
        const one = states.get((data as { readonly chargerId: string }).chargerId)!
        if (type === "charger.connected") one.isConnected = true
        else if (type === "charger.disconnected") one.isConnected = false
        else {
          const place = data as { readonly evseId: number; readonly status: string }
          one.statuses = one.statuses.map((old, index) => (index + 1 === place.evseId ? place.status : old))
        }
      }
      return read(...[...states].map(([id, { isConnected, statuses }]) => charger(id, isConnected, statuses)))
    }
    const shown = (fleet: Fleet) =>
      [...fleet.rows.values()].map(({ connectors, id, state }) => [id, state, connectors.map((one) => one.status)])
    const end = shown(truth(events.length))
    // The stream opens before the snapshot is read: some events are in both, and are applied again after it.
    const snapshotAt = Math.floor(random() * events.length)
    const streamAt = Math.floor(random() * (snapshotAt + 1))
    const fleet = truth(snapshotAt)
    for (const one of events.slice(streamAt)) apply(fleet, one)
    expect(shown(fleet), `seed ${seed}`).toEqual(end)
  }
})

it("numbers connectors by their EVSE, and within it only if it has several", () => {
  const one = (evseId: number, connectorId: number) => ({ evseId, connectorId })
  expect(numberOf(one(2, 1), [one(1, 1), one(2, 1)])).toBe("2")
  expect(numberOf(one(1, 2), [one(1, 1), one(1, 2)])).toBe("1.2")
})
