/** Random tariffs and sessions: the lines of a price add up to it exactly, and state what was used. */
import { describe, expect, it } from "vitest"
import { explained } from "../../../src/domain/tariff/Explanation.ts"
import { price } from "../../../src/domain/tariff/Price.ts"
import type { Pricing, TariffElement } from "../../../src/domain/tariff/Tariff.ts"
import { sumOf } from "../../../src/domain/values/Amount.ts"
import { forSeeds, type Random } from "../../support/random.ts"
import { days, elementsOf, sessionOf, zones } from "./generated.ts"

const hour = 3_600_000

const withVat = (random: Random, element: TariffElement): TariffElement => ({
  ...element,
  priceComponents: element.priceComponents.map((one) =>
    random.chance(0.6) ? { ...one, vat: random.pick([0, 7, 21]) } : one
  )
})

/** Prices with many decimals, VAT, limits and reservations. */
const pricingOf = (random: Random, day: string): Pricing => {
  const elements = elementsOf(random, day).map((one) => withVat(random, one as TariffElement))
  const reservation = random.pick(["RESERVATION", "RESERVATION_EXPIRES"] as const)
  const kept: TariffElement = {
    priceComponents: [
      { type: "TIME", price: random.between(0, 30_000) / 10_000, vat: 21, stepSize: random.pick([0, 600]) },
      { type: "FLAT", price: random.between(0, 10_000) / 10_000, stepSize: 1 }
    ],
    restrictions: { reservation }
  }
  const limit = () => ({
    exclVat: random.between(0, 80_000) / 10_000,
    ...(random.chance(0.5) ? { inclVat: random.between(0, 90_000) / 10_000 } : {})
  })
  return {
    currency: "EUR",
    elements: random.chance(0.5) ? [...elements, kept] : elements,
    ...(random.chance(0.3) ? { minPrice: limit() } : {}),
    ...(random.chance(0.3) ? { maxPrice: limit() } : {})
  }
}

const cases = (check: (pricing: Pricing, given: Parameters<typeof price>[1]) => void) =>
  forSeeds(
    300,
    (random) => {
      const day = random.pick(days)
      const pricing = pricingOf(random, day)
      const timeZone = random.pick(zones)
      const { endedAt, readings, resolution, startedAt, statuses } = sessionOf(random, day)
      const session = { startedAt, endedAt, timeZone, readings, statuses, resolution }
      const wasReserved = random.chance(0.4)
      const isUsed = !wasReserved || random.chance(0.7)
      const until = random.pick([startedAt, startedAt - random.between(0, 2 * hour)])
      const reserved = { startedAt: until - random.pick([0, hour / 3, hour]), endedAt: until, expired: !isUsed }
      check(pricing, {
        session: isUsed ? session : undefined,
        ...(wasReserved ? { reserved } : {}),
        timeZone,
        ended: random.chance(0.8)
      })
    },
    3000
  )

describe("the lines of a price", () => {
  it("add up to its total exactly, with no more than a rounding of each line", () =>
    cases((pricing, given) => {
      const { lines, periods, total } = price(pricing, given)
      const shown = explained(pricing, { periods, total, ended: given.ended })
      expect(sumOf(shown)).toEqual(total)
      const rounding = shown.filter(({ kind }) => kind === "rounding")
      expect(rounding.length).toBeLessThanOrEqual(1)
      for (const { exclVat, inclVat } of rounding) {
        const most = (lines.length + 5) * 0.00005
        expect(Math.max(Math.abs(exclVat), Math.abs(inclVat))).toBeLessThanOrEqual(most)
      }
      const limits = shown.filter(({ kind }) => kind === "minimum" || kind === "maximum")
      const isBounded = pricing.minPrice !== undefined || pricing.maxPrice !== undefined
      expect(isBounded ? [] : limits).toEqual([])
    }))

  it("contain once all energy and time for which the tariff has a price", () =>
    cases((pricing, given) => {
      const { energyWh, parkingMillis, periods, total } = price(pricing, given)
      const shown = explained(pricing, { periods, total, ended: given.ended })
      const volume = (kind: string) => shown.reduce((all, one) => all + (one.kind === kind ? (one.volume ?? 0) : 0), 0)
      const has = (type: string) =>
        pricing.elements.some(
          ({ priceComponents, restrictions }) =>
            restrictions?.reservation === undefined && priceComponents.some((one) => one.type === type)
        )
      expect(volume("energy")).toBeCloseTo(has("ENERGY") ? energyWh / 1000 : 0, 6)
      expect(volume("parking")).toBeCloseTo(has("PARKING_TIME") ? parkingMillis / hour : 0, 6)
      for (const { element, from, to, volume: used = 0 } of shown) {
        if (from === undefined || to === undefined) continue
        expect(from).toBeLessThanOrEqual(to)
        expect(used).toBeGreaterThanOrEqual(0)
        expect(pricing.elements[element ?? 0]).toBeDefined()
      }
    }))
})
