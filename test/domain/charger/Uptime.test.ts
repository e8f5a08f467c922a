import { describe, expect, it } from "vitest"
import type { ConnectorStatus } from "../../../src/domain/site/Connector.ts"
import { type AvailabilityHistory, type StatusPoint, uptimeOf } from "../../../src/domain/charger/Uptime.ts"
import { spanOf } from "../../../src/domain/values/Month.ts"

const hour = 3_600_000
const minute = 60_000
const start = Date.UTC(2026, 10, 1)
const november = spanOf("2026-11", "UTC")
const long = november.to + 30 * 24 * hour

const status = (at: number, value: ConnectorStatus, heardAt = start + at, tie = 0n): StatusPoint => ({
  at: start + at,
  heardAt,
  tie,
  status: value
})
const connection = (from: number, to?: number) => ({
  connectedAt: start + from,
  disconnectedAt: to === undefined ? undefined : start + to
})
const order = (at: number, operative: boolean) => ({ at: start + at, operative })

/** Connected and Available since before the month, unless overridden. */
const history = (parts: Partial<AvailabilityHistory> = {}): AvailabilityHistory => ({
  connector: [status(-hour, "Available")],
  whole: [],
  connections: [connection(-hour)],
  orders: [],
  ...parts
})

/** Hours of each part, leaving out those that are zero. */
const hours = (parts: Partial<AvailabilityHistory>, now = long, span = november) => {
  const { downSeconds: _, uptimePercent: __, ...seconds } = uptimeOf(history(parts), span, now)
  return Object.fromEntries(
    Object.entries(seconds)
      .filter(([, value]) => value !== 0)
      .map(([name, value]) => [name.replace("Seconds", ""), value / 3600])
  )
}

describe("uptime", () => {
  it("is the whole month for a connector that was always usable", () => {
    expect(uptimeOf(history(), november, long)).toEqual({
      totalSeconds: 720 * 3600,
      upSeconds: 720 * 3600,
      downSeconds: 0,
      excludedSeconds: 0,
      offlineSeconds: 0,
      faultedSeconds: 0,
      unavailableSeconds: 0,
      uptimePercent: 100
    })
  })

  it("counts every status except Faulted and Unavailable as up", () => {
    const statuses = ["Preparing", "Charging", "SuspendedEV", "SuspendedEVSE", "Finishing", "Reserved"] as const
    expect(hours({ connector: statuses.map((value, n) => status(n * hour - 1, value)) })).toEqual({
      total: 720,
      up: 720
    })
    const connector = [
      status(-1, "Available"),
      status(0, "Faulted"),
      status(hour, "Unavailable"),
      status(4 * hour, "Available")
    ]
    expect(hours({ connector })).toEqual({ total: 720, up: 716, faulted: 1, unavailable: 3 })
  })

  it("applies the charger's overall status to every connector", () => {
    const whole = [status(hour, "Unavailable"), status(3 * hour, "Faulted"), status(4 * hour, "Available")]
    expect(hours({ whole })).toEqual({ total: 720, up: 717, unavailable: 2, faulted: 1 })
    // Its own fault coincides with the charger's unavailability, and counts as a fault.
    const connector = [status(-1, "Available"), status(2 * hour, "Faulted"), status(3 * hour, "Available")]
    expect(hours({ connector, whole })).toEqual({ total: 720, up: 717, unavailable: 1, faulted: 2 })
  })

  it("counts time without a connection as offline, whatever status was reported before", () => {
    const connections = [connection(-hour, 10 * hour), connection(12 * hour)]
    expect(hours({ connections })).toEqual({ total: 720, up: 718, offline: 2 })
    const connector = [status(-1, "Available"), status(11 * hour, "Faulted"), status(13 * hour, "Available")]
    expect(hours({ connections, connector })).toEqual({ total: 720, up: 717, offline: 2, faulted: 1 })
  })

  it("ignores a gap of up to five minutes, but not a longer one", () => {
    const gap = (length: number) => hours({ connections: [connection(-hour, hour), connection(hour + length)] })
    expect(gap(5 * minute)).toEqual({ total: 720, up: 720 })
    expect(gap(5 * minute + 1000)["offline"]).toBeCloseTo(301 / 3600, 9)
    // Many short gaps, one after the other, are all ignored.
    const many = Array.from({ length: 100 }, (_, n) => connection(n * 10 * minute - 1, n * 10 * minute + 6 * minute))
    expect(hours({ connections: [...many, connection(1000 * minute)] })).toEqual({ total: 720, up: 720 })
  })

  it("judges a gap across the start or end of the month by its whole length", () => {
    const over = (from: number, to: number) => hours({ connections: [connection(-10 * hour, from), connection(to)] })
    expect(over(-minute, 3 * minute)).toEqual({ total: 720, up: 720 })
    expect(over(-minute, hour)).toEqual({ total: 720, up: 719, offline: 1 })
    const end = 720 * hour
    expect(over(end - minute, end + minute)).toEqual({ total: 720, up: 720 })
    expect(over(end - 60 * minute, end + hour)).toEqual({ total: 720, up: 719, offline: 1 })
    // A charger that never came back: the gap lasts until now.
    expect(hours({ connections: [connection(-hour, end - minute)] })["offline"]).toBeCloseTo(1 / 60, 9)
  })

  it("ends now for the current month, and ignores a gap that has just begun", () => {
    const now = start + 100 * hour
    expect(hours({}, now)).toEqual({ total: 100, up: 100 })
    expect(hours({ connections: [connection(-hour, 100 * hour - 4 * minute)] }, now)).toEqual({ total: 100, up: 100 })
    expect(hours({ connections: [connection(-hour, 99 * hour)] }, now)).toEqual({ total: 100, up: 99, offline: 1 })
    expect(uptimeOf(history(), november, start - 1).totalSeconds).toBe(0)
    expect(uptimeOf(history(), november, start - 1).uptimePercent).toBeNull()
  })

  it("begins with the first known status and connection", () => {
    expect(hours({ connector: [status(20 * hour, "Available")] })).toEqual({ total: 700, up: 700 })
    expect(hours({ connections: [connection(30 * hour)] })).toEqual({ total: 690, up: 690 })
    expect(hours({ connector: [] })).toEqual({})
    expect(hours({ connections: [] })).toEqual({})
    // The whole charger's status is not a report of the connector.
    expect(hours({ connector: [status(20 * hour, "Available")], whole: [status(0, "Faulted")] })).toEqual({
      total: 700,
      faulted: 700
    })
  })

  it("excludes downtime while an operator's order is in force, and nothing else", () => {
    const connector = [
      status(-1, "Charging"),
      status(3 * hour, "Unavailable"),
      status(8 * hour, "Available"),
      status(20 * hour, "Faulted"),
      status(21 * hour, "Available")
    ]
    // Ordered at hour 2: the session in progress continues, and counts as up.
    const orders = [order(2 * hour, false), order(7 * hour, true)]
    expect(hours({ connector, orders })).toEqual({ total: 720, up: 714, excluded: 4, unavailable: 1, faulted: 1 })
    const { uptimePercent } = uptimeOf(history({ connector, orders }), november, long)
    expect(uptimePercent).toBe(99.722)
    // An order from before the month is still in force in it.
    const before = {
      connector: [status(-1, "Unavailable")],
      orders: [order(-50 * hour, true), order(-40 * hour, false)]
    }
    expect(hours(before)).toEqual({ total: 720, excluded: 720 })
    expect(uptimeOf(history(before), november, long).uptimePercent).toBe(100)
  })

  it("excludes time offline while the charger was ordered out of service", () => {
    const connections = [connection(-hour, 10 * hour), connection(12 * hour)]
    expect(hours({ connections, orders: [order(9 * hour, false), order(11 * hour, true)] })).toEqual({
      total: 720,
      up: 718,
      excluded: 1,
      offline: 1
    })
  })

  it("uses the last of statuses with equal times: the one received later, then the one with the greater tie", () => {
    const faulted = (heardAt: number, tie: bigint) => status(0, "Faulted", heardAt, tie)
    const available = (heardAt: number, tie: bigint) => status(0, "Available", heardAt, tie)
    expect(hours({ connector: [faulted(2, 0n), available(1, 9n)] })).toEqual({ total: 720, faulted: 720 })
    expect(hours({ connector: [faulted(2, 0n), available(2, 9n)] })).toEqual({ total: 720, up: 720 })
    expect(hours({ connector: [available(2, -9n), faulted(2, 0n)] })).toEqual({ total: 720, faulted: 720 })
  })

  it("uses the lengths of local months, including summer time", () => {
    const berlin = spanOf("2026-10", "Europe/Berlin")
    const at = (ms: number): StatusPoint => ({ at: ms, heardAt: ms, tie: 0n, status: "Available" })
    const always = {
      connector: [at(0)],
      whole: [],
      connections: [{ connectedAt: 0, disconnectedAt: undefined }],
      orders: []
    }
    expect(uptimeOf(always, berlin, long).totalSeconds).toBe(745 * 3600)
  })

  it("is never 100 percent if there was downtime, and is 0 if there was only downtime", () => {
    const second = [status(-1, "Available"), status(0, "Faulted"), status(1000, "Available")]
    expect(uptimeOf(history({ connector: second }), november, long).uptimePercent).toBe(99.999)
    expect(uptimeOf(history({ connector: [status(-1, "Faulted")] }), november, long).uptimePercent).toBe(0)
  })
})
