/** The filters by date contain whole days of the person's own time zone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { periodOf } from "../../console/src/parts/period.ts"

describe("the days of two date fields", () => {
  const zone = process.env["TZ"]
  beforeAll(() => {
    process.env["TZ"] = "Europe/Stockholm"
  })
  afterAll(() => {
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
  })

  it("begin and end at local midnight, and include the last day", () => {
    expect(periodOf("2026-11-01", "2026-11-30")).toEqual({
      from: "2026-10-31T23:00:00.000Z",
      to: "2026-11-30T23:00:00.000Z"
    })
    expect(periodOf("2026-12-31", "2026-12-31")).toEqual({
      from: "2026-12-30T23:00:00.000Z",
      to: "2026-12-31T23:00:00.000Z"
    })
  })

  it("have 25 and 23 hours when the clock changes", () => {
    expect(periodOf("2026-10-25", "2026-10-25")).toEqual({
      from: "2026-10-24T22:00:00.000Z",
      to: "2026-10-25T23:00:00.000Z"
    })
    expect(periodOf("2026-03-29", "2026-03-29")).toEqual({
      from: "2026-03-28T23:00:00.000Z",
      to: "2026-03-29T22:00:00.000Z"
    })
  })

  it("may be open on either side, and leave out what is not a date", () => {
    expect(periodOf("2026-11-01", undefined)).toEqual({ from: "2026-10-31T23:00:00.000Z" })
    expect(periodOf(undefined, "2026-11-01")).toEqual({ to: "2026-11-01T23:00:00.000Z" })
    expect(periodOf("yesterday", "")).toEqual({})
  })
})
