import { describe, expect, it } from "vitest"
import {
  builtInQuirks,
  callableFrom,
  concerns,
  type Quirk,
  registerRulesOf,
  tolerancesOf
} from "../../../src/domain/charger/Quirks.ts"

const make = (vendor: string, model = "M", firmwareVersion = "1.0") => ({ vendor, model, firmwareVersion })
const rule = (parts: Partial<Quirk>): Quirk => ({ name: "rule", tolerances: { callTimeoutSeconds: 90 }, ...parts })

describe("a rule of the quirk book", () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["Alfen BV", "Alfen BV", true],
    ["alfen bv", " Alfen BV ", true],
    ["Alfen", "Alfen BV", false],
    ["Alfen*", "Alfen BV", true],
    ["*alfen*", "The Alfen BV", true],
    ["*BV", "Alfen BV", true],
    ["*BV", "Alfen BV 2", false],
    ["A*f*BV", "Alfen BV", true],
    ["A*x*BV", "Alfen BV", false],
    ["ab*ba", "aba", false],
    ["*", "anything", true],
    ["a.c", "abc", false],
    ["(x)+", "(x)+", true]
  ]
  for (const [pattern, vendor, fits] of cases) {
    it(`${fits ? "fits" : "does not fit"} ${JSON.stringify(vendor)} with ${JSON.stringify(pattern)}`, () =>
      expect(concerns(rule({ vendor: pattern }), make(vendor))).toBe(fits))
  }

  it("must match every field that it names", () => {
    const narrow = rule({ vendor: "ABB", model: "*TACW22*", firmware: "*1.8.21" })
    expect(concerns(narrow, make("ABB", "CDT_TACW22::NET_WIFI", "TAC3::V1.8.21"))).toBe(true)
    expect(concerns(narrow, make("ABB", "CDT_TACW22::NET_WIFI", "TAC3::V1.8.32"))).toBe(false)
    expect(concerns(narrow, make("ABB", "CDT_TACW11::NET_WIFI", "TAC3::V1.8.21"))).toBe(false)
  })

  it("matches no charger that has not identified itself", () =>
    expect(concerns(rule({ vendor: "*" }), make("", "", ""))).toBe(false))

  it("matches a pattern of fifty wildcards without slowing down", () => {
    const slow = rule({ vendor: `${"*a".repeat(50)}b` })
    expect(concerns(slow, make("a".repeat(100_000)))).toBe(false)
  })
})

describe("the tolerances of a make", () => {
  it("are none by default", () => expect(tolerancesOf(make("Unlisted"))).toEqual({}))

  it("are those of the built-in rules, each of which cites its evidence", () => {
    expect(tolerancesOf(make("MENNEKES Elektrotechnik"))).toEqual({ callTimeoutSeconds: 120 })
    expect(tolerancesOf(make("Wall Box Chargers", "PLP2-M-2-4", "6.6.12"))).toEqual({ waitForBootSeconds: 20 })
    expect(builtInQuirks.filter(({ evidence = "" }) => !evidence.includes("#"))).toEqual([])
  })

  it("include how its registers are read, for no other make", () => {
    const own = [
      rule({ vendor: "Rolls*", tolerances: { registerRollsOverAtWh: 1_000_000 } }),
      rule({ vendor: "Rolls*", model: "2", tolerances: { registerUnit: "kWh" } })
    ]
    expect(registerRulesOf(make("Rolls", "2"), own)).toEqual({ registerRollsOverAtWh: 1_000_000, registerUnit: "kWh" })
    expect([registerRulesOf(make("Other"), own), registerRulesOf(make("Rolls"))]).toEqual([{}, {}])
  })

  it("take each tolerance from the organisation's last matching rule", () => {
    const own = [
      rule({ vendor: "mennekes*", tolerances: { callTimeoutSeconds: 200, statusAfterConnect: true } }),
      rule({ model: "M", tolerances: { callTimeoutSeconds: 30 } })
    ]
    expect(tolerancesOf(make("Mennekes"), own)).toEqual({ callTimeoutSeconds: 30, statusAfterConnect: true })
  })
})

describe("when a charger may be called", () => {
  it("is at once, unless its make needs a delay", () =>
    expect(callableFrom({}, { connectedAt: 1000, bootedAt: undefined })).toBe(1000))

  it("is after its boot, or after the time allowed for it", () => {
    const tolerances = { waitForBootSeconds: 20 }
    expect(callableFrom(tolerances, { connectedAt: 1000, bootedAt: undefined })).toBe(21_000)
    expect(callableFrom(tolerances, { connectedAt: 1000, bootedAt: 3000 })).toBe(3000)
  })

  it("is some time after its boot if its make needs that", () =>
    expect(callableFrom({ quietAfterBootSeconds: 7 }, { connectedAt: 1000, bootedAt: 3000 })).toBe(10_000))
})
