import { describe, expect, it } from "vitest"
import { fitting, type LedgerReading, pricedReadings, priceOf } from "../../../src/domain/session/Ledger.ts"
import type { Sample } from "../../../src/domain/charger/MeterValue.ts"
import { chargedSession as session, minute, start } from "../../support/chargedSession.ts"

const reading = (minutes: number, registerWh: number | undefined, samples?: ReadonlyArray<Sample>): LedgerReading => ({
  at: start + minutes * minute,
  registerWh,
  samples
})

const sample = (measurand: string, value: string, unit: string, phase?: string): Sample => ({
  value,
  measurand,
  unit,
  context: "Sample.Periodic",
  format: "Raw",
  location: "Outlet",
  phase
})

const priced = (...readings: ReadonlyArray<LedgerReading>) =>
  pricedReadings({ session: session(), readings }).map(({ at, energyWh }) => [(at - start) / minute, energyWh])

describe("the readings of a session, as used for pricing", () => {
  it("count from its start, and end with the register of its stop", () =>
    expect(priced(reading(30, 6000), reading(60, 10_500))).toEqual([
      [30, 5000],
      [60, 10_000]
    ]))

  it("never exceed the energy of the session, whatever a single figure says", () =>
    expect(priced(reading(10, 910_031_000), reading(20, 0), reading(30, undefined), reading(90, 20_000))).toEqual([
      [10, 10_000],
      [20, 0],
      [60, 10_000]
    ]))

  it("are the ones received so far while it is running", () => {
    const running = session({ endedAt: undefined, status: "ACTIVE", energyWh: 5000 })
    expect(pricedReadings({ session: running, readings: [reading(30, 6000)] })).toEqual([
      { at: start + 30 * minute, energyWh: 5000, powerW: undefined, currentA: undefined, stateOfCharge: undefined }
    ])
  })

  const figures = (...samples: ReadonlyArray<Sample>) => {
    const [first] = pricedReadings({ session: session(), readings: [reading(30, 6000, samples)] })
    return [first?.powerW, first?.currentA]
  }

  it("have the measured power and current, in W and A", () => {
    expect(figures(sample("Power.Active.Import", "11.5", "kW"), sample("Current.Import", "16", "A"))).toEqual([
      11_500, 16
    ])
    expect(figures(sample("Power.Active.Import", "3680", "W"))).toEqual([3680, undefined])
  })

  it("sum the phases when there is no total, without the neutral", () => {
    const phases = ["L1", "L2", "L3"].map((phase) => sample("Current.Import", "10", "A", phase))
    expect(figures(...phases, sample("Current.Import", "2", "A", "N"))).toEqual([undefined, 30])
    expect(figures(...phases, sample("Current.Import", "31", "A"))).toEqual([undefined, 31])
  })

  it("count each phase once, and ignore figures between two phases or from another location", () => {
    const inlet = { ...sample("Power.Active.Import", "22", "kW"), location: "Inlet" }
    const pairs = ["L1-L2", "L2-L3", "L3-L1"].map((phase) => sample("Current.Import", "17", "A", phase))
    expect(figures(inlet, sample("Power.Active.Import", "11", "kW"), ...pairs)).toEqual([11_000, undefined])
    const doubled = ["L1", "L1-N"].map((phase) => sample("Current.Import", "10.5", "A", phase))
    expect(figures(inlet, ...doubled)).toEqual([22_000, 10.5])
  })

  it("have no power or current when two figures disagree, or the unit is wrong", () => {
    const power = (value: string, unit = "W") => sample("Power.Active.Import", value, unit)
    expect(figures(power("7000"), power("64800"))).toEqual([undefined, undefined])
    expect(figures(power("7.2", "kW"), power("7234"))).toEqual([7234, undefined])
    expect(figures(power("7000", "Wh"), sample("Current.Import", "0x10", "A"))).toEqual([undefined, undefined])
  })

  it("have no power or current when the figure is not a valid number", () =>
    expect(figures(sample("Power.Active.Import", "", "W"), sample("Current.Import", "-3", "A"))).toEqual([
      undefined,
      undefined
    ]))
})

it("the price of a session has for each period the highest power and current and the last state of charge measured in it", () => {
  const body = {
    currency: "EUR",
    elements: [
      { priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }], restrictions: { maxKwh: 4 } },
      { priceComponents: [{ type: "ENERGY" as const, price: 2, stepSize: 1 }] }
    ]
  }
  const measured = (minutes: number, wh: number, kw: string, amps: string, percent: string) =>
    reading(minutes, wh, [
      sample("Power.Active.Import", kw, "kW"),
      ...["L1", "L2", "L3"].map((phase) => sample("Current.Import", amps, "A", phase)),
      sample("SoC", percent, "Percent")
    ])
  const readings = [
    measured(10, 3000, "11.1", "16.1", "40"),
    measured(20, 5000, "10.5", "15.2", "55"),
    measured(40, 8000, "7.2", "10.4", "400"),
    reading(50, 9000)
  ]
  const tariff = { id: "t", organisationId: "o", version: 1, body, createdAt: start, updatedAt: start }
  const { periods } = priceOf({
    session: session(),
    timeZone: "UTC",
    tariff,
    readings,
    surroundings: { maxPowerW: undefined, before: undefined }
  })
  expect(
    periods.map(({ energyWh, maxCurrentA, maxPowerW, stateOfCharge }) => [
      energyWh,
      maxPowerW,
      maxCurrentA,
      stateOfCharge
    ])
  ).toEqual([
    [4000, 11_100, 48.3, 55],
    [6000, 7200, 31.2, undefined]
  ])
})

const surroundings = { maxPowerW: undefined, before: undefined }

it("the price of a session does not depend on the order of its readings", () => {
  const tariff = {
    id: "t",
    organisationId: "o",
    version: 1,
    body: {
      currency: "EUR",
      elements: [
        { priceComponents: [{ type: "ENERGY" as const, price: 0.5, stepSize: 1 }], restrictions: { maxKwh: 4 } },
        { priceComponents: [{ type: "ENERGY" as const, price: 1, stepSize: 1 }] }
      ]
    },
    createdAt: start,
    updatedAt: start
  }
  const readings = [reading(15, 3000), reading(30, 6000), reading(30, 6000), reading(45, 9000)]
  const cost = (given: ReadonlyArray<LedgerReading>) =>
    priceOf({ session: session(), timeZone: "UTC", tariff, readings: given, surroundings }).total.exclVat
  expect([cost(readings), cost(readings.toReversed())]).toEqual([8, 8])
})

describe("readings of a session whose energy an operator has set", () => {
  const session = { meterStartWh: 1000, meterStopWh: 61_000 }
  const brought = (energyWh: number, ...reported: ReadonlyArray<number>) =>
    reported.map(fitting({ ...session, energyWh }, reported))

  it("are unchanged when they fit, including a meter's jitter of 10 Wh below 0 and above the energy", () => {
    expect(brought(10_000, -10, 4000, 10_010)).toEqual([-10, 4000, 10_010])
  })

  it("are counted back from the stop when the start was wrong", () => {
    expect(brought(10_000, 50_000, 54_000, 60_000)).toEqual([0, 4000, 10_000])
  })

  it("are scaled in proportion otherwise", () => {
    expect(brought(10_000, 0, 30_000, 60_000)).toEqual([0, 5000, 10_000])
  })
})
