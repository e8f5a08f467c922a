import { describe, expect, it } from "vitest"
import { isMonth, monthAt, monthsBefore, spanOf } from "../../../src/domain/values/Month.ts"

const hours = (month: string, zone: string): number => {
  const { from, to } = spanOf(month, zone)
  return (to - from) / 3_600_000
}

describe("a month", () => {
  it("is written as year and month", () => {
    expect(["2026-01", "2026-12", "1970-01", "9999-12"].filter((text) => !isMonth(text))).toEqual([])
    const wrong = [
      "2026-13",
      "2026-00",
      "2026-1",
      "26-01",
      "2026-01-01",
      "",
      "1969-12",
      "0000-01",
      "2026-01\n",
      "١٩٧٠-01"
    ]
    expect(wrong.filter(isMonth)).toEqual([])
  })

  it("begins and ends at local midnight", () => {
    expect(spanOf("2026-11", "UTC")).toEqual({ from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) })
    expect(spanOf("2026-12", "Europe/Helsinki")).toEqual({
      from: Date.UTC(2026, 10, 30, 22),
      to: Date.UTC(2026, 11, 31, 22)
    })
    expect(spanOf("2026-01", "America/New_York").from).toBe(Date.UTC(2026, 0, 1, 5))
  })

  it("has its own length, an hour less or more with summer time", () => {
    expect([hours("2026-02", "UTC"), hours("2028-02", "UTC"), hours("2026-04", "UTC")]).toEqual([672, 696, 720])
    expect([hours("2026-03", "Europe/Berlin"), hours("2026-10", "Europe/Berlin")]).toEqual([743, 745])
    expect(hours("2026-04", "Australia/Lord_Howe")).toBe(720.5)
  })

  it("begins after a gap in local time if midnight is in it, and months leave no time between them", () => {
    // In Asunción the clocks went from midnight of 1 October 2017 to one o'clock.
    expect(spanOf("2017-10", "America/Asuncion").from).toBe(Date.UTC(2017, 9, 1, 4))
    for (const zone of ["America/Asuncion", "Europe/Berlin", "Pacific/Apia", "Asia/Kathmandu"]) {
      for (let year = 2011; year < 2028; year++) {
        for (let n = 1; n < 12; n++) {
          const month = (m: number) => `${year}-${String(m).padStart(2, "0")}`
          expect(spanOf(month(n), zone).to).toBe(spanOf(month(n + 1), zone).from)
          expect(monthAt(spanOf(month(n), zone).from, zone)).toBe(month(n))
          expect(monthAt(spanOf(month(n), zone).to - 1, zone)).toBe(month(n))
        }
      }
    }
  })

  it("uses UTC for a zone that the runtime does not know", () => {
    expect(spanOf("2026-11", "Mars/Olympus")).toEqual(spanOf("2026-11", "UTC"))
    expect(monthAt(Date.UTC(2026, 10, 1), "Mars/Olympus")).toBe("2026-11")
  })

  it("is subtracted by the calendar", () => {
    expect(monthsBefore(Date.UTC(2026, 10, 21, 7), 25)).toBe(Date.UTC(2024, 9, 21, 7))
    expect(monthsBefore(Date.UTC(2026, 2, 31), 1)).toBe(Date.UTC(2026, 1, 28))
  })
})
