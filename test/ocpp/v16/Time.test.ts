import { describe, expect, it } from "vitest"
import { isTime, readTime, timeDeviation, writeTime } from "../../../src/ocpp/v16/Time.ts"
import { forSeeds } from "../../support/random.ts"

const ten = Date.UTC(2026, 10, 20, 10)

describe("a charger's timestamp", () => {
  const rows: ReadonlyArray<readonly [string, number | undefined, string | undefined]> = [
    ["2026-11-20T10:00:00Z", ten, undefined],
    ["2026-11-20T10:00:00.123Z", ten + 123, undefined],
    ["2026-11-20T10:00:00.123456789Z", ten + 123, undefined],
    ["2026-11-20T12:00:00+02:00", ten, undefined],
    ["2026-11-20T04:30:00-05:30", ten, undefined],
    ["2026-11-20T10:00:00+00:00", ten, undefined],
    ["1970-01-01T00:00:00Z", 0, undefined],
    ["1969-12-31T23:59:59Z", -1000, undefined],
    ["0001-01-01T00:00:00Z", new Date(0).setUTCFullYear(1, 0, 1), undefined],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29), undefined],
    ["2026-11-20T10:00:00", ten, "no zone"],
    ["2026-11-20T10:00:00.5", ten + 500, "no zone"],
    ["2026-11-20 10:00", ten, "no zone"],
    ["2026-11-20T12:00:00+02", ten, "short offset"],
    ["2026-11-20T08:00:00-02", ten, "short offset"],
    ["2026-11-20T12:00:00+0200", ten, "loose form"],
    ["2026-11-20t10:00:00z", ten, "loose form"],
    [" 2026-11-20 10:00:00 Z ", ten, "loose form"],
    ["2026-11-20T10:00:00,5Z", ten + 500, "loose form"],
    ["2026-11-20T10:00Z", ten, "loose form"],
    ["2026-11-19T24:00:00Z", Date.UTC(2026, 10, 20), "loose form"],
    ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1), "loose form"],
    ["2026-02-30T00:00:00Z", undefined, "not a time"],
    ["2026-13-01T00:00:00Z", undefined, "not a time"],
    ["2026-11-00T00:00:00Z", undefined, "not a time"],
    ["0000-00-00T00:00:00Z", undefined, "not a time"],
    ["2026-11-20T25:00:00Z", undefined, "not a time"],
    ["2026-11-20T24:00:01Z", undefined, "not a time"],
    ["2026-11-20T10:60:00Z", undefined, "not a time"],
    ["2026-11-20T10:00:00+99:00", undefined, "not a time"],
    ["2026-11-20", undefined, "not a time"],
    ["10:00:00", undefined, "not a time"],
    ["1795168800000", undefined, "not a time"],
    ["Fri Nov 20 2026", undefined, "not a time"],
    ["yesterday", undefined, "not a time"],
    ["", undefined, "not a time"],
    [`2026-11-20T10:00:00.${"0".repeat(1000)}Z`, undefined, "not a time"]
  ]
  it.each(rows)("%j", (raw, at, deviation) => {
    expect(readTime(raw)).toEqual({ at, raw })
    expect(timeDeviation(raw)).toBe(deviation)
    expect(isTime(raw)).toBe(deviation === undefined)
  })

  it("may be missing", () => expect(readTime(undefined)).toEqual({ at: undefined, raw: undefined }))
})

describe("a timestamp of ours", () => {
  it("is UTC with a trailing Z", () => expect(writeTime(ten)).toBe("2026-11-20T10:00:00.000Z"))

  it("is left out if it has no four-digit year", () => {
    for (const at of [-1, Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, 1e18]) expect(writeTime(at)).toBeUndefined()
  })

  it("is read back unchanged, in whatever zone it is written", () => {
    forSeeds(2_000, (random) => {
      const at = random.between(0, Date.UTC(9998, 0))
      expect(readTime(writeTime(at)).at).toBe(at)
      const offset = random.between(-14 * 60, 14 * 60)
      const pad = (n: number) => String(n).padStart(2, "0")
      const zone = `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`
      const local = new Date(at + offset * 60_000).toISOString().slice(0, -1)
      expect(readTime(`${local}${zone}`).at).toBe(at)
      expect(readTime(`${local}${zone.replace(":", "")}`).at).toBe(at)
    })
  })
})
