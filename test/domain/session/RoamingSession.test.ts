import { expect, it } from "vitest"
import { isPriceBehind } from "../../../src/domain/session/RoamingSession.ts"
import { price } from "../../../src/domain/tariff/Price.ts"
import { session } from "../../ocpi/objects/charged.ts"

const startedAt = Date.parse("2026-11-20T10:00:00.900Z")
const endedAt = Date.parse("2026-11-20T11:00:01.000Z")

it("the price of an ended session is up to date whatever fraction of a second the session has, until its figures change", () => {
  const elements = [{ priceComponents: [{ type: "TIME" as const, price: 3, stepSize: 60 }] }]
  const readings = [{ at: endedAt, energyWh: 7000.04 }]
  const priced = { session: { startedAt, endedAt, timeZone: "UTC", readings }, timeZone: "UTC", ended: true }
  const { periods, total } = price({ currency: "EUR", elements }, priced)
  const given = { ...session, startedAt, endedAt, energyWh: 7000.04, price: { currency: "EUR", ...total, periods } }
  expect(isPriceBehind(given)).toBe(false)
  expect(isPriceBehind({ ...given, endedAt: endedAt + 1000 })).toBe(true)
  expect(isPriceBehind({ ...given, startedAt: startedAt - 60_000 })).toBe(true)
  expect(isPriceBehind({ ...given, energyWh: 7001 })).toBe(true)
})
