/** Times on a page include the day unless it is today, and the year unless it is the current one. */
import { describe, expect, it } from "vitest"
import { moment } from "../../console/src/parts/format.ts"

const at = (year: number, month: number, day: number, hour: number): number =>
  new Date(year, month - 1, day, hour).getTime()

describe("a moment", () => {
  const now = at(2026, 11, 26, 12)

  it("of today is a time", () => {
    expect(moment(at(2026, 11, 26, 9), now)).toBe("09:00:00")
  })

  it("of this year has its day and no year", () => {
    expect(moment(at(2026, 3, 5, 9), now)).toMatch(/5.*Mar|Mar.*5/)
    expect(moment(at(2026, 3, 5, 9), now)).not.toContain("2026")
  })

  it("of another year has the year too, since a card may expire in March of a later year", () => {
    expect(moment(at(2029, 3, 5, 9), now)).toContain("2029")
    expect(moment(at(2025, 12, 31, 23), at(2026, 1, 1, 1))).toContain("2025")
  })
})
