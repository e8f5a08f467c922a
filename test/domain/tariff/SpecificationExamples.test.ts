/**
 * The worked examples of OCPI 2.2.1 (`mod_tariffs` §11.4, `mod_cdrs` §10.3.1) priced as the specification prices them; figures that it
 * does not give were calculated by hand.
 */
import { describe, expect, it } from "vitest"
import { price, type Reserved } from "../../../src/domain/tariff/Price.ts"
import type { PriceComponent, Pricing, Restrictions } from "../../../src/domain/tariff/Tariff.ts"

const minute = 60_000
/** A Wednesday. */
const at = (time: string, day = "2026-05-20") => Date.parse(`${day}T${time}:00Z`)

const component = (type: PriceComponent["type"], amount: number, stepSize: number, vat?: number): PriceComponent => ({
  type,
  price: amount,
  stepSize,
  ...(vat === undefined ? {} : { vat })
})

const element = (priceComponents: ReadonlyArray<PriceComponent>, restrictions?: Restrictions) => ({
  priceComponents,
  ...(restrictions === undefined ? {} : { restrictions })
})

const tariff = (...elements: Pricing["elements"]): Pricing => ({ currency: "EUR", elements })

interface Story {
  readonly start: number
  /** Minutes of charging, then of parking. */
  readonly charging: number
  readonly parking?: number
  readonly kwh?: number
  readonly kw?: number
  readonly amperes?: number
  readonly reserved?: Reserved
}

const story = (pricing: Pricing, { amperes, charging, kwh, kw, parking = 0, reserved, start }: Story) => {
  const endedAt = start + (charging + parking) * minute
  const energyWh = Math.round((kwh ?? (charging > 0 ? 10 : 0)) * 1000)
  const reading = {
    at: start + charging * minute,
    energyWh,
    ...(kw === undefined ? {} : { powerW: kw * 1000 }),
    ...(amperes === undefined ? {} : { currentA: amperes })
  }
  return price(pricing, {
    ended: true,
    timeZone: "UTC",
    ...(reserved === undefined ? {} : { reserved }),
    session: { startedAt: start, endedAt, timeZone: "UTC", readings: [reading] }
  })
}

const total = (pricing: Pricing, given: Story) => {
  const { exclVat, inclVat } = story(pricing, given).total
  return [exclVat, inclVat]
}

describe("OCPI's examples of tariffs", () => {
  it("price 2.00 an hour with 10% VAT: two and a half hours cost 5.00 and 5.50, whatever was charged", () =>
    expect(total(tariff(element([component("TIME", 2, 60, 10)])), { start: at("10:00"), charging: 150 })).toEqual([
      5, 5.5
    ]))

  it("price a start 0.50 with 20% and 0.25 per kWh with 10%: 20 kWh cost 5.50 and 6.10", () => {
    const pricing = tariff(element([component("FLAT", 0.5, 1, 20), component("ENERGY", 0.25, 1, 10)]))
    expect(total(pricing, { start: at("10:00"), charging: 60, kwh: 20 })).toEqual([5.5, 6.1])
  })

  it("cap that tariff at 10.00 and 11.00 for 50 kWh", () => {
    const pricing = tariff(element([component("FLAT", 0.5, 1, 20), component("ENERGY", 0.25, 1, 10)]))
    const bounded = { ...pricing, maxPrice: { exclVat: 10, inclVat: 11 } }
    expect(total(bounded, { start: at("10:00"), charging: 60, kwh: 50 })).toEqual([10, 11])
    expect(total(bounded, { start: at("10:00"), charging: 60, kwh: 20 })).toEqual([5.5, 6.1])
  })

  it("charge a minimum of 0.50 and 0.55 for 1 kWh", () => {
    const pricing = {
      ...tariff(element([component("ENERGY", 0.25, 1, 10)])),
      minPrice: { exclVat: 0.5, inclVat: 0.55 }
    }
    expect(total(pricing, { start: at("10:00"), charging: 60, kwh: 1 })).toEqual([0.5, 0.55])
    expect(total(pricing, { start: at("10:00"), charging: 60, kwh: 20 })).toEqual([5, 5.5])
  })

  it("price parking at 2.00 an hour in steps of 15 minutes, in addition to start and energy", () => {
    const pricing = tariff(
      element([component("FLAT", 0.5, 1, 20), component("ENERGY", 0.25, 1, 10), component("PARKING_TIME", 2, 900, 20)])
    )
    // 0.50 + 20 × 0.25 + 45 min × 2.00 (of 40); 0.60 + 5.50 + 1.80.
    expect(total(pricing, { start: at("10:00"), charging: 60, kwh: 20, parking: 40 })).toEqual([7, 7.9])
  })

  it("price charging at 3.00 an hour, and parking at 5.00 in steps of five minutes", () => {
    const pricing = tariff(element([component("TIME", 3, 60, 10), component("PARKING_TIME", 5, 300, 20)]))
    // 2.5 h × 3.00 = 7.50; 42 min parked are 45: 3.75. With VAT 8.25 + 4.50.
    expect(total(pricing, { start: at("10:00"), charging: 150, parking: 42 })).toEqual([11.25, 12.75])
  })

  it("price free charging as a flat fee of 0", () =>
    expect(total(tariff(element([component("FLAT", 0, 0)])), { start: at("10:00"), charging: 60 })).toEqual([0, 0]))

  it("charge for each started step of energy: 116 Wh in steps of 1, 25 and 500 Wh", () => {
    const wh = (stepSize: number) =>
      total(tariff(element([component("ENERGY", 0.25, stepSize)])), { start: at("10:00"), charging: 5, kwh: 0.116 })[0]
    expect([wh(1), wh(25), wh(500)]).toEqual([0.029, 0.0313, 0.125])
  })
})

describe("OCPI's complex tariff", () => {
  const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"] as const
  const complex = tariff(
    element([component("FLAT", 2.5, 1, 15)]),
    element([component("TIME", 1, 900, 20)], { maxCurrent: 32 }),
    element([component("TIME", 2, 600, 20)], { minCurrent: 32, dayOfWeek: weekdays }),
    element([component("TIME", 1.25, 600, 20)], { minCurrent: 32, dayOfWeek: ["SATURDAY", "SUNDAY"] }),
    element([component("PARKING_TIME", 5, 300, 10)], { startTime: "09:00", endTime: "18:00", dayOfWeek: weekdays }),
    element([component("PARKING_TIME", 6, 300, 10)], { startTime: "10:00", endTime: "17:00", dayOfWeek: ["SATURDAY"] })
  )

  it("costs 8.75 and 10.00 for two and a half hours at 16 A and 42 minutes of parking on a Monday", () =>
    // 2.50 + 2.5 × 1.00 = 5.00, with VAT 2.875 + 3.00; and 42 minutes parked, 45 paid: 3.75 and 4.125.
    expect(total(complex, { start: at("08:00", "2026-05-18"), charging: 150, amperes: 16, parking: 42 })).toEqual([
      8.75, 10
    ]))

  it("costs more above 32 A on a weekday, and a third price on a Saturday", () => {
    const session = { charging: 30, amperes: 63 }
    // 2.50 + 0.5 × 2.00; 2.875 + 1.20.
    expect(total(complex, { ...session, start: at("10:00") })).toEqual([3.5, 4.075])
    // 2.50 + 0.5 × 1.25; 2.875 + 0.75.
    expect(total(complex, { ...session, start: at("10:00", "2026-05-23") })).toEqual([3.125, 3.625])
  })

  it("has free parking on a Sunday and after 18:00", () => {
    const session = { charging: 30, amperes: 16, parking: 60 }
    // 30 minutes of charging are 2 quarters.
    expect(total(complex, { ...session, start: at("10:00", "2026-05-24") })[0]).toBe(3)
    // 17:30 to 18:00 is charging; nothing after that is paid.
    expect(total(complex, { ...session, start: at("17:30") })[0]).toBe(3)
    // From 17:00, 30 minutes of charging, then parking until 18:30, of which 30 minutes are before 18:00.
    expect(total(complex, { ...session, start: at("17:00") })[0]).toBe(2.5 + 0.5 + 2.5)
  })
})

describe("OCPI's examples of step sizes", () => {
  const steps = tariff(
    element([component("TIME", 1.2, 1800), component("PARKING_TIME", 1, 900)], {
      startTime: "00:00",
      endTime: "17:00"
    }),
    element([component("TIME", 2.4, 900), component("PARKING_TIME", 1, 900)], { startTime: "17:00", endTime: "20:00" }),
    element([component("TIME", 2.4, 900)], { startTime: "20:00", endTime: "00:00" })
  )

  it("charge 0.55 for 10 minutes from 16:55 and 2 minutes of parking", () => {
    const { costs, total: sum } = story(steps, { start: at("16:55"), charging: 10, parking: 2 })
    expect([sum.exclVat, costs.time.exclVat, costs.parking.exclVat]).toEqual([0.55, 0.3, 0.25])
  })

  it("charge 35 minutes from 16:35 as 45: 1.30", () =>
    expect(total(steps, { start: at("16:35"), charging: 35 })).toEqual([1.3, 1.3]))

  it("charge 12 minutes from 19:40 and 20 of parking, of which the 8 before 20:00 as 15", () => {
    // The specification's table has charging at 1.20 and parking at 2.40; its tariff says 2.40 and 1.00.
    const { costs, lines } = story(steps, { start: at("19:40"), charging: 12, parking: 20 })
    expect([costs.time.exclVat, costs.parking.exclVat]).toEqual([0.48, 0.25])
    expect(lines.map(({ billed, volume }) => [volume / minute, billed / minute])).toEqual([
      [12, 12],
      [8, 15]
    ])
  })

  it("charge 21 minutes of charging and 7 of parking, in steps of five minutes, as 21 and 10", () => {
    const pricing = tariff(element([component("TIME", 1, 300), component("PARKING_TIME", 1, 300)]))
    const { lines } = story(pricing, { start: at("10:00"), charging: 21, parking: 7 })
    expect(lines.map(({ billed }) => billed / minute)).toEqual([21, 10])
  })

  it("charge 4.3 kWh before and 1.1 kWh after 17:00, in steps of 500 Wh, as 5.5 kWh in all", () => {
    const pricing = tariff(
      element([component("ENERGY", 0.2, 500)], { endTime: "17:00" }),
      element([component("ENERGY", 0.27, 500)])
    )
    const readings = [
      { at: at("17:00"), energyWh: 4300 },
      { at: at("18:00"), energyWh: 5400 }
    ]
    const session = { startedAt: at("16:00"), endedAt: at("18:00"), timeZone: "UTC", readings }
    const { lines, total: sum } = price(pricing, { ended: true, timeZone: "UTC", session })
    expect(lines.map(({ billed }) => billed)).toEqual([4300, 1200])
    expect(sum.exclVat).toBe(0.86 + 0.324)
  })

  it("charge 6 minutes before and 22 after 17:00, in steps of ten minutes, as 6 and 24", () => {
    const pricing = tariff(
      element([component("TIME", 5, 600)], { endTime: "17:00" }),
      element([component("TIME", 7, 600)])
    )
    const { lines, total: sum } = story(pricing, { start: at("16:54"), charging: 28 })
    expect(lines.map(({ billed }) => billed / minute)).toEqual([6, 24])
    expect(sum.exclVat).toBe(0.5 + 2.8)
  })
})

describe("OCPI's examples of reservations", () => {
  const session = element([component("FLAT", 0.5, 1, 20), component("ENERGY", 0.25, 1, 10)])
  const reserved = (minutes: number, expired = false): Reserved => ({
    startedAt: at("09:00"),
    endedAt: at("09:00") + minutes * minute,
    expired
  })
  const only = (pricing: Pricing, minutes: number, expired = false) => {
    const { costs, total: sum } = price(pricing, {
      ended: true,
      timeZone: "UTC",
      session: undefined,
      reserved: reserved(minutes, expired)
    })
    expect(costs.reservation).toEqual(sum)
    return [sum.exclVat, sum.inclVat]
  }

  it("price 5.00 an hour: 15 minutes and then 20 kWh cost 1.25 and 5.50", () => {
    const pricing = tariff(element([component("TIME", 5, 60, 20)], { reservation: "RESERVATION" }), session)
    const { costs, total: sum } = story(pricing, { start: at("10:00"), charging: 60, kwh: 20, reserved: reserved(15) })
    expect([costs.reservation, costs.time.exclVat, sum]).toEqual([
      { exclVat: 1.25, inclVat: 1.5 },
      0,
      { exclVat: 6.75, inclVat: 7.6 }
    ])
  })

  it("price 2.00 and 5.00 an hour in steps of five minutes: 13 minutes are charged as 15", () => {
    const pricing = tariff(
      element([component("FLAT", 2, 1, 20), component("TIME", 5, 300, 20)], { reservation: "RESERVATION" }),
      session
    )
    expect(only(pricing, 13)).toEqual([3.25, 3.9])
  })

  it("charge an expired reservation its fee in addition to its time", () => {
    const pricing = tariff(
      element([component("FLAT", 4, 1, 20)], { reservation: "RESERVATION_EXPIRES" }),
      element([component("TIME", 2, 600, 20)], { reservation: "RESERVATION" }),
      session
    )
    expect([only(pricing, 30), only(pricing, 30, true)]).toEqual([
      [1, 1.2],
      [5, 6]
    ])
  })

  it("charge an expired reservation its own price for time if there is one", () => {
    const pricing = tariff(
      element([component("TIME", 6, 600, 20)], { reservation: "RESERVATION_EXPIRES" }),
      element([component("TIME", 3, 600, 20)], { reservation: "RESERVATION" }),
      session
    )
    expect([only(pricing, 30), only(pricing, 30, true)]).toEqual([
      [1.5, 1.8],
      [3, 3.6]
    ])
  })
})
