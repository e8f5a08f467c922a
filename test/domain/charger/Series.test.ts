/** Time series calculated from sessions' energy and times. */
import { expect, it } from "vitest"
import {
  addAvailability,
  availabilityOf,
  figuresOf,
  noAvailability,
  seriesOf,
  type SessionWindow
} from "../../../src/domain/charger/Series.ts"
import type { AvailabilityHistory, StatusPoint } from "../../../src/domain/charger/Uptime.ts"
import { randomFrom } from "../../../demo/Town.ts"

const hour = 3_600_000
const range = (hours: number, stepMillis = hour) => ({ from: 0, to: hours * hour, stepMillis })
const session = (start: number, end: number | undefined, energyWh: number): SessionWindow => ({
  startedAt: start * hour,
  endedAt: end === undefined ? undefined : end * hour,
  energyWh
})
const values = (...asked: Parameters<typeof seriesOf>) => seriesOf(...asked).map(({ value }) => value)
const afterRange = 1_000 * hour

it("spreads a session's energy evenly over its duration", () => {
  expect(values("energy", range(4), [session(0.5, 2.5, 4_000)], afterRange)).toEqual([1_000, 2_000, 1_000, 0])
})

it("counts only the part of a session within the range", () => {
  expect(values("energy", range(2), [session(-1, 3, 4_000)], afterRange)).toEqual([1_000, 1_000])
})

it("gives the average power of each step", () => {
  expect(values("power", range(1, hour / 2), [session(0, 1, 10_000), session(0.5, 1, 2_000)], afterRange)).toEqual([
    10_000, 14_000
  ])
})

it("counts a session only in the step in which it started", () => {
  expect(values("sessions", range(3), [session(-1, 2, 0), session(0, 3, 1), session(1.5, 1.6, 1)], afterRange)).toEqual(
    [1, 1, 0]
  )
})

it("counts a running session until now, and has no points in the future", () => {
  const now = 1.5 * hour
  expect(seriesOf("power", range(3), [session(0, undefined, 3_000)], now)).toEqual([
    { at: 0, value: 2_000 },
    { at: hour, value: 2_000 }
  ])
})

it("puts all energy of a session without a duration into one step", () => {
  expect(values("energy", range(2), [session(1, 1, 500)], afterRange)).toEqual([0, 500])
})

it("neither loses nor doubles energy in random sessions (seeds 1 to 50)", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomFrom(seed)
    const windows = Array.from({ length: 30 }, () => {
      const start = random() * 20
      return session(start, start + random() * 4, Math.round(random() * 50_000))
    })
    const sum = values("energy", range(24, hour / 4), windows, afterRange).reduce((all, one) => all + one, 0)
    const wanted = windows.reduce((all, { energyWh }) => all + energyWh, 0)
    // Each of 96 steps is rounded to a Wh.
    expect(Math.abs(sum - wanted), `seed ${seed}`).toBeLessThanOrEqual(48)
  }
})

it("has one overall figure: the sum, or for power the average over the elapsed time", () => {
  const windows = [session(0, 1, 3_000), session(2, 3, 9_000)]
  const overall = (metric: Parameters<typeof figuresOf>[0], now = afterRange) =>
    figuresOf(metric, range(4), windows, now).overall
  expect([overall("energy"), overall("sessions"), overall("power")]).toEqual([12_000, 2, 3_000])
  expect([overall("power", 2 * hour), overall("power", 0)]).toEqual([1_500, null])
})

const status = (at: number, value: StatusPoint["status"]): StatusPoint => ({
  at: at * hour,
  heardAt: at * hour,
  tie: 0n,
  status: value
})
const connected = (from: number, to?: number) => ({
  connectedAt: from * hour,
  disconnectedAt: to === undefined ? undefined : to * hour
})
/** Available and connected since before the range, unless said otherwise. */
const history = (parts: Partial<AvailabilityHistory> = {}): AvailabilityHistory => ({
  connector: [status(-1, "Available")],
  whole: [],
  connections: [connected(-1)],
  orders: [],
  ...parts
})
const availability = (
  histories: ReadonlyArray<Partial<AvailabilityHistory>>,
  now = afterRange,
  asked: Parameters<typeof noAvailability>[0] = range(4)
) => {
  const sums = noAvailability(asked, now)
  for (const one of histories) addAvailability(sums, history(one), asked, now)
  const { overall, points } = availabilityOf(sums, asked)
  return [points.map(({ value }) => value), overall]
}

it("counts every status except Faulted and Unavailable as available", () => {
  const statuses = ["Preparing", "Charging", "SuspendedEV", "SuspendedEVSE", "Finishing", "Reserved"] as const
  expect(availability(statuses.map((value) => ({ connector: [status(-1, value)] })))).toEqual([
    [100, 100, 100, 100],
    100
  ])
  const connector = [status(-1, "Available"), status(0.5, "Faulted"), status(2, "Unavailable"), status(3, "Charging")]
  expect(availability([{ connector }])).toEqual([[50, 0, 0, 100], 37.5])
})

it("counts a fault of the whole charger for each connector, and weighs connectors by their time", () => {
  const whole = [status(1, "Faulted"), status(2, "Available")]
  expect(availability([{ whole }, { whole }, {}])).toEqual([[100, 33.333, 100, 100], 83.333])
})

it("counts an offline charger as unavailable, except for gaps of up to five minutes", () => {
  const connections = [connected(-1, 1), connected(1 + 4 / 60, 2), connected(3)]
  expect(availability([{ connections }])).toEqual([[100, 100, 0, 100], 75])
})

it("excludes downtime that an operator ordered", () => {
  const connector = [status(-1, "Available"), status(1, "Unavailable")]
  const orders = [
    { at: hour, operative: false },
    { at: 2 * hour, operative: true }
  ]
  expect(availability([{ connector, orders }])).toEqual([[100, 100, 0, 0], 50])
})

it("begins when a connector is first known, ends now, and is null while nothing is known", () => {
  expect(availability([{ connector: [status(1.5, "Faulted"), status(1.75, "Available")] }], 2.5 * hour)).toEqual([
    [null, 50, 100],
    75
  ])
  expect(availability([])).toEqual([[null, null, null, null], null])
})

it("is 100 only when there was no downtime at all", () => {
  const connector = [status(-1, "Available"), status(1, "Faulted"), status(1 + 1 / 3600, "Available")]
  expect(availability([...Array.from({ length: 50 }, () => ({})), { connector }])).toEqual([
    [100, 99.999, 100, 100],
    99.999
  ])
})
