/** Restrictions of a tariff's element in short form. */
import { expect, it } from "vitest"
import { restrictionText } from "../../../src/domain/tariff/RestrictionText.ts"
import type { Restrictions } from "../../../src/domain/tariff/Tariff.ts"

const cases: ReadonlyArray<readonly [Restrictions, string | undefined]> = [
  [{}, undefined],
  [{ startTime: "22:00", endTime: "06:00" }, "22:00–06:00"],
  [{ startTime: "18:00" }, "18:00–24:00"],
  [{ dayOfWeek: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"], endTime: "12:00" }, "00:00–12:00, Mo–Fr"],
  [{ dayOfWeek: ["SUNDAY", "SATURDAY", "WEDNESDAY"] }, "We, Sa Su"],
  [{ minDuration: 14_400 }, "from 4 h"],
  [{ minDuration: 900, maxDuration: 5400 }, "15 min to 90 min"],
  [{ maxDuration: 45 }, "below 45 s"],
  [{ minKwh: 10, maxPower: 11.5 }, "from 10 kWh, below 11.5 kW"],
  [{ minCurrent: 16, maxCurrent: 32 }, "16 A to 32 A"],
  [{ startDate: "2026-11-01", endDate: "2026-12-01" }, "from 2026-11-01, before 2026-12-01"],
  [{ reservation: "RESERVATION_EXPIRES" }, "reservation not used"]
]

it.each(cases)("restrictions %o are described as %s", (restrictions, text) => {
  expect(restrictionText(restrictions)).toBe(text)
})
