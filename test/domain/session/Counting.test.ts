import { describe, expect, it } from "vitest"
import { offsetOf } from "../../../src/domain/session/Counting.ts"

const start = Date.UTC(2026, 4, 20, 10)
const minute = 60_000

interface Told {
  readonly from?: number
  readonly to?: number
  /** Minutes and register. */
  readonly readings: ReadonlyArray<readonly [number, number]>
}

const offset = ({ from = 1_000_000, readings, to = from + 6000 }: Told, ended = true): number =>
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
  it("are brought to registers that count on", () => {
    expect(offset({ readings: every(0, [0, 15, 30, 45, 60]) })).toBe(1_000_000)
    expect(offset({ readings: every(0, [15, 30, 45]) })).toBe(1_000_000)
    expect(offset({ readings: every(0, [15, 55]) })).toBe(1_000_000)
  })

  const others: ReadonlyArray<readonly [string, Told]> = [
    ["there is one alone", { readings: every(0, [55]) }],
    ["they saw less than half of it", { readings: every(0, [5, 10]) }],
    [
      "they tell more than start and stop",
      {
        readings: [
          [10, 3000],
          [30, 9000]
        ]
      }
    ],
    [
      "they tell less than could have flowed since",
      {
        readings: [
          [10, 0],
          [55, 0]
        ]
      }
    ],
    [
      "they fall",
      {
        readings: [
          [20, 3000],
          [40, 1000],
          [59, 5900]
        ]
      }
    ],
    [
      "one of them counts on",
      {
        readings: [
          [20, 2000],
          [40, 1_004_000],
          [59, 5900]
        ]
      }
    ],
    ["they are negative", { readings: [[55, -500]] }],
    ["the start is so low that both may be meant", { from: 3000, readings: every(0, [15, 30, 45]) }]
  ]
  for (const [why, told] of others) it(`stay as they are where ${why}`, () => expect(offset(told)).toBe(0))
})

describe("readings that count on", () => {
  const counter = { from: 0, to: 6000 }
  it("are brought to registers that count the session", () => {
    expect(offset({ ...counter, readings: every(1_000_000, [0, 30, 60]) })).toBe(-1_000_000)
    expect(offset({ ...counter, readings: every(1_000_000, [15, 30, 45]) })).toBe(-1_000_000)
  })
  it("share what nobody saw between beginning and end by their length", () =>
    expect(
      offset({
        ...counter,
        readings: [
          [10, 700_000],
          [40, 704_500]
        ]
      })
    ).toBe(500 - 700_000))

  const others: ReadonlyArray<readonly [string, Told]> = [
    ["there is one alone", { ...counter, readings: [[30, 1_003_000]] }],
    [
      "they tell more than start and stop",
      {
        ...counter,
        readings: [
          [10, 1_000_000],
          [50, 1_009_000]
        ]
      }
    ],
    [
      "they tell less than could have flowed beside them",
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
  for (const [why, told] of others) it(`stay as they are where ${why}`, () => expect(offset(told)).toBe(0))
})

describe("readings that count as start and stop do", () => {
  it("stay as they are, whatever they say", () => {
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
  it("are nothing else while the session runs, or where it took nothing", () => {
    expect(offset({ readings: every(0, [15, 30, 45]) }, false)).toBe(0)
    expect(offset({ to: 1_000_000, readings: [[30, 0]] })).toBe(0)
  })
})
