import { describe, expect, it } from "vitest"
import { countedOn, figureOf, isSigned, registersOf, type Sample } from "../../../src/domain/charger/MeterValue.ts"
import { at, energy, minute, reading } from "../../support/events.ts"

const registers = (samples: ReadonlyArray<Sample>, rules = {}) => registersOf(reading(at(minute(0)), ...samples), rules)

interface RegisterCase {
  readonly name: string
  readonly samples: ReadonlyArray<Sample>
  readonly wh: number | undefined
}

const testRegisters = (cases: ReadonlyArray<RegisterCase>) => {
  for (const { name, samples, wh } of cases) it(name, () => expect(registers(samples).now).toBe(wh))
}

describe("a measured value", () => {
  const figures: ReadonlyArray<readonly [string, number]> = [
    ["0", 0],
    ["1234", 1234],
    ["-5", -5],
    ["+5", 5],
    ["0012.50", 12.5],
    [".5", 0.5],
    ["5.", 5],
    [" 7\n", 7],
    ["1.5e3", 1500],
    ["1E-2", 0.01]
  ]
  for (const [text, figure] of figures)
    it(`is parsed from ${JSON.stringify(text)}`, () => expect(figureOf(text)).toBe(figure))

  const others = [
    "",
    "  ",
    ".",
    "-",
    "NaN",
    "Infinity",
    "0x1F",
    "1F",
    "12 Wh",
    "1,5",
    "1.234,5",
    "1_000",
    "1e400",
    "٣",
    "e3",
    "null"
  ]
  for (const text of [...others, "1".repeat(41)]) {
    it(`is not parsed from ${JSON.stringify(text)}`, () => expect(figureOf(text)).toBeUndefined())
  }

  it("is not searched for in a megabyte of digits", () => expect(figureOf(`${"1".repeat(1_000_000)}x`)).toBeUndefined())
})

describe("the energy register of a sample", () => {
  testRegisters([
    { name: "in Wh is unchanged", samples: [energy("1234")], wh: 1234 },
    { name: "without a unit is in Wh", samples: [energy("1234", { unit: "" })], wh: 1234 },
    { name: "in wh is in Wh", samples: [energy("1234", { unit: " wh " })], wh: 1234 },
    { name: "in kWh is a thousand times that", samples: [energy("1.2345", { unit: "kWh" })], wh: 1235 },
    { name: "in KWH is recognised as kWh", samples: [energy("2", { unit: "KWH" })], wh: 2000 },
    { name: "in another unit is none", samples: [energy("2", { unit: "kW" })], wh: undefined },
    { name: "in an unknown unit is none", samples: [energy("2", { unit: "Joule" })], wh: undefined },
    {
      name: "in a unit named like an object property is none",
      samples: [energy("2", { unit: "constructor" })],
      wh: undefined
    },
    { name: "is rounded to whole Wh", samples: [energy("10.4")], wh: 10 },
    { name: "may be negative", samples: [energy("-5")], wh: -5 },
    { name: "beyond exact integers is none", samples: [energy("1e17")], wh: undefined },
    {
      name: "beyond exact integers in kWh is none",
      samples: [energy("9007199254741", { unit: "kWh" })],
      wh: undefined
    },
    { name: "in hex is none", samples: [energy("0x10")], wh: undefined },
    { name: "that is signed data is none", samples: [energy("1234", { format: "SignedData" })], wh: undefined },
    {
      name: "is recognised in any letter case",
      samples: [energy(7, { measurand: "energy.active.import.register" })],
      wh: 7
    },
    {
      name: "is not the export register",
      samples: [energy(7, { measurand: "Energy.Active.Export.Register" })],
      wh: undefined
    }
  ])

  it("is in kWh whatever its unit says, for a make with that rule in the quirk book", () => {
    const rules = { registerUnit: "kWh" } as const
    expect(["Wh", "kWh", ""].map((unit) => registers([energy("1.5", { unit })], rules).now)).toEqual([1500, 1500, 1500])
  })
})

describe("the energy register of a reading", () => {
  const interval = { measurand: "Energy.Active.Import.Interval" }
  testRegisters([
    {
      name: "is the import register among other samples",
      samples: [energy(7200, { measurand: "Power.Active.Import", unit: "W" }), energy(500)],
      wh: 500
    },
    { name: "may be given twice with equal values", samples: [energy(500), energy("500.0")], wh: 500 },
    { name: "is the finer one of two units", samples: [energy("1.2", { unit: "kWh" }), energy(1234)], wh: 1234 },
    { name: "is none when two values disagree", samples: [energy(1), energy(2)], wh: undefined },
    { name: "ignores a value that is not a number", samples: [energy("n/a"), energy(2)], wh: 2 },
    {
      name: "is none when only other measurands are given",
      samples: [energy(5, { measurand: "SoC", unit: "Percent" })],
      wh: undefined
    },
    { name: "is none for an empty reading", samples: [], wh: undefined },
    { name: "is not taken from an interval", samples: [energy(250, interval)], wh: undefined },
    { name: "is taken from beside an interval", samples: [energy(250, interval), energy(900)], wh: 900 },
    {
      name: "is taken from beside its signed record",
      samples: [energy("OCMF|{}|{}", { format: "SignedData" }), energy(900)],
      wh: 900
    }
  ])

  describe("in phases", () => {
    const phase = (name: string, wh: number | string) => energy(wh, { phase: name })
    testRegisters([
      {
        name: "is the total, not the sum of the phases",
        samples: [phase("L1", 100), phase("L2", 200), energy(310)],
        wh: 310
      },
      {
        name: "is the sum of the phases without a total",
        samples: [phase("L1", 100), phase("L2", 200), phase("L3", 5)],
        wh: 305
      },
      { name: "is that of a single phase if there is only one", samples: [phase("L1", 100)], wh: 100 },
      { name: "is the sum of phases against the neutral", samples: [phase("L1-N", 100), phase("L2-N", 200)], wh: 300 },
      { name: "counts a phase with two names once", samples: [phase("L1", 100), phase("L1-N", 100)], wh: 100 },
      { name: "is none when a phase has two values", samples: [phase("L1", 100), phase("L1-N", 150)], wh: undefined },
      { name: "recognises phases in any letter case", samples: [phase("l1", 100), phase(" l2-n ", 200)], wh: 300 },
      { name: "leaves out the neutral", samples: [phase("L1", 100), phase("N", 7)], wh: 100 },
      {
        name: "is none when there are only pairs of phases",
        samples: [phase("L1-L2", 100), phase("L2-L3", 100), phase("L3-L1", 100)],
        wh: undefined
      },
      { name: "leaves out pairs of phases", samples: [phase("L1", 100), phase("L1-L2", 170)], wh: 100 },
      { name: "is none when one phase cannot be read", samples: [phase("L1", 100), phase("L2", "")], wh: undefined },
      { name: "is rounded once", samples: [phase("L1", "0.4"), phase("L2", "0.4"), phase("L3", "0.4")], wh: 1 },
      {
        name: "is the sum of the phases when the total cannot be read",
        samples: [energy("-.-"), phase("L1", 100)],
        wh: 100
      }
    ])
  })

  describe("at several locations", () => {
    const place = (location: string, wh: number | string, more: Partial<Sample> = {}) =>
      energy(wh, { location, ...more })
    testRegisters([
      {
        name: "is the outlet's rather than the inlet's",
        samples: [place("Inlet", 990), place("Outlet", 900)],
        wh: 900
      },
      { name: "is the outlet's rather than the body's", samples: [place("Body", 990), place("Outlet", 900)], wh: 900 },
      { name: "is the inlet's if there is no other", samples: [place("Inlet", 990)], wh: 990 },
      {
        name: "prefers any known location to an unknown one",
        samples: [place("Roof", 1), place("Inlet", 990)],
        wh: 990
      },
      {
        name: "recognises locations in any letter case",
        samples: [place("INLET", 990), place("outlet", 900)],
        wh: 900
      },
      {
        name: "does not mix phases of two locations",
        samples: [place("Outlet", 100, { phase: "L1" }), place("Inlet", 200, { phase: "L2" }), place("Inlet", 300)],
        wh: 100
      },
      {
        name: "is none when the preferred one cannot be read",
        samples: [place("Outlet", "n/a"), place("Inlet", 990)],
        wh: undefined
      }
    ])
  })

  describe("with begin and end of a transaction", () => {
    const begin = energy(1000, { context: "Transaction.Begin" })
    const end = energy(6000, { context: "Transaction.End" })
    it("is each by its context, and the current one is the end's", () => {
      expect(registers([begin, end])).toEqual({ begin: 1000, end: 6000, now: 6000 })
      expect(registers([end, begin])).toEqual({ begin: 1000, end: 6000, now: 6000 })
      expect(registers([begin, energy(5000)])).toEqual({ begin: 1000, end: undefined, now: 5000 })
      expect(registers([energy(5000), end])).toEqual({ begin: undefined, end: 6000, now: 6000 })
      expect(registers([begin])).toEqual({ begin: 1000, end: undefined, now: 1000 })
    })
    it("has no current value when the reading's other values disagree", () =>
      expect(registers([begin, energy(1), energy(2)])).toEqual({ begin: 1000, end: undefined, now: undefined }))
  })
})

describe("a register that rolls over", () => {
  const rules = { registerRollsOverAtWh: 100_000_000 }
  const cases: ReadonlyArray<readonly [string, number, number, number]> = [
    ["is continued", 99_999_000, 500, 100_000_500],
    ["is unchanged before the rollover", 99_999_000, 99_999_500, 99_999_500],
    ["is unchanged after a small fall, which is no rollover", 99_999_000, 99_998_990, 99_998_990],
    ["is unchanged after a fall by half, which may be another meter", 60_000_000, 10_000_000, 10_000_000],
    ["is unchanged when the session began above the limit, so that the rule is wrong", 100_000_001, 5, 5],
    ["is unchanged at zero, which may be a missing figure", 99_999_000, 0, 0],
    ["is unchanged below zero", 99_999_000, -1, -1]
  ]
  for (const [name, start, wh, counted] of cases) it(name, () => expect(countedOn(wh, start, rules)).toBe(counted))
  it("is never continued without a rule", () => expect(countedOn(500, 99_999_000, {})).toBe(500))
})

describe("signed data", () => {
  it("is recognised by its format, in any letter case, and OCMF by its content", () => {
    const formats = ["SignedData", "signeddata", "Raw"]
    expect(formats.map((format) => isSigned(energy("1", { format })))).toEqual([true, true, false])
    expect(isSigned(energy("OCMF|{}|{}"))).toBe(true)
  })
})
