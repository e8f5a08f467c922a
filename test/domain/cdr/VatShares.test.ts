/** The amounts of a record by VAT rate, for bookkeeping. */
import { describe, expect, it } from "vitest"
import { type Cdr, creditOf } from "../../../src/domain/cdr/Cdr.ts"
import { vatSharesOf } from "../../../src/domain/cdr/VatShares.ts"
import { price } from "../../../src/domain/tariff/Price.ts"
import type { PriceComponent, Pricing } from "../../../src/domain/tariff/Tariff.ts"
import { sumOf } from "../../../src/domain/values/Amount.ts"
import { cdr as charged } from "../../ocpi/objects/charged.ts"

const hour = 3_600_000
const startedAt = Date.UTC(2026, 10, 20, 9)
const endedAt = startedAt + hour

const component = (type: PriceComponent["type"], amount: number, vat?: number): PriceComponent => ({
  type,
  price: amount,
  stepSize: 0,
  ...(vat === undefined ? {} : { vat })
})

const recordOf = (priceComponents: ReadonlyArray<PriceComponent>, limits: Partial<Pricing> = {}): Cdr => {
  const pricing = { currency: "EUR", elements: [{ priceComponents }], ...limits }
  const readings = [{ at: endedAt, energyWh: 10_000 }]
  const session = { startedAt, endedAt, timeZone: "UTC", readings }
  const priced = price(pricing, { session, timeZone: "UTC", ended: true })
  const { costs, periods, total } = priced
  return {
    ...charged,
    body: { ...charged.body, tariff: { ...charged.body.tariff, ...pricing }, costs, periods, total }
  }
}

const sharesOf = (cdr: Cdr) => {
  const shares = vatSharesOf(cdr)
  expect(sumOf(shares)).toEqual(cdr.body.total)
  return shares.map(({ exclVat, inclVat, rate }) => [rate, exclVat, inclVat])
}

describe("the amounts of a record by VAT rate", () => {
  const mixed = [component("FLAT", 1), component("ENERGY", 0.5, 10), component("TIME", 2, 21)]

  it("have one share for each rate, and one for what has no VAT", () =>
    expect(sharesOf(recordOf(mixed))).toEqual([
      [undefined, 1, 1],
      [10, 5, 5.5],
      [21, 2, 2.42]
    ]))

  it("include what a limit adds: at the one rate, or apart if there are several", () => {
    const minPrice = { exclVat: 20 }
    expect(sharesOf(recordOf([component("ENERGY", 0.5, 10)], { minPrice }))).toEqual([[10, 20, 22]])
    const [, , , added] = sharesOf(recordOf(mixed, { minPrice }))
    expect(added?.slice(0, 2)).toEqual(["mixed", 12])
  })

  it("are negative in a credit record", () => {
    const cdr = recordOf(mixed)
    expect(sharesOf({ ...cdr, creditReferenceId: cdr.id, body: creditOf(cdr) })).toEqual([
      [undefined, -1, -1],
      [10, -5, -5.5],
      [21, -2, -2.42]
    ])
  })
})
