/** The power that is displayed: what a meter reports, or what two registers show. */
import { describe, expect, it } from "vitest"
import { powerBetween, reportedPowerOf } from "../../../src/domain/charger/Power.ts"
import { at, ended, energy, metered, minute, reading, started } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const power = (value: string | number, unit = "W", phase?: string) => ({
  ...energy(value),
  measurand: "Power.Active.Import",
  unit,
  ...(phase === undefined ? {} : { phase })
})

describe("the power that a reading reports", () => {
  it("is in whole watts, whatever its unit, and sums the phases", () => {
    expect(reportedPowerOf([energy(5), power("7.36", "kW")])).toBe(7360)
    expect(reportedPowerOf([power(2300, "W", "L1"), power(2310.4, "W", "L2")])).toBe(4610)
    expect(reportedPowerOf([power(0)])).toBe(0)
  })

  it("is unknown when none is reported, or when it is negative, not a number or beyond any charger", () => {
    expect(reportedPowerOf([energy(5)])).toBeUndefined()
    expect(reportedPowerOf([power(-20)])).toBeUndefined()
    expect(reportedPowerOf([power(10_000_001)])).toBeUndefined()
    expect(reportedPowerOf([power("much")])).toBeUndefined()
  })
})

describe("the power between two registers", () => {
  const between = (wh: number, more: number, seconds: number) =>
    powerBetween({ wh, at: 0 }, { wh: wh + more, at: seconds * 1000 })

  it("is their energy divided by their time", () => {
    expect(between(1234, 183, 60)).toBe(10_980)
    expect(between(1234, 0, 60)).toBe(0)
  })

  it("is unknown when the register counts in steps that are too large for that time", () => {
    expect(between(5000, 1000, 60)).toBeUndefined()
    expect(between(5000, 0, 60)).toBeUndefined()
    expect(between(5000, 5000, 900)).toBe(20_000)
    expect(between(1230, 180, 60)).toBe(10_800)
  })

  it("is unknown when the register fell, no time passed, or more than an hour passed", () => {
    expect(between(1234, -1, 60)).toBeUndefined()
    expect(between(1234, 100, 0)).toBeUndefined()
    expect(between(1234, 100, 3601)).toBeUndefined()
  })
})

describe("MeterValues of a session", () => {
  const charging = () => {
    const charger = new ModelService().charger()
    charger.now = minute(60)
    const id = charger.start(started())
    const said = (...readings: ReadonlyArray<ReturnType<typeof reading>>) => {
      charger.say(metered(id, readings))
      const { powerAt, powerW } = charger.factsOf("MeterRead").at(-1)?.body ?? {}
      return [powerW, powerAt]
    }
    return { charger, id, said }
  }

  it("give the session the power that the newest reading reports", () => {
    const { said } = charging()
    const older = reading(at(minute(8)), energy(2101), power(4000))
    expect(said(reading(at(minute(9)), energy(2203), power(11_000)), older)).toEqual([11_000, minute(9)])
    expect(said(reading(at(minute(10)), power(9000)))).toEqual([9000, minute(10)])
  })

  it("give it the power between two registers when no power is reported", () => {
    const { said } = charging()
    expect(said(reading(at(minute(10)), energy(2001)))).toEqual([undefined, undefined])
    expect(said(reading(at(minute(12)), energy(2367)))).toEqual([10_980, minute(12)])
  })

  it("give no power to a session that has ended", () => {
    const { charger, id, said } = charging()
    charger.say(ended(id))
    expect(said(reading(at(minute(10)), energy(2001), power(11_000)))).toEqual([undefined, undefined])
  })
})
