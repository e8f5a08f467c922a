/** What a charger's clock makes doubtful about a session. */
import { describe, expect, it } from "vitest"
import { clockDoubt } from "../../../src/domain/charger/ClockDoubt.ts"

const five = 5 * 60_000

/** The doubt about a session whose start and stop were dated `start` and `stop` ms ahead of our clock. */
const doubt = (start: number, stop: number, mayHaveWaited = false) =>
  clockDoubt({ at: 1e9 + start, heardAt: 1e9 }, { at: 2e9 + stop, heardAt: 2e9 }, mayHaveWaited)

describe("the clock of a charger", () => {
  it("is trusted while it is at most five minutes ahead, however late its messages arrive", () => {
    for (const [start, stop] of [
      [0, 0],
      [five, five],
      [-9 * five, five],
      [five, -9 * five]
    ] as const)
      expect(doubt(start, stop)).toBeUndefined()
  })

  it("is reported as ahead by the larger of the offsets at start and stop", () => {
    expect(doubt(five + 1, five + 1)).toEqual({ jumped: false, aheadMillis: five + 1 })
    expect(doubt(five + 2, five + 1)).toEqual({ jumped: false, aheadMillis: five + 2 })
    expect(doubt(five + 1, five + 2)).toEqual({ jumped: false, aheadMillis: five + 2 })
  })

  it("is reported as jumped when one end is ahead and the offsets differ by more than five minutes", () => {
    expect(doubt(2 * five, five)).toEqual({ jumped: false, aheadMillis: 2 * five })
    expect(doubt(2 * five, five - 1)).toEqual({ jumped: true, aheadMillis: 2 * five })
    expect(doubt(five - 1, 2 * five)).toEqual({ jumped: true, aheadMillis: 2 * five })
  })

  it("is reported as possibly jumped when the stop may have been queued", () => {
    expect(doubt(0, 0, true)).toEqual({ jumped: true, aheadMillis: 0 })
    expect(doubt(2 * five, 2 * five, true)).toEqual({ jumped: true, aheadMillis: 2 * five })
  })
})
