import { describe, expect, it } from "vitest"
import { distinguishing, isBelievable, occurredAt } from "../../../src/domain/charger/Clock.ts"
import { at, in1970, minute, noTime } from "../../support/events.ts"

const hour = 60
const now = minute(0)

describe("a charger's timestamp", () => {
  const cases = [
    { name: "of now is plausible", time: now, believed: true },
    {
      name: "of a year ago is plausible, since the charger may have been offline",
      time: minute(-365 * 24 * hour),
      believed: true
    },
    { name: "of 2015 is plausible", time: Date.UTC(2015, 0, 1), believed: true },
    { name: "before OCPP 1.6 was published is implausible", time: Date.UTC(2014, 11, 31, 23, 59), believed: false },
    { name: "of 1970 is implausible", time: 0, believed: false },
    { name: "fourteen hours ahead (local time marked as UTC) is plausible", time: minute(14 * hour), believed: true },
    { name: "a day ahead is plausible", time: minute(24 * hour), believed: true },
    { name: "more than a day ahead is implausible", time: minute(24 * hour) + 1, believed: false },
    { name: "of 2038 is implausible", time: Date.UTC(2038, 0, 19), believed: false },
    { name: "that is not a number is implausible", time: Number.NaN, believed: false },
    { name: "that is missing is implausible", time: undefined, believed: false }
  ]
  for (const { believed, name, time } of cases) it(name, () => expect(isBelievable(time, now)).toBe(believed))

  it("is plausible however far ahead it is while our own clock is in 1970", () => {
    expect(isBelievable(now, 5000)).toBe(true)
    expect(isBelievable(4000, 5000)).toBe(false)
  })

  it("is used when it is plausible; otherwise the time of receipt is used", () => {
    expect(occurredAt(at(minute(-5)), now)).toBe(minute(-5))
    expect(occurredAt(in1970(5), now)).toBe(now)
    expect(occurredAt(noTime, now)).toBe(now)
  })
})

describe("a charger's raw timestamp", () => {
  const cases = [
    { name: "distinguishes events", time: at(now), raw: "2026-05-01T12:00:00.000Z" },
    { name: "distinguishes them also when the clock runs from 1970", time: in1970(1), raw: "1970-01-01T00:00:01.000Z" },
    {
      name: "that is no time distinguishes nothing",
      time: { at: undefined, raw: "0000-00-00T00:00:00.000Z" },
      raw: undefined
    },
    { name: "of zero distinguishes nothing", time: in1970(0), raw: undefined },
    {
      name: "of the year one distinguishes nothing",
      time: { at: -62_135_596_800_000, raw: "0001-01-01T00:00:00Z" },
      raw: undefined
    },
    { name: "that is empty distinguishes nothing", time: { at: undefined, raw: "" }, raw: undefined },
    { name: "that is missing distinguishes nothing", time: noTime, raw: undefined }
  ]
  for (const { name, raw, time } of cases) it(name, () => expect(distinguishing(time)).toBe(raw))
})
