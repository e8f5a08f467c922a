/** Examples of our own for OCPP 1.6 §3.13. */
import { expect, it } from "vitest"
import type { ChargingProfile, SetProfile } from "../../../src/domain/command/ChargingProfile.ts"
import { compare } from "../../../src/domain/command/Comparison.ts"
import {
  compositePeriodsMax,
  compositeSchedule,
  compositeSecondsMax,
  type CompositeTarget
} from "../../../src/domain/command/Composite.ts"

const hour = 3600
const day = 24 * hour
/** A Monday, 10:00 UTC. */
const now = Date.UTC(2026, 4, 18, 10)
const midnight = Date.UTC(2026, 4, 18)
const defaults = { voltage: 230, phases: 3, amps: 32 }

type Period = readonly [startPeriod: number, limit: number, numberPhases?: number]

const set = (
  evseId: number,
  periods: ReadonlyArray<Period>,
  more: Partial<Omit<ChargingProfile, "schedule">> & Partial<Omit<ChargingProfile["schedule"], "periods">> = {}
): SetProfile => {
  const { chargingRateUnit = "A", duration, startSchedule, ...rest } = more
  return {
    evseId,
    setAt: now - day * 1000,
    profile: {
      profileId: 1,
      stackLevel: 0,
      purpose: "TxDefaultProfile",
      kind: "Absolute",
      ...rest,
      schedule: {
        chargingRateUnit,
        ...(duration === undefined ? {} : { duration }),
        ...(startSchedule === undefined ? {} : { startSchedule }),
        periods: periods.map(([startPeriod, limit, numberPhases]) => ({
          startPeriod,
          limit,
          ...(numberPhases === undefined ? {} : { numberPhases })
        }))
      }
    }
  }
}

const max = { purpose: "ChargePointMaxProfile" } as const
const own = { purpose: "TxProfile", transactionId: 7 } as const
const charging: CompositeTarget = { evseId: 1, transaction: { transactionId: 7, startedAt: now - 1800_000 } }

/** What is allowed, as [seconds from now, limit]. */
const allowed = (
  all: ReadonlyArray<SetProfile>,
  {
    seconds = day,
    target = charging,
    unit = "A"
  }: { seconds?: number; target?: CompositeTarget; unit?: "A" | "W" } = {}
) =>
  compositeSchedule(all, target, now, seconds, unit, defaults).periods.map((period) => [
    period.startPeriod,
    period.limit,
    ...(period.numberPhases === undefined ? [] : [period.numberPhases])
  ])

it("is the evse's maximum when no profile is set", () => {
  expect(allowed([])).toEqual([[0, 32]])
  expect(compositeSchedule([], charging, now, 60, "W", defaults)).toEqual({
    duration: 60,
    startSchedule: now,
    chargingRateUnit: "W",
    periods: [{ startPeriod: 0, limit: 22080 }]
  })
})

it("counts an Absolute schedule from its start, or from when it was set if it has none", () => {
  const periods: ReadonlyArray<Period> = [
    [0, 6],
    [2 * hour, 16]
  ]
  expect(allowed([set(1, periods, { startSchedule: now - hour * 1000 })])).toEqual([
    [0, 6],
    [hour, 16]
  ])
  expect(allowed([set(1, periods, { startSchedule: now + hour * 1000 })])).toEqual([
    [0, 32],
    [hour, 6],
    [3 * hour, 16]
  ])
  expect(allowed([set(1, periods)])).toEqual([[0, 16]])
})

it("counts a Relative schedule from the transaction's start, or from now when no transaction is running", () => {
  const relative = set(
    1,
    [
      [0, 6],
      [hour, 16]
    ],
    { kind: "Relative" }
  )
  expect(allowed([relative])).toEqual([
    [0, 6],
    [1800, 16]
  ])
  expect(allowed([relative], { target: { evseId: 1 } })).toEqual([
    [0, 6],
    [hour, 16]
  ])
})

it("repeats a Daily schedule every day, and a Weekly one every week", () => {
  const night: ReadonlyArray<Period> = [
    [0, 32],
    [6 * hour, 10],
    [22 * hour, 32]
  ]
  const daily = set(0, night, { kind: "Recurring", recurrency: "Daily", startSchedule: midnight - 3 * day * 1000 })
  expect(allowed([daily], { seconds: 2 * day })).toEqual([
    [0, 10],
    [12 * hour, 32],
    [20 * hour, 10],
    [36 * hour, 32],
    [44 * hour, 10]
  ])
  // Since Sunday a week ago; the limit of 8 A applies on Mondays from 12:00.
  const weekly = set(
    0,
    [
      [0, 20],
      [day + 12 * hour, 8]
    ],
    { kind: "Recurring", recurrency: "Weekly", startSchedule: midnight - 8 * day * 1000 }
  )
  expect(allowed([weekly], { seconds: 7 * day })).toEqual([
    [0, 20],
    [2 * hour, 8],
    [5 * day + 14 * hour, 20]
  ])
})

it("uses the next lower level while the higher one has ended, has not begun or is not valid", () => {
  const low = set(1, [[0, 16]])
  const level = { stackLevel: 2 }
  expect(allowed([low, set(1, [[0, 10]], { ...level, startSchedule: now - hour * 1000, duration: 3 * hour })])).toEqual(
    [
      [0, 10],
      [2 * hour, 16]
    ]
  )
  expect(
    allowed([low, set(1, [[0, 10]], { ...level, validFrom: now + hour * 1000, validTo: now + 2 * hour * 1000 })])
  ).toEqual([
    [0, 16],
    [hour, 10],
    [2 * hour, 16]
  ])
  const evening = {
    kind: "Recurring",
    recurrency: "Daily",
    startSchedule: midnight + 18 * hour * 1000,
    duration: 2 * hour
  } as const
  expect(allowed([low, set(1, [[0, 10]], { ...level, ...evening })], { seconds: 2 * day })).toEqual([
    [0, 16],
    [8 * hour, 10],
    [10 * hour, 16],
    [32 * hour, 10],
    [34 * hour, 16]
  ])
})

it("prefers a transaction's own profile to the default, whatever their levels, and falls back to the default", () => {
  const usual = set(1, [[0, 10]], { stackLevel: 9 })
  const its = set(1, [[0, 20]], { ...own, kind: "Relative", duration: hour })
  expect(allowed([usual, its])).toEqual([
    [0, 20],
    [1800, 10]
  ])
  expect(allowed([usual, its], { target: { evseId: 1 } })).toEqual([[0, 10]])
  expect(allowed([usual, its], { target: { evseId: 1, transaction: { transactionId: 8, startedAt: now } } })).toEqual([
    [0, 10]
  ])
})

it("prefers a default of the evse to the one for all evses", () => {
  const all = [set(0, [[0, 10]], { stackLevel: 5 }), set(2, [[0, 13]])]
  expect(allowed(all, { target: { evseId: 2 } })).toEqual([[0, 13]])
  expect(allowed(all, { target: { evseId: 1 } })).toEqual([[0, 10]])
})

it("caps everything by the charger's limit, and applies only that limit to the whole charger", () => {
  const all = [
    set(
      1,
      [
        [0, 10],
        [hour, 30]
      ],
      { startSchedule: now }
    ),
    set(0, [[0, 25]], max)
  ]
  expect(allowed(all)).toEqual([
    [0, 10],
    [hour, 25]
  ])
  expect(allowed(all, { target: { evseId: 0 } })).toEqual([[0, 25]])
  expect(allowed([set(0, [[0, 25]], max)])).toEqual([[0, 25]])
})

it("converts between amperes and watts by voltage and phases, and never rounds up", () => {
  expect(
    allowed(
      [
        set(
          1,
          [
            [0, 16, 1],
            [60, 16]
          ],
          { startSchedule: now }
        )
      ],
      { unit: "W" }
    )
  ).toEqual([
    [0, 3680, 1],
    [60, 11040]
  ])
  expect(allowed([set(1, [[0, 10_000]], { chargingRateUnit: "W" })])).toEqual([[0, 14.4]])
  // A total of 7 kW caps 16 A on three phases, but not 16 A on one.
  const cap = set(0, [[0, 7000]], { ...max, chargingRateUnit: "W" })
  expect(
    allowed([
      cap,
      set(
        1,
        [
          [0, 16, 3],
          [60, 16, 1]
        ],
        { startSchedule: now }
      )
    ])
  ).toEqual([
    [0, 10.1, 3],
    [60, 16, 1]
  ])
  // When both name phases, the smaller number applies.
  expect(allowed([set(0, [[0, 16, 1]], max), set(1, [[0, 20, 3]])], { unit: "W" })).toEqual([[0, 3680, 1]])
})

it("applies a change within a second from the next whole second", () => {
  expect(allowed([set(1, [[0, 6]], { startSchedule: now + 1500 })], { seconds: 10 })).toEqual([
    [0, 32],
    [2, 6]
  ])
})

it("merges neighbouring periods with the same limit", () => {
  expect(
    allowed([
      set(
        1,
        [
          [0, 16],
          [60, 16],
          [120, 10],
          [180, 10]
        ],
        { startSchedule: now }
      )
    ])
  ).toEqual([
    [0, 16],
    [120, 10]
  ])
})

it("is limited in duration and in its number of periods", () => {
  expect(compositeSchedule([], charging, now, 1e9, "A", defaults).duration).toBe(compositeSecondsMax)
  const jagged = set(
    1,
    Array.from({ length: compositePeriodsMax + 10 }, (_, n) => [n, n % 2]),
    { startSchedule: now }
  )
  const cut = compositeSchedule([jagged], charging, now, day, "A", defaults)
  expect([cut.periods.length, cut.duration]).toEqual([compositePeriodsMax, compositePeriodsMax])
})

it("is compared with the charger's schedule, and reports where they differ", () => {
  const ours = compositeSchedule(
    [
      set(
        1,
        [
          [0, 16],
          [60, 10]
        ],
        { startSchedule: now }
      )
    ],
    charging,
    now,
    120,
    "A",
    defaults
  )
  expect(compare(ours, ours)).toEqual([])
  const theirs = {
    ...ours,
    startSchedule: now + 30_000,
    periods: [
      { startPeriod: 0, limit: 16.1 },
      { startPeriod: 60, limit: 10 }
    ]
  }
  expect(compare(ours, theirs)).toEqual([{ from: now + 60_000, to: now + 90_000, ours: 10, theirs: 16.1 }])
  expect(compare(ours, { ...ours, startSchedule: now + day * 1000 })).toEqual([])
})
