/** Random tariffs and sessions: the engine agrees with an independent slow calculator, and general properties of prices hold. */
import { describe, expect, it } from "vitest"
import { price } from "../../../src/domain/tariff/Price.ts"
import { forSeeds } from "../../support/random.ts"
import { days, elementsOf, sessionOf, zones } from "./generated.ts"
import { type SlowElement, slowPrice } from "./SlowPrice.ts"

describe("the price of a session", () => {
  it("agrees with an independent calculation second by second", () =>
    forSeeds(
      60,
      (random) => {
        const day = random.pick(days)
        const elements = elementsOf(random, day)
        const timeZone = random.pick(zones)
        const { endedAt, flow, parked, readings, resolution, startedAt, statuses } = sessionOf(random, day)
        const reported = { readings: random.shuffled([...readings, ...readings]), statuses, resolution }
        const session = { startedAt, endedAt, timeZone, ...reported }
        const { total } = price({ currency: "EUR", elements }, { session, timeZone, ended: true })
        const slow = slowPrice(elements, { startedAt, flow, parked, timeZone })
        // Each of the four costs is rounded to four decimals.
        expect(Math.abs(total.exclVat * 1e6 - slow)).toBeLessThan(4 * 50 + 1)
      },
      1500
    ))

  it("agrees with it also when the clocks change", () =>
    forSeeds(
      40,
      (random) => {
        const day = random.pick(["2026-03-29", "2026-10-25"])
        const timeZone = "Europe/Amsterdam"
        const hour = () => `0${random.between(0, 4)}:${random.pick(["00", "30"])}`
        const at = { startTime: hour(), endTime: hour() }
        const elements: ReadonlyArray<SlowElement> = [
          { priceComponents: [{ type: "TIME", price: 3, stepSize: 1 }], restrictions: at },
          { priceComponents: [{ type: "TIME", price: 1, stepSize: 1 }] }
        ]
        // The clocks change at 01:00 UTC.
        const { endedAt, flow, parked, startedAt, ...reported } = sessionOf(random, day, [-120, 55])
        const session = { startedAt, endedAt, timeZone, ...reported }
        const { total } = price({ currency: "EUR", elements }, { session, timeZone, ended: true })
        expect(Math.abs(total.exclVat * 1e6 - slowPrice(elements, { startedAt, flow, parked, timeZone }))).toBeLessThan(
          51
        )
      },
      1000
    ))

  it("never decreases while the session is running, and its periods add up to it", () =>
    forSeeds(100, (random) => {
      const day = random.pick(days)
      const elements = elementsOf(random, day)
      const timeZone = random.pick(zones)
      const { endedAt, readings, resolution, startedAt, statuses } = sessionOf(random, day)
      const pricing = { currency: "EUR", elements, minPrice: { exclVat: 0.5 }, maxPrice: { exclVat: 6, inclVat: 7 } }
      let before = { exclVat: 0, inclVat: 0 }
      for (const { at } of readings) {
        const reported = { readings: readings.filter((one) => one.at <= at), statuses, resolution }
        const session = { startedAt, endedAt: at, timeZone, ...reported }
        const { total } = price(pricing, { session, timeZone, ended: false })
        expect(total.exclVat).toBeGreaterThanOrEqual(before.exclVat)
        expect(total.inclVat).toBeGreaterThanOrEqual(before.inclVat)
        before = total
      }
      const { durationMillis, energyWh, lines, parkingMillis, periods } = price(pricing, {
        session: { startedAt, endedAt, timeZone, readings, statuses, resolution },
        timeZone,
        ended: true
      })
      expect(energyWh).toBe(readings.at(-1)?.energyWh)
      expect(periods.map((one) => one.startedAt)).toEqual([
        startedAt,
        ...periods.slice(0, -1).map((one) => one.endedAt)
      ])
      expect(periods.at(-1)?.endedAt).toBe(endedAt)
      expect(durationMillis).toBe(endedAt - startedAt)
      const inPeriods = (dimension: "ENERGY" | "TIME" | "PARKING_TIME", element: number) =>
        periods
          .filter((one) => one.elements[dimension] === element)
          .reduce((sum, one) => sum + (dimension === "ENERGY" ? one.energyWh : one.endedAt - one.startedAt), 0)
      const volumes = lines.flatMap(({ component, element, volume }) =>
        component.type === "FLAT" ? [] : [[volume, inPeriods(component.type, element)] as const]
      )
      expect(volumes.map(([volume]) => volume)).toEqual(volumes.map(([, sum]) => sum))
      expect(parkingMillis).toBeLessThanOrEqual(durationMillis)
    }))
})
