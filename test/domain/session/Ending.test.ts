import { describe, expect, it } from "vitest"
import type { RegisterRules } from "../../../src/domain/charger/Quirks.ts"
import { ending } from "../../../src/domain/session/Ending.ts"
import { minute, session } from "../../support/events.ts"

const stop = { at: minute(30), rawAt: "raw", tokenUid: "ANNA", meterStopWh: 6000, reason: "Remote" }

describe("the end of a session", () => {
  const cases = [
    {
      name: "has the energy between its registers",
      stop,
      register: 9999,
      expected: { meterStopWh: 6000, energyWh: 5000, heldReason: undefined }
    },
    {
      name: "takes the newest reading when the stop has no register",
      stop: { ...stop, meterStopWh: undefined },
      register: 4000,
      expected: { meterStopWh: 4000, energyWh: 3000, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy when there is no reading either",
      stop: { ...stop, meterStopWh: undefined },
      register: undefined,
      expected: { meterStopWh: undefined, energyWh: undefined, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy when the newest reading is below the start",
      stop: { ...stop, meterStopWh: undefined },
      register: 10,
      expected: { meterStopWh: 10, energyWh: undefined, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy when the register fell",
      stop: { ...stop, meterStopWh: 999 },
      register: 4000,
      expected: { meterStopWh: 999, energyWh: undefined, heldReason: "MeterStopBelowStart" }
    },
    {
      name: "reports the fallen register rather than the implausible clock",
      stop: { ...stop, at: minute(-1), meterStopWh: 900 },
      register: undefined,
      expected: { heldReason: "MeterStopBelowStart" }
    }
  ]
  for (const { expected, name, register, stop } of cases) {
    it(name, () => expect(ending(session(), stop, register).body).toMatchObject(expected))
  }

  it("uses the start register for a refused card that stops with 0, unless a reading shows energy", () => {
    const refused = { ...session(), authorization: "Blocked" as const }
    const letGo = { ...stop, meterStopWh: 0, reason: "DeAuthorized" }
    const nothing = { meterStopWh: 1000, rawMeterStopWh: 0, energyWh: 0, heldReason: undefined }
    expect(ending(refused, letGo, undefined).body).toMatchObject(nothing)
    expect(ending(refused, letGo, 1005).body).toMatchObject(nothing)
    expect(ending(refused, letGo, 2000).body).toMatchObject({ heldReason: "MeterStopBelowStart" })
    expect(ending(session(), letGo, undefined).body).toMatchObject({ heldReason: "MeterStopBelowStart" })
  })

  it("is never before its start", () => {
    expect(ending(session(), { ...stop, at: minute(-1) }, undefined)).toMatchObject({
      at: minute(0),
      body: { heldReason: "ClockImplausible", energyWh: 5000, rawAt: "raw" }
    })
    expect(ending(session(), { ...stop, at: minute(0) }, undefined)).toMatchObject({
      at: minute(0),
      body: { heldReason: undefined }
    })
  })

  it("has the reason Local when none was given", () => {
    expect(ending(session(), { ...stop, reason: undefined }, undefined).body.reason).toBe("Local")
  })
})

describe("the registers of a session's end", () => {
  interface ReportedRegisters {
    readonly start?: number
    readonly stop: number | undefined
    readonly begin?: number
    readonly end?: number
    readonly rules?: RegisterRules
  }
  const bodyOf = ({ begin, end, rules = {}, start = 1_000_000, stop: meterStopWh }: ReportedRegisters) =>
    ending(session({ meterStartWh: start }), { ...stop, meterStopWh }, undefined, { beginWh: begin, endWh: end, rules })
      .body
  const summaryOf = (given: ReportedRegisters) => {
    const { energyWh, heldReason, meterStartWh = given.start ?? 1_000_000, meterStopWh } = bodyOf(given)
    return heldReason ?? `${meterStartWh} to ${meterStopWh} is ${energyWh}`
  }
  const odometer = { begin: 1_000_000, end: 1_005_000 }
  const counter = { begin: 0, end: 5000 }

  const cases: ReadonlyArray<readonly [string, ReportedRegisters, string]> = [
    ["are those of start and stop", { stop: 1_005_000 }, "1000000 to 1005000 is 5000"],
    [
      "are those of start and stop when the readings agree",
      { stop: 1_005_000, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "are those of start and stop when the readings are in whole kWh",
      { stop: 1_005_900, begin: 1_000_000, end: 1_005_000 },
      "1000000 to 1005900 is 5900"
    ],
    [
      "are those of start and stop when the readings count the session",
      { stop: 1_005_000, ...counter },
      "1000000 to 1005000 is 5000"
    ],
    [
      "are those of start and stop when these count the session and the readings are absolute",
      { start: 0, stop: 5000, ...odometer },
      "0 to 5000 is 5000"
    ],
    [
      "are those of start and stop when all count the session",
      { start: 0, stop: 5000, ...counter },
      "0 to 5000 is 5000"
    ],
    [
      "are those of start and stop when the readings have only an absolute begin",
      { start: 0, stop: 5000, begin: 1_000_000 },
      "0 to 5000 is 5000"
    ],
    [
      "are those of start and stop when the readings have only an end",
      { stop: 1_005_000, end: 1_005_000 },
      "1000000 to 1005000 is 5000"
    ],
    [
      "are those of start and stop when the readings have only an end that counts the session",
      { stop: 1_005_000, end: 5000 },
      "1000000 to 1005000 is 5000"
    ],

    [
      "take the end from the readings when the stop has none",
      { stop: undefined, end: 1_005_000 },
      "1000000 to 1005000 is 5000"
    ],
    ["take the end from the readings when the stop says 0", { stop: 0, end: 1_005_000 }, "1000000 to 1005000 is 5000"],
    [
      "take the end from readings that also have the begin",
      { stop: undefined, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "take the end from readings that alone count the session",
      { stop: undefined, ...counter },
      "1000000 to 1005000 is 5000"
    ],
    [
      "take begin and end from the readings when start and stop say 0",
      { start: 0, stop: 0, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "take the end from readings that count the session when start and stop say 0",
      { start: 0, stop: 0, ...counter },
      "0 to 5000 is 5000"
    ],
    [
      "take no end from the readings when the start says 0 and the readings have no begin",
      { start: 0, stop: undefined, end: 1_005_000 },
      "MeterStopMissing"
    ],
    ["take no end below the start", { stop: undefined, end: 5000 }, "MeterStopBelowStart"],
    [
      "take no end below the readings' begin",
      { stop: undefined, begin: 1_000_000, end: 999_000 },
      "MeterStopBelowStart"
    ],
    [
      "take no end from readings whose begin disagrees",
      { stop: undefined, begin: 700_000, end: 705_000 },
      "RegistersDisagree"
    ],
    ["are incomplete without any end", { stop: undefined, begin: 1_000_000 }, "MeterStopMissing"],

    [
      "take the begin from the readings when the start says 0",
      { start: 0, stop: 1_005_000, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "take begin and end from the readings when start is 0 and stop is missing",
      { start: 0, stop: undefined, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "are held when the start says 0 and the readings have only a begin",
      { start: 0, stop: 1_005_000, begin: 1_000_000 },
      "RegistersDisagree"
    ],
    [
      "are held when they could be absolute or count the session",
      { start: 0, stop: 5000, begin: 600, end: 5000 },
      "RegistersDisagree"
    ],

    [
      "are held when the readings show less energy",
      { stop: 1_005_000, begin: 1_000_000, end: 1_003_000 },
      "RegistersDisagree"
    ],
    [
      "are held when the readings show more energy",
      { stop: 1_005_000, begin: 1_000_000, end: 1_009_000 },
      "RegistersDisagree"
    ],
    [
      "are held when readings that count the session show more energy",
      { start: 0, stop: 5000, begin: 0, end: 9000 },
      "RegistersDisagree"
    ],
    ["are held when the readings begin elsewhere", { stop: 1_005_000, begin: 1_003_000 }, "RegistersDisagree"],
    ["are held when the readings end elsewhere", { stop: 1_005_000, end: 1_009_000 }, "RegistersDisagree"],
    ["are held when the stop fell, whatever the readings say", { stop: 900, end: 1_005_000 }, "MeterStopBelowStart"]
  ]
  for (const [name, given, expected] of cases) it(name, () => expect(summaryOf(given)).toBe(expected))

  it("continue past a rollover if the make has one, and are held if not", () => {
    const rolled = { start: 99_999_000, stop: 4000 }
    const rules = { registerRollsOverAtWh: 100_000_000 }
    expect(summaryOf({ ...rolled, rules })).toBe("99999000 to 100004000 is 5000")
    expect(bodyOf({ ...rolled, rules }).rawMeterStopWh).toBe(4000)
    expect(summaryOf(rolled)).toBe("MeterStopBelowStart")
  })

  it("begin at 0 for a make that counts each session, whatever the start says", () => {
    const rules = { registerCountsSession: true }
    expect(summaryOf({ start: 7000, stop: 5000, rules })).toBe("0 to 5000 is 5000")
    expect(summaryOf({ start: 3000, stop: 5000, rules })).toBe("0 to 5000 is 5000")
    expect(summaryOf({ start: 7000, stop: 5000 })).toBe("MeterStopBelowStart")
  })

  it("keep the raw stop when another value is used, and the start register only when readings show it", () => {
    expect(bodyOf({ start: 0, stop: 0, ...odometer })).toMatchObject({ meterStartWh: 1_000_000, rawMeterStopWh: 0 })
    expect(bodyOf({ stop: 1_005_000, ...odometer })).not.toHaveProperty("rawMeterStopWh")
    expect(bodyOf({ stop: 1_005_000, ...odometer })).not.toHaveProperty("meterStartWh")
    // 0 may mean a missing figure, unless a begin value says the same.
    expect(bodyOf({ start: 0, stop: 5000, ...counter })).toMatchObject({ meterStartWh: 0 })
    expect(bodyOf({ start: 0, stop: 5000 })).not.toHaveProperty("meterStartWh")
    expect(bodyOf({ start: 0, stop: 1_005_000, begin: 0 })).not.toHaveProperty("meterStartWh")
  })
})
