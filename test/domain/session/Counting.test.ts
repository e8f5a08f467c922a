import { describe, expect, it } from "vitest"
import { offsetOf } from "../../../src/domain/session/Counting.ts"

const start = Date.UTC(2026, 4, 20, 10)
const minute = 60_000

interface ReportedSession {
  readonly from?: number
  readonly to?: number
  /** Minute and register. */
  readonly readings: ReadonlyArray<readonly [number, number]>
}

const offset = ({ from = 1_000_000, readings, to = from + 6000 }: ReportedSession, ended = true): number =>
  offsetOf({
    readings: readings.map(([at, registerWh]) => ({ at: start + at * minute, registerWh })),
    session: {
      startedAt: start,
      endedAt: ended ? start + 60 * minute : undefined,
      meterStartWh: from,
      meterStopWh: ended ? to : undefined
    }
  })

/** One reading for each of these minutes of an hour in which 6 kWh flow. */
const every = (base: number, minutes: ReadonlyArray<number>) => minutes.map((at) => [at, base + at * 100] as const)

describe("readings that count each session from 0", () => {
  it("are converted to absolute registers", () => {
    expect(offset({ readings: every(0, [0, 15, 30, 45, 60]) })).toBe(1_000_000)
    expect(offset({ readings: every(0, [15, 30, 45]) })).toBe(1_000_000)
    expect(offset({ readings: every(0, [15, 55]) })).toBe(1_000_000)
  })

  const others: ReadonlyArray<readonly [string, ReportedSession]> = [
    ["there is only one", { readings: every(0, [55]) }],
    ["they cover less than half of the energy", { readings: every(0, [5, 10]) }],
    [
      "they show more energy than start and stop",
      {
        readings: [
          [10, 3000],
          [30, 9000]
        ]
      }
    ],
    [
      "they show less energy than must have flowed",
      {
        readings: [
          [10, 0],
          [55, 0]
        ]
      }
    ],
    [
      "they decrease",
      {
        readings: [
          [20, 3000],
          [40, 1000],
          [59, 5900]
        ]
      }
    ],
    [
      "one of them is absolute",
      {
        readings: [
          [20, 2000],
          [40, 1_004_000],
          [59, 5900]
        ]
      }
    ],
    ["they are negative", { readings: [[55, -500]] }],
    ["the start is so low that they could be absolute", { from: 3000, readings: every(0, [15, 30, 45]) }]
  ]
  for (const [why, reported] of others) it(`are unchanged when ${why}`, () => expect(offset(reported)).toBe(0))
})

describe("absolute readings of a register that counts the session", () => {
  const counter = { from: 0, to: 6000 }
  it("are converted to registers that count the session", () => {
    expect(offset({ ...counter, readings: every(1_000_000, [0, 30, 60]) })).toBe(-1_000_000)
    expect(offset({ ...counter, readings: every(1_000_000, [15, 30, 45]) })).toBe(-1_000_000)
  })
  it("divide the energy before the first and after the last reading in proportion to time", () =>
    expect(
      offset({
        ...counter,
        readings: [
          [10, 700_000],
          [40, 704_500]
        ]
      })
    ).toBe(500 - 700_000))

  const others: ReadonlyArray<readonly [string, ReportedSession]> = [
    ["there is only one", { ...counter, readings: [[30, 1_003_000]] }],
    [
      "they show more energy than start and stop",
      {
        ...counter,
        readings: [
          [10, 1_000_000],
          [50, 1_009_000]
        ]
      }
    ],
    [
      "they show less energy than must have flowed",
      {
        ...counter,
        readings: [
          [1, 1_000_000],
          [59, 1_000_100]
        ]
      }
    ],
    ["the start is not 0", { from: 500, to: 6500, readings: every(1_000_000, [15, 30, 45]) }]
  ]
  for (const [why, reported] of others) it(`are unchanged when ${why}`, () => expect(offset(reported)).toBe(0))
})

describe("readings that count as start and stop do", () => {
  it("are unchanged, whatever their values", () => {
    expect(offset({ readings: every(1_000_000, [15, 30, 45]) })).toBe(0)
    expect(
      offset({
        readings: [
          [15, 1_002_000],
          [30, 88_000_000]
        ]
      })
    ).toBe(0)
    expect(offset({ readings: [] })).toBe(0)
  })
  it("include all readings of a running session, or of one that took no energy", () => {
    expect(offset({ readings: every(0, [15, 30, 45]) }, false)).toBe(0)
    expect(offset({ to: 1_000_000, readings: [[30, 0]] })).toBe(0)
  })
})
