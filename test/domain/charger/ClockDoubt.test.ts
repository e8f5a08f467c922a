/** What the clock of a charger leaves doubtful of a session. */
import { describe, expect, it } from "vitest"
import { clockDoubt } from "../../../src/domain/charger/ClockDoubt.ts"

const five = 5 * 60_000

/** Heard at a moment and the other, with the charger's clock so far ahead. */
const doubt = (start: number, stop: number, mayHaveWaited = false) =>
  clockDoubt({ at: 1e9 + start, heardAt: 1e9 }, { at: 2e9 + stop, heardAt: 2e9 }, mayHaveWaited)

describe("the clock of a charger", () => {
  it("is believed while it is ahead by no more than five minutes, and however late its messages are", () => {
    for (const [start, stop] of [
      [0, 0],
      [five, five],
      [-9 * five, five],
      [five, -9 * five]
    ] as const)
      expect(doubt(start, stop)).toBeUndefined()
  })

  it("is ahead by the most that it was at either end", () => {
    expect(doubt(five + 1, five + 1)).toEqual({ jumped: false, aheadMillis: five + 1 })
    expect(doubt(five + 2, five + 1)).toEqual({ jumped: false, aheadMillis: five + 2 })
    expect(doubt(five + 1, five + 2)).toEqual({ jumped: false, aheadMillis: five + 2 })
  })

  it("jumped where the two ends are off by different times, and one is ahead", () => {
    expect(doubt(2 * five, five)).toEqual({ jumped: false, aheadMillis: 2 * five })
    expect(doubt(2 * five, five - 1)).toEqual({ jumped: true, aheadMillis: 2 * five })
    expect(doubt(five - 1, 2 * five)).toEqual({ jumped: true, aheadMillis: 2 * five })
  })

  it("says nothing of a stop that may have waited", () => {
    expect(doubt(0, 0, true)).toEqual({ jumped: true, aheadMillis: 0 })
    expect(doubt(2 * five, 2 * five, true)).toEqual({ jumped: true, aheadMillis: 2 * five })
  })
})
