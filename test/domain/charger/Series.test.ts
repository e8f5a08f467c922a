/** Figures over time, out of what sessions took and when. */
import { expect, it } from "vitest"
import { seriesOf, type SessionWindow } from "../../../src/domain/charger/Series.ts"
import { randomFrom } from "../../../demo/Town.ts"

const hour = 3_600_000
const range = (hours: number, stepMillis = hour) => ({ from: 0, to: hours * hour, stepMillis })
const session = (start: number, end: number | undefined, energyWh: number): SessionWindow => ({
  startedAt: start * hour,
  endedAt: end === undefined ? undefined : end * hour,
  energyWh
})
const values = (...asked: Parameters<typeof seriesOf>) => seriesOf(...asked).map(({ value }) => value)
const later = 1_000 * hour

it("spreads a session's energy evenly over its time", () => {
  expect(values("energy", range(4), [session(0.5, 2.5, 4_000)], later)).toEqual([1_000, 2_000, 1_000, 0])
})

it("counts of a session only what falls into the range", () => {
  expect(values("energy", range(2), [session(-1, 3, 4_000)], later)).toEqual([1_000, 1_000])
})

it("gives the average power of each step", () => {
  expect(values("power", range(1, hour / 2), [session(0, 1, 10_000), session(0.5, 1, 2_000)], later)).toEqual([
    10_000, 14_000
  ])
})

it("counts a session where it started, and only there", () => {
  expect(values("sessions", range(3), [session(-1, 2, 0), session(0, 3, 1), session(1.5, 1.6, 1)], later)).toEqual([
    1, 1, 0
  ])
})

it("lets a session that runs go on until now, and has no point for what is still to come", () => {
  const now = 1.5 * hour
  expect(seriesOf("power", range(3), [session(0, undefined, 3_000)], now)).toEqual([
    { at: 0, value: 2_000 },
    { at: hour, value: 2_000 }
  ])
})

it("puts a session without a duration whole where it was", () => {
  expect(values("energy", range(2), [session(1, 1, 500)], later)).toEqual([0, 500])
})

it("loses and doubles no energy, whatever the sessions (seeds 1 to 50)", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomFrom(seed)
    const windows = Array.from({ length: 30 }, () => {
      const start = random() * 20
      return session(start, start + random() * 4, Math.round(random() * 50_000))
    })
    const sum = values("energy", range(24, hour / 4), windows, later).reduce((all, one) => all + one, 0)
    const wanted = windows.reduce((all, { energyWh }) => all + energyWh, 0)
    // Each of 96 steps is rounded to a Wh.
    expect(Math.abs(sum - wanted), `seed ${seed}`).toBeLessThanOrEqual(48)
  }
})
