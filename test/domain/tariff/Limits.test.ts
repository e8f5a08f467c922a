/** A tariff's minimum and maximum price, when the limit has no figure with VAT. */
import { describe, expect, it } from "vitest"
import { explained } from "../../../src/domain/tariff/Explanation.ts"
import { price } from "../../../src/domain/tariff/Price.ts"
import type { PriceComponent, Pricing } from "../../../src/domain/tariff/Tariff.ts"
import { sumOf } from "../../../src/domain/values/Amount.ts"

const at = Date.UTC(2026, 4, 20, 12)
const hour = 3_600_000

const energy = (amount: number, vat: number): PriceComponent => ({ type: "ENERGY", price: amount, stepSize: 1, vat })
const fee = (amount: number, vat: number): PriceComponent => ({ type: "FLAT", price: amount, stepSize: 1, vat })

const priced = (limits: Partial<Pricing>, energyWh: number, ...priceComponents: ReadonlyArray<PriceComponent>) => {
  const tariff: Pricing = { currency: "EUR", elements: [{ priceComponents }], ...limits }
  const readings = [{ at: at + hour, energyWh }]
  const session = { startedAt: at, endedAt: at + hour, timeZone: "UTC", readings }
  const { periods, total } = price(tariff, { session, timeZone: "UTC", ended: true })
  return { total, lines: explained(tariff, { ended: true, periods, total }) }
}

describe("a limit without a figure with VAT", () => {
  it.each([1, 2, 10, 33, 50, 100, 10_000])("has the exact VAT of the price that it replaces, at %d Wh", (energyWh) =>
    expect(priced({ minPrice: { exclVat: 5 } }, energyWh, energy(0.3, 21)).total).toEqual({ exclVat: 5, inclVat: 6.05 })
  )

  it("has the exact share of several rates, rounded half up to four decimals", () => {
    // 0.003 and 0.00363; 0.02 and 0.0218: 0.02543 of 0.023, of 5.
    const components = [energy(0.3, 21), fee(0.02, 9)]
    expect(priced({ minPrice: { exclVat: 5 } }, 10, ...components).total).toEqual({ exclVat: 5, inclVat: 5.5283 })
    // 3 and 3.63; 2 and 2.18: 5.81 of 5, of 4.
    const larger = [energy(0.3, 21), fee(2, 9)]
    expect(priced({ maxPrice: { exclVat: 4 } }, 10_000, ...larger).total).toEqual({ exclVat: 4, inclVat: 4.648 })
  })

  it("raises a price that would be rounded to zero with its VAT", () =>
    // 0.00003 for a tenth of a kWh.
    expect(priced({ minPrice: { exclVat: 5 } }, 100, energy(0.0003, 21)).total).toEqual({ exclVat: 5, inclVat: 6.05 }))

  it("is explained by lines that add up to the total, and none of them corrects the limit", () => {
    const { lines, total } = priced({ minPrice: { exclVat: 5 } }, 1, energy(0.3, 21))
    expect(sumOf(lines)).toEqual(total)
    expect(lines.map(({ exclVat, inclVat, kind }) => [kind, exclVat, inclVat])).toEqual([
      ["energy", 0.0003, 0.0004],
      ["minimum", 4.9997, 6.0496]
    ])
  })
})
