/** What a session's chart shows: power and energy from registers, limits from samples and profiles, bands from the price. */
import { describe, expect, it } from "vitest"
import { bandsOf, energyOf, offeredOf, plannedOf, powerOf } from "../../console/src/pages/session/curves.ts"

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString()
const ms = (minute: number) => Date.parse(at(minute))

type Sample = readonly [measurand: string, value: string, unit?: string, phase?: string]

const reading = (minute: number, energyWh: number | null, ...samples: ReadonlyArray<Sample>) => ({
  at: at(minute),
  energyWh,
  samples: samples.map(([measurand, value, unit = "W", phase]) => ({ measurand, value, unit, phase: phase ?? null }))
})

describe("the curves of a session", () => {
  it("are the average power between meter readings and the energy since the start, in whatever order readings come", () => {
    const readings = [reading(30, 2_000), reading(0, 1_000), reading(10, null), reading(60, 1_900)]
    expect(powerOf(readings)).toEqual([
      { at: ms(30), value: 2 },
      { at: ms(60), value: 0 }
    ])
    expect(energyOf(readings, 500)).toEqual([
      { at: ms(0), value: 0.5 },
      { at: ms(30), value: 1.5 },
      { at: ms(60), value: 1.4 }
    ])
  })
})

describe("the limits of a session", () => {
  it("are what the charger offered, taken from the power if it reports power and current", () => {
    const readings = [
      reading(0, 0, ["Power.Offered", "11000"]),
      reading(5, 0, ["Power.Offered", "11.0", "kW"]),
      reading(10, 0, ["Power.Offered", "7.4", "kW"], ["Current.Offered", "32", "A"])
    ]
    expect(offeredOf(readings, undefined)).toEqual({
      of: "Power.Offered",
      points: [
        { at: ms(0), value: 11 },
        { at: ms(10), value: 7.4 }
      ]
    })
  })

  it("are computed from an offered current with the connector's voltage and phases, and unknown without them", () => {
    const readings = [reading(0, 0, ["Current.Offered", "10", "A", "L1"], ["Current.Offered", "16", "A", "L2"])]
    expect(offeredOf(readings, undefined)).toBeUndefined()
    expect(offeredOf(readings, { voltage: 230, phases: 3 })).toEqual({
      of: "Current.Offered",
      points: [{ at: ms(0), value: 11.04 }]
    })
    const ofPhases = reading(0, 0, ["Power.Offered", "3000", "W", "L1"], ["Power.Offered", "2000", "W", "L2"])
    expect(offeredOf([ofPhases], undefined)?.points).toEqual([{ at: ms(0), value: 5 }])
    expect(offeredOf([reading(0, 0, ["Power.Offered", "much"])], { voltage: 230, phases: 3 })).toBeUndefined()
  })

  it("are those of the profiles in force between two times, starting with the one that already applies", () => {
    const schedule = {
      startSchedule: at(0),
      chargingSchedulePeriod: [
        { startPeriod: 0, limit: 11_000 },
        { startPeriod: 600, limit: 6_000 },
        { startPeriod: 7_200, limit: 3_000 }
      ]
    }
    expect(plannedOf(schedule, ms(5), ms(60))).toEqual([
      { at: ms(5), value: 11 },
      { at: ms(10), value: 6 }
    ])
    expect(plannedOf({ chargingSchedulePeriod: [] }, ms(5), ms(60))).toEqual([])
  })
})

describe("the periods of the tariff", () => {
  const line = (
    kind: string,
    from: number | null,
    to: number | null,
    element: number | null,
    price: number | null
  ) => ({
    kind,
    from: from === null ? null : at(from),
    to: to === null ? null : at(to),
    element,
    price,
    unit: "kWh"
  })

  it("are those of the energy price, joined where it does not change", () => {
    const lines = [
      line("session", null, null, 0, 1),
      line("energy", 20, 40, 1, 0.4),
      line("energy", 0, 10, 0, 0.3),
      line("energy", 10, 20, 0, 0.3),
      line("time", 0, 40, 2, 1),
      line("rounding", 0, 40, null, null)
    ]
    expect(bandsOf(lines)).toEqual([
      { from: ms(0), to: ms(20), element: 0, price: 0.3, unit: "kWh" },
      { from: ms(20), to: ms(40), element: 1, price: 0.4, unit: "kWh" }
    ])
  })

  it("are those of the time price if energy has no price, and none if neither has one", () => {
    expect(bandsOf([line("time", 0, 40, 2, 1)])).toEqual([
      { from: ms(0), to: ms(40), element: 2, price: 1, unit: "kWh" }
    ])
    expect(bandsOf([line("session", null, null, 0, 1), line("maximum", 0, 40, null, null)])).toEqual([])
  })
})
