/** The week of a tariff shows which price applies: for random tariffs at every quarter of an hour, and where no element matches. */
import { describe, expect, it } from "vitest"
import { price } from "../../../src/domain/tariff/Price.ts"
import type { Dimension, TariffElement } from "../../../src/domain/tariff/Tariff.ts"
import { usualStart, weekOf } from "../../../src/domain/tariff/Week.ts"
import { forSeeds } from "../../support/random.ts"
import { elementsOf } from "./generated.ts"

const monday = "2026-11-23"
const start = { ...usualStart, startDate: monday }
const quarter = 15 * 60_000

const of = (type: Dimension, amount: number, restrictions?: TariffElement["restrictions"]): TariffElement => ({
  priceComponents: [{ type, price: amount, stepSize: 1 }],
  ...(restrictions === undefined ? {} : { restrictions })
})

const shown = (elements: ReadonlyArray<TariffElement>) => {
  const { bands, periods } = weekOf({ elements }, start)
  return periods.map(({ band, day, endTime, startTime }) => [
    day.slice(0, 2),
    startTime,
    endTime,
    ...bands[band]!.map(({ element }) => element)
  ])
}

describe("the week of a tariff", () => {
  it("covers seven days from midnight to midnight, divided where the price changes", () => {
    const elements = [
      of("ENERGY", 0.25, { startTime: "22:00", endTime: "06:00" }),
      of("ENERGY", 0.35, { dayOfWeek: ["SATURDAY", "SUNDAY"] }),
      of("ENERGY", 0.39)
    ]
    const day = (name: string, element: number) => [
      [name, "00:00", "06:00", 0],
      [name, "06:00", "22:00", element],
      [name, "22:00", "24:00", 0]
    ]
    expect(shown(elements)).toEqual([
      ...["MO", "TU", "WE", "TH", "FR"].flatMap((name) => day(name, 2)),
      ...["SA", "SU"].flatMap((name) => day(name, 1))
    ])
    expect(weekOf({ elements }, start).gaps).toEqual([])
  })

  it("shows when something is free because no element matches, grouping equal times of several days", () => {
    const { gaps } = weekOf(
      {
        elements: [
          of("ENERGY", 0.4, { startTime: "08:00", endTime: "00:00" }),
          of("ENERGY", 0.3, { endTime: "06:00" }),
          of("ENERGY", 0.3, { dayOfWeek: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"] }),
          of("TIME", 0, { startTime: "10:00", endTime: "11:00" })
        ]
      },
      start
    )
    expect(gaps).toEqual([{ dimension: "ENERGY", days: ["SATURDAY", "SUNDAY"], startTime: "06:00", endTime: "08:00" }])
  })

  it("lists the elements that apply only later in a session", () => {
    const { bands, gaps } = weekOf(
      {
        elements: [of("PARKING_TIME", 6, { minDuration: 14_400 }), of("ENERGY", 0.2, { minKwh: 20 }), of("ENERGY", 0.4)]
      },
      start
    )
    expect(bands).toEqual([
      [
        { dimension: "ENERGY", element: 2, price: 0.4, vat: undefined, later: [1] },
        { dimension: "PARKING_TIME", element: undefined, price: 0, vat: undefined, later: [0] }
      ]
    ])
    expect(gaps).toEqual([])
  })

  it("agrees with the price of a session that starts then, for random tariffs", () =>
    forSeeds(100, (random) => {
      const elements = elementsOf(random, monday) as ReadonlyArray<TariffElement>
      const { bands, periods } = weekOf({ elements }, start)
      for (let tried = 0; tried < 20; tried++) {
        const local = Date.parse(monday) + random.between(0, 7 * 96 - 1) * quarter
        const [date, clock] = [new Date(local).toISOString().slice(0, 10), new Date(local).toISOString().slice(11, 16)]
        const period = periods.find((one) => one.date === date && one.startTime <= clock && clock < one.endTime)
        const wanted = bands[period!.band]!.find(({ dimension }) => dimension === "ENERGY")?.element
        const { periods: billed } = price(
          { currency: "EUR", elements },
          {
            session: {
              startedAt: local,
              endedAt: local + 1_000,
              timeZone: "UTC",
              resolution: { wh: 1, isProven: true },
              readings: [
                { at: local, energyWh: 0, ...usualStart },
                { at: local + 1_000, energyWh: 3, ...usualStart }
              ]
            },
            timeZone: "UTC",
            ended: true
          }
        )
        expect(billed[0]?.elements.ENERGY).toBe(wanted)
      }
    }))
})
