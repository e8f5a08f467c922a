import { describe, expect, it } from "vitest"
import { parseTimestamp, printTimestamp } from "../../src/ocpi/protocol/Timestamp.ts"

const at = Date.UTC(2026, 10, 20, 8, 30, 5)

describe("a time on the wire", () => {
  it.each([
    ["2026-11-20T08:30:05Z", at],
    ["2026-11-20T08:30:05", at],
    ["2026-11-20t08:30:05z", at],
    ["2026-11-20 08:30:05", at],
    ["2026-11-20T08:30:05.25Z", at + 250],
    ["2026-11-20T08:30:05.123456789", at + 123],
    ["2026-11-20T09:30:05+01:00", at],
    ["2026-11-20T02:30:05-0600", at],
    [" 2026-11-20T08:30:05+00:00 ", at],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)]
  ])("is read in every form that partners use: %s", (text, expected) => expect(parseTimestamp(text)).toBe(expected))

  it.each([
    "",
    "yesterday",
    "2026-11-20",
    "2026-11-20T08:30Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-20T24:30:05Z",
    "2026-11-20T08:30:05+1",
    "1763627405"
  ])("is not read from %j", (text) => expect(parseTimestamp(text)).toBeUndefined())

  it("is written in UTC and whole seconds, within the 25 characters that every version allows", () => {
    expect(printTimestamp(at + 999)).toBe("2026-11-20T08:30:05Z")
    expect(parseTimestamp(printTimestamp(at))).toBe(at)
  })
})
