/**
 * What counts as charging and as parking, for what chargers really report: registers of any step, with or without status and power. Each case is a
 * session as it is stored, and what its driver pays.
 */
import { describe, expect, it } from "vitest"
import { type Ledger, type LedgerReading, priceOf } from "../../../src/domain/session/Ledger.ts"
import type { PricedResult } from "../../../src/domain/tariff/Price.ts"
import { chargedSession, minute, start } from "../../support/chargedSession.ts"

const second = 1000
const hour = 60 * minute

/** A vehicle that takes `watts` until `until`. */
interface Phase {
  readonly watts: number
  readonly until: number
}

interface Story {
  readonly phases: ReadonlyArray<Phase>
  /** Wh: the readings' register is rounded down to whole steps of it. */
  readonly stepWh: number
  readonly everyMillis: number
  readonly reports?: "power" | "current" | "nothing"
  readonly statuses?: ReadonlyArray<readonly [afterMillis: number, status: string]>
  readonly prices: Partial<Record<"ENERGY" | "TIME" | "PARKING_TIME", number>>
  readonly standbyPowerW?: number
}

const tariffOf = (prices: Story["prices"]): Ledger["tariff"] => ({
  id: "01990000-0000-7000-8000-000000000004",
  organisationId: "01990000-0000-7000-8000-000000000002",
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  body: {
    currency: "EUR",
    elements: [
      {
        priceComponents: Object.entries(prices).map(([type, price]) => ({
          type: type as "ENERGY",
          price,
          stepSize: 1
        }))
      }
    ]
  }
})

const meterStartWh = 12_345

const bill = ({ everyMillis, phases, prices, reports, standbyPowerW, statuses = [], stepWh }: Story): PricedResult => {
  const length = phases.at(-1)!.until
  const wattsAt = (at: number) => phases.find(({ until }) => at <= until)?.watts ?? 0
  const energyAt = (at: number) => {
    let [from, wh] = [0, 0]
    for (const { until, watts } of phases) {
      wh += (watts * Math.max(0, Math.min(at, until) - from)) / hour
      from = until
    }
    return wh
  }
  const readings: Array<LedgerReading> = []
  for (let at = everyMillis; at < length; at += everyMillis) {
    const registerWh = Math.floor((meterStartWh + energyAt(at)) / stepWh) * stepWh
    const [measurand, value, unit] =
      reports === "current"
        ? (["Current.Import", String(wattsAt(at) / 230), "A"] as const)
        : (["Power.Active.Import", String(wattsAt(at)), "W"] as const)
    const rest = { context: "Sample.Periodic", format: "Raw", location: "Outlet", phase: undefined } as const
    const samples = reports === undefined || reports === "nothing" ? undefined : [{ measurand, value, unit, ...rest }]
    readings.push({ at: start + at, registerWh, samples })
  }
  const energyWh = Math.round(energyAt(length))
  const session = chargedSession({
    endedAt: start + length,
    meterStartWh,
    meterStopWh: meterStartWh + energyWh,
    energyWh
  })
  return priceOf({
    session,
    readings,
    statuses: statuses.map(([after, status]) => ({ at: start + after, status })),
    timeZone: "UTC",
    surroundings: { maxPowerW: undefined, before: undefined, standbyPowerW },
    tariff: tariffOf(prices)
  })
}

const charging = [[second, "Charging"]] as const
const energyAndParking = { ENERGY: 0.4, PARKING_TIME: 6 }
const anHour = (watts: number) => [{ watts, until: hour }]

describe("a vehicle that charges slowly with a coarse register is not parked", () => {
  const coarse = { stepWh: 100, everyMillis: minute, reports: "power", statuses: charging } as const

  it("at 3.7 kW in steps of 0.1 kWh, read once a minute", () => {
    const { costs, parkingMillis, total } = bill({ ...coarse, phases: anHour(3700), prices: energyAndParking })
    expect(total.exclVat).toBe(1.48)
    expect(costs.parking.exclVat).toBe(0)
    expect(parkingMillis).toBe(0)
  })

  it("at 1.4 kW in steps of 0.1 kWh", () =>
    expect(bill({ ...coarse, phases: anHour(1400), prices: energyAndParking }).total.exclVat).toBe(0.56))

  it("at 11 kW in steps of 1 kWh", () =>
    expect(bill({ ...coarse, stepWh: 1000, phases: anHour(11_000), prices: energyAndParking }).total.exclVat).toBe(4.4))

  it("and pays for all of its time", () =>
    expect(bill({ ...coarse, phases: anHour(3700), prices: { TIME: 6 } }).total.exclVat).toBe(6))

  it.each(["current", "nothing"] as const)("also when the meter reports %s besides the register", (reports) => {
    expect(bill({ ...coarse, reports, phases: anHour(3700), prices: energyAndParking }).total.exclVat).toBe(1.48)
    expect(bill({ ...coarse, reports, phases: anHour(1400), prices: energyAndParking }).total.exclVat).toBe(0.56)
    expect(
      bill({ ...coarse, reports, stepWh: 1000, phases: anHour(11_000), prices: energyAndParking }).total.exclVat
    ).toBe(4.4)
  })

  it("until it is full, which the reported power shows", () => {
    const phases = [
      { watts: 7400, until: hour },
      { watts: 0, until: 1.5 * hour }
    ]
    const { costs, periods } = bill({ ...coarse, phases, prices: energyAndParking })
    expect(costs.parking.exclVat).toBeCloseTo(3, 0)
    expect(new Set(periods.flatMap(({ evidence = [] }) => evidence))).toContain("Power")
  })

  it("until it has been full for so long that a register step would be mere standby", () => {
    const phases = [
      { watts: 7400, until: hour },
      { watts: 0, until: 5 * hour }
    ]
    const { costs, periods } = bill({ ...coarse, reports: "nothing", phases, prices: energyAndParking })
    expect(costs.parking.exclVat).toBeCloseTo(24, 0)
    expect(periods.at(-1)).toMatchObject({ charging: false, evidence: ["Register"] })
  })
})

describe("the vehicle status that the charger reports overrides the meter", () => {
  const full = [
    { watts: 11_000, until: hour },
    { watts: 20, until: 6 * hour }
  ]
  const suspended = [...charging, [hour, "SuspendedEV"]] as const

  it.each([15 * minute, minute])(
    "for five hours of SuspendedEV with 20 W of standby, read every %i ms",
    (everyMillis) => {
      const { costs, periods } = bill({
        stepWh: 1,
        everyMillis,
        phases: full,
        statuses: suspended,
        prices: energyAndParking
      })
      expect(costs.parking.exclVat).toBe(30)
      expect(periods.map(({ charging, evidence }) => ({ charging, evidence }))).toEqual([
        { charging: true, evidence: ["Register"] },
        { charging: false, evidence: ["Status"] }
      ])
    }
  )

  it("for forty minutes of SuspendedEV without a reading", () => {
    const phases = [
      { watts: 11_000, until: 20 * minute },
      { watts: 0, until: hour }
    ]
    const statuses = [...charging, [20 * minute, "SuspendedEV"]] as const
    const { costs, energyWh } = bill({ stepWh: 1, everyMillis: 2 * hour, phases, statuses, prices: energyAndParking })
    expect(costs.parking.exclVat).toBe(4)
    expect(energyWh).toBe(3667)
  })

  it("for Finishing, until the driver unplugs", () => {
    const statuses = [...charging, [hour, "Finishing"]] as const
    const prices = { PARKING_TIME: 6 }
    expect(bill({ stepWh: 1, everyMillis: minute, phases: full, statuses, prices }).total.exclVat).toBe(30)
  })

  it("for SuspendedEVSE, the charger's own pause, which costs no parking", () => {
    const phases = [
      { watts: 11_000, until: 20 * minute },
      { watts: 0, until: 40 * minute },
      { watts: 11_000, until: hour }
    ]
    const statuses = [...charging, [20 * minute, "SuspendedEVSE"], [40 * minute, "Charging"]] as const
    const { parkingMillis, periods } = bill({
      stepWh: 1,
      everyMillis: minute,
      phases,
      statuses,
      prices: energyAndParking
    })
    expect(parkingMillis).toBe(0)
    expect(periods).toHaveLength(1)
    expect(periods[0]?.evidence).toEqual(["Status", "Register"])
  })

  it("except for Charging, which proves nothing: a full vehicle is parked by the register", () => {
    const { costs } = bill({
      stepWh: 1,
      everyMillis: minute,
      phases: full,
      statuses: charging,
      prices: energyAndParking
    })
    expect(costs.parking.exclVat).toBe(30)
  })

  it("also when reported before the session, unless it ended another session", () => {
    const phases = [{ watts: 0, until: hour }]
    const of = (status: string) =>
      bill({ stepWh: 1, everyMillis: minute, phases, statuses: [[-minute, status]], prices: { PARKING_TIME: 6 } })
    expect(of("SuspendedEVSE").total.exclVat).toBe(0)
    expect(of("SuspendedEV").periods[0]?.evidence).toEqual(["Status"])
    expect(of("Finishing").periods[0]?.evidence).toEqual(["Register"])
  })
})

describe("the register, between readings or between steps", () => {
  it("distinguishes a vehicle of 200 W from one of 50 W when read in whole Wh every ten seconds", () => {
    const of = (watts: number) =>
      bill({ stepWh: 1, everyMillis: 10 * second, phases: anHour(watts), prices: { PARKING_TIME: 6 } }).parkingMillis
    expect(of(200)).toBe(0)
    expect(of(50)).toBe(hour)
  })

  it("uses a configurable limit for standby power", () => {
    const of = (standbyPowerW: number) =>
      bill({ stepWh: 1, everyMillis: minute, phases: anHour(150), prices: { PARKING_TIME: 6 }, standbyPowerW })
    expect(of(100).total.exclVat).toBe(0)
    expect(of(200).total.exclVat).toBe(6)
  })

  it("is not taken for coarse because a few values happen to be round", () => {
    const phases = [
      { watts: 4000, until: 30 * minute },
      { watts: 0, until: hour },
      { watts: 4000, until: 1.25 * hour }
    ]
    const { parkingMillis } = bill({ stepWh: 1000, everyMillis: 30 * minute, phases, prices: { PARKING_TIME: 6 } })
    expect(parkingMillis).toBe(30 * minute)
  })

  it("counts as charging when nothing can be known", () => {
    const phases = [
      { watts: 7400, until: hour },
      { watts: 0, until: hour + 20 * minute }
    ]
    const { parkingMillis, periods } = bill({ stepWh: 100, everyMillis: minute, phases, prices: { PARKING_TIME: 6 } })
    expect(parkingMillis).toBe(0)
    expect(periods.flatMap(({ evidence = [] }) => evidence)).toContain("Assumed")
  })

  it("does not charge a step of parking for ten seconds without growth before an hour of charging", () => {
    const elements = { ENERGY: 0.4, TIME: 1, PARKING_TIME: 5 }
    const phases = [
      { watts: 0, until: 10 * second },
      { watts: 7400, until: hour }
    ]
    const { costs } = bill({ stepWh: 1, everyMillis: 10 * second, phases, prices: elements })
    expect(costs.parking.exclVat).toBeLessThan(0.02)
  })
})
