/** What a tariff is refused for, and what its author is warned of. */
import { describe, expect, it } from "vitest"
import { errorsOf, warningsOf } from "../../../src/domain/tariff/Findings.ts"
import { type Restrictions, type TariffElement, weekdays } from "../../../src/domain/tariff/Tariff.ts"

const perKwh = (restrictions?: Restrictions): TariffElement => ({
  priceComponents: [{ type: "ENERGY", price: 0.5, stepSize: 1 }],
  ...(restrictions === undefined ? {} : { restrictions })
})

const warnings = (...elements: ReadonlyArray<TariffElement>) => warningsOf({ currency: "EUR", elements })
const places = (...elements: ReadonlyArray<TariffElement>) => warnings(...elements).map(({ pointer }) => pointer)

describe("the currency of a tariff", () => {
  const refused = (currency: string) => errorsOf({ currency, elements: [perKwh()] }).map(({ pointer }) => pointer)

  it.each(["EUR", "SEK", "INR", "XOF"])("may be %s", (code) => expect(refused(code)).toEqual([]))

  it.each(["ABC", "XXX", "XTS", "XAU", "DEM", "eur", "EURO", ""])("must not be %s", (code) =>
    expect(refused(code)).toEqual(["/currency"])
  )
})

describe("a warning", () => {
  it.each(["maxKwh", "maxPower", "maxCurrent", "maxDuration"] as const)(
    "is given for an element with %s 0, which never applies",
    (below) => expect(places(perKwh({ [below]: 0 }), perKwh())).toEqual([`/elements/0/restrictions/${below}`])
  )

  it("is given for each price without VAT if another has VAT, unless it is free", () => {
    const mixed: TariffElement = {
      priceComponents: [
        { type: "ENERGY", price: 0.5, vat: 21, stepSize: 1 },
        { type: "PARKING_TIME", price: 3, stepSize: 60 },
        { type: "FLAT", price: 0, stepSize: 1 }
      ]
    }
    expect(places(mixed)).toEqual(["/elements/0/priceComponents/1"])
    expect(warnings(mixed)[0]?.detail).toContain("set vat to 0")
    expect(places(perKwh())).toEqual([])
  })

  it("that energy is sometimes free is not given if elements for all days and hours are named", () => {
    const [workdays, weekend] = [weekdays.slice(0, 5), weekdays.slice(5)]
    expect(places(perKwh({ dayOfWeek: [...weekdays] }))).toEqual([])
    expect(places(perKwh({ dayOfWeek: workdays }), perKwh({ dayOfWeek: weekend }))).toEqual([])
    const night = { startTime: "22:00", endTime: "06:00" }
    const day = { startTime: "06:00", endTime: "22:00" }
    expect(
      places(perKwh(night), perKwh({ ...day, dayOfWeek: workdays }), perKwh({ ...day, dayOfWeek: weekend }))
    ).toEqual([])
  })

  it("that energy is sometimes free is given if a day, an hour, or a bound is left", () => {
    const six = weekdays.slice(0, 6)
    const free = ["/elements"]
    expect(places(perKwh({ dayOfWeek: six }))).toEqual(free)
    expect(places(perKwh({ dayOfWeek: six }), perKwh({ dayOfWeek: ["SUNDAY"], endTime: "23:30" }))).toEqual(free)
    expect(places(perKwh({ dayOfWeek: [...weekdays], minKwh: 5 }))).toEqual(free)
  })
})
