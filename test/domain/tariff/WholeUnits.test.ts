/** Steps count whole seconds and whole Wh: a fraction of one never costs a step, and what a record shows explains its price. */
import { describe, expect, it } from "vitest"
import { price, type Reserved } from "../../../src/domain/tariff/Price.ts"
import type { PricedReading, StatusChange } from "../../../src/domain/tariff/Stretches.ts"
import type { PriceComponent, TariffElement } from "../../../src/domain/tariff/Tariff.ts"

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)

const every = (type: PriceComponent["type"], amount: number, stepSize: number): TariffElement => ({
  priceComponents: [{ type, price: amount, stepSize }]
})

interface Given {
  readonly from: string
  readonly to: string
  readonly readings?: ReadonlyArray<PricedReading>
  readonly statuses?: ReadonlyArray<StatusChange>
  readonly reserved?: Reserved
}

const priced = (elements: ReadonlyArray<TariffElement>, { from, readings, reserved, statuses, to }: Given) =>
  price(
    { currency: "EUR", elements },
    {
      ended: true,
      timeZone: "UTC",
      ...(reserved === undefined ? {} : { reserved }),
      session: {
        startedAt: at(from),
        endedAt: at(to),
        timeZone: "UTC",
        readings: readings ?? [{ at: at(to), energyWh: 7000 }],
        statuses
      }
    }
  )

const total = (...given: Parameters<typeof priced>) => priced(...given).total.exclVat

describe("a fraction of a second", () => {
  const hourly = [every("TIME", 3, 3600)]

  it("after an hour costs no second hour, whatever the fraction of the start", () => {
    expect(total(hourly, { from: "10:00:00.000", to: "11:00:00.100" })).toBe(3)
    expect(total(hourly, { from: "10:00:00.900", to: "11:00:01.000" })).toBe(3)
    expect(total(hourly, { from: "10:00:00.000", to: "11:00:00.499" })).toBe(3)
  })

  it("is a second from a half on, and that second costs a step", () => {
    expect(total(hourly, { from: "10:00:00.000", to: "11:00:00.500" })).toBe(6)
    expect(total(hourly, { from: "10:00:00.900", to: "11:00:01.400" })).toBe(6)
    expect(total(hourly, { from: "10:00:00.000", to: "11:00:01.000" })).toBe(6)
  })

  it("of parking costs no step of parking", () => {
    const parking = [every("PARKING_TIME", 6, 600)]
    const readings = [{ at: at("10:30:00.250"), energyWh: 7000 }]
    const statuses = [{ at: at("10:30:00.250"), status: "SuspendedEV" }]
    expect(total(parking, { from: "10:00:00", to: "10:40:00.300", readings, statuses })).toBe(1)
    expect(total(parking, { from: "10:00:00", to: "10:40:01.300", readings, statuses })).toBe(2)
  })

  it("of a reservation costs no step of the reservation", () => {
    const reserved = { startedAt: at("09:29:59.950"), endedAt: at("10:00:00.050"), expired: false }
    const elements: ReadonlyArray<TariffElement> = [
      { ...every("TIME", 2, 1800), restrictions: { reservation: "RESERVATION" } }
    ]
    const { periods, total: sum } = priced(elements, { from: "10:00:00.050", to: "10:10:00", reserved })
    expect(sum.exclVat).toBe(1)
    expect(periods.map(({ startedAt }) => startedAt)).toEqual([at("09:30:00"), at("10:00:00")])
  })

  it("is all that a session lasted: its energy is billed, in a period of its own", () => {
    const reserved = { startedAt: at("09:30:00"), endedAt: at("10:00:00.100"), expired: false }
    const elements: ReadonlyArray<TariffElement> = [
      { ...every("TIME", 2, 1800), restrictions: { reservation: "RESERVATION" } },
      every("ENERGY", 0.5, 1)
    ]
    const given = { from: "10:00:00.100", to: "10:00:00.400", readings: [{ at: at("10:00:00.400"), energyWh: 400 }] }
    const { periods, total: sum } = priced(elements, { ...given, reserved })
    expect(sum.exclVat).toBe(1.2)
    expect(periods.map(({ energyWh, startedAt }) => [startedAt, energyWh])).toEqual([
      [at("09:30:00"), 0],
      [at("10:00:00"), 400]
    ])
  })

  it("is in no duration of a price", () => {
    const { durationMillis, lines, parkingMillis, periods } = priced(hourly, {
      from: "10:00:00.700",
      to: "11:00:00.900",
      readings: [
        { at: at("10:20:00.333"), energyWh: 5000 },
        { at: at("11:00:00.900"), energyWh: 5000 }
      ]
    })
    expect([durationMillis, parkingMillis]).toEqual([3_600_000, 2_400_000])
    expect(lines.map(({ billed, volume }) => [volume, billed])).toEqual([[1_200_000, 3_600_000]])
    expect(periods.map((one) => [one.startedAt, one.endedAt])).toEqual([
      [at("10:00:00"), at("10:20:00")],
      [at("10:20:00"), at("11:00:00")]
    ])
  })

  it("decides no price by duration or by the time of day", () => {
    const elements: ReadonlyArray<TariffElement> = [
      { ...every("TIME", 60, 1), restrictions: { minDuration: 3600 } },
      { ...every("TIME", 6, 1), restrictions: { startTime: "10:30" } }
    ]
    // 30 minutes from 10:30:00 on, and nothing after the hour.
    expect(total(elements, { from: "10:00:00.600", to: "11:00:00.800" })).toBe(3)
  })
})

describe("a fraction of a Wh", () => {
  const perKwh = [every("ENERGY", 0.28, 1000)]
  const energy = (energyWh: number, elements = perKwh) =>
    total(elements, { from: "10:00:00", to: "11:00:00", readings: [{ at: at("11:00:00"), energyWh }] })

  it("costs no further step", () => {
    expect(energy(7000.04)).toBe(1.96)
    expect(energy(7000.4)).toBe(1.96)
  })

  it("is a Wh from a half on, by the tenths that a record shows", () => {
    expect(energy(7000.5)).toBe(2.24)
    expect(energy(7000.45)).toBe(2.24)
    expect(energy(7001)).toBe(2.24)
  })

  it("is paid where nothing is rounded to a step, and never makes a line negative", () => {
    expect(energy(7000.4, [every("ENERGY", 1000, 0)])).toBe(7000.4)
    const elements = [{ ...every("ENERGY", 1, 1), restrictions: { maxKwh: 7 } }, every("ENERGY", 2, 1)]
    const { lines } = priced(elements, {
      from: "10:00:00",
      to: "11:00:00",
      readings: [
        { at: at("10:30:00"), energyWh: 6999.7 },
        { at: at("11:00:00"), energyWh: 7000.1 }
      ]
    })
    expect(lines.map(({ billed }) => billed)).toEqual([7000, 0])
  })
})
