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
      name: "takes the newest reading where the stop has no register",
      stop: { ...stop, meterStopWh: undefined },
      register: 4000,
      expected: { meterStopWh: 4000, energyWh: 3000, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy where there is no reading either",
      stop: { ...stop, meterStopWh: undefined },
      register: undefined,
      expected: { meterStopWh: undefined, energyWh: undefined, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy where the newest reading fell",
      stop: { ...stop, meterStopWh: undefined },
      register: 10,
      expected: { meterStopWh: 10, energyWh: undefined, heldReason: "MeterStopMissing" }
    },
    {
      name: "has no energy where the register fell",
      stop: { ...stop, meterStopWh: 999 },
      register: 4000,
      expected: { meterStopWh: 999, energyWh: undefined, heldReason: "MeterStopBelowStart" }
    },
    {
      name: "names the register before the clock",
      stop: { ...stop, at: minute(-1), meterStopWh: 999 },
      register: undefined,
      expected: { heldReason: "MeterStopBelowStart" }
    }
  ]
  for (const { expected, name, register, stop } of cases) {
    it(name, () => expect(ending(session(), stop, register).body).toMatchObject(expected))
  }

  it("is where it began for a refused card that is let go of with a register of 0, and nothing shows that anything flowed", () => {
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

  it("without a reason was the driver's at the charger", () => {
    expect(ending(session(), { ...stop, reason: undefined }, undefined).body.reason).toBe("Local")
  })
})

describe("the registers of a session's end", () => {
  interface Told {
    readonly start?: number
    readonly stop: number | undefined
    readonly begin?: number
    readonly end?: number
    readonly rules?: RegisterRules
  }
  const bodyOf = ({ begin, end, rules = {}, start = 1_000_000, stop: meterStopWh }: Told) =>
    ending(session({ meterStartWh: start }), { ...stop, meterStopWh }, undefined, { beginWh: begin, endWh: end, rules })
      .body
  const told = (given: Told) => {
    const { energyWh, heldReason, meterStartWh = given.start ?? 1_000_000, meterStopWh } = bodyOf(given)
    return heldReason ?? `${meterStartWh} to ${meterStopWh} is ${energyWh}`
  }
  const odometer = { begin: 1_000_000, end: 1_005_000 }
  const counter = { begin: 0, end: 5000 }

  const cases: ReadonlyArray<readonly [string, Told, string]> = [
    ["are start's and stop's", { stop: 1_005_000 }, "1000000 to 1005000 is 5000"],
    ["are so with readings that agree", { stop: 1_005_000, ...odometer }, "1000000 to 1005000 is 5000"],
    [
      "are so with readings in whole kWh",
      { stop: 1_005_900, begin: 1_000_000, end: 1_005_000 },
      "1000000 to 1005900 is 5900"
    ],
    ["are so with readings that count the session", { stop: 1_005_000, ...counter }, "1000000 to 1005000 is 5000"],
    [
      "are so when they count the session and the readings go on",
      { start: 0, stop: 5000, ...odometer },
      "0 to 5000 is 5000"
    ],
    ["are so when both count the session", { start: 0, stop: 5000, ...counter }, "0 to 5000 is 5000"],
    [
      "are so when the readings tell only a beginning beyond",
      { start: 0, stop: 5000, begin: 1_000_000 },
      "0 to 5000 is 5000"
    ],
    ["are so when the readings tell only an end", { stop: 1_005_000, end: 1_005_000 }, "1000000 to 1005000 is 5000"],
    [
      "are so when the readings tell only the session's end",
      { stop: 1_005_000, end: 5000 },
      "1000000 to 1005000 is 5000"
    ],

    [
      "have the end of the readings where the stop has none",
      { stop: undefined, end: 1_005_000 },
      "1000000 to 1005000 is 5000"
    ],
    ["have it where the stop says 0", { stop: 0, end: 1_005_000 }, "1000000 to 1005000 is 5000"],
    ["have it with its beginning", { stop: undefined, ...odometer }, "1000000 to 1005000 is 5000"],
    ["have it when only the readings count the session", { stop: undefined, ...counter }, "1000000 to 1005000 is 5000"],
    [
      "have it where nothing but zeros was told otherwise",
      { start: 0, stop: 0, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    ["have it where all count the session and the stop says 0", { start: 0, stop: 0, ...counter }, "0 to 5000 is 5000"],
    [
      "have no end beyond a start that says 0, without a beginning",
      { start: 0, stop: undefined, end: 1_005_000 },
      "MeterStopMissing"
    ],
    ["have no end below the start", { stop: undefined, end: 5000 }, "MeterStopBelowStart"],
    ["have none that fell", { stop: undefined, begin: 1_000_000, end: 999_000 }, "MeterStopBelowStart"],
    ["have none with a strange beginning", { stop: undefined, begin: 700_000, end: 705_000 }, "RegistersDisagree"],
    ["are missing without an end", { stop: undefined, begin: 1_000_000 }, "MeterStopMissing"],

    [
      "have the beginning of the readings where the start says 0",
      { start: 0, stop: 1_005_000, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "have it where neither start nor stop tells one",
      { start: 0, stop: undefined, ...odometer },
      "1000000 to 1005000 is 5000"
    ],
    [
      "are held where the start says 0 and the end is not told",
      { start: 0, stop: 1_005_000, begin: 1_000_000 },
      "RegistersDisagree"
    ],
    ["are held where both may be meant", { start: 0, stop: 5000, begin: 600, end: 5000 }, "RegistersDisagree"],

    [
      "are held where the readings tell less",
      { stop: 1_005_000, begin: 1_000_000, end: 1_003_000 },
      "RegistersDisagree"
    ],
    [
      "are held where the readings tell more",
      { stop: 1_005_000, begin: 1_000_000, end: 1_009_000 },
      "RegistersDisagree"
    ],
    [
      "are held where the session's count tells more",
      { start: 0, stop: 5000, begin: 0, end: 9000 },
      "RegistersDisagree"
    ],
    ["are held where the readings begin elsewhere", { stop: 1_005_000, begin: 1_003_000 }, "RegistersDisagree"],
    ["are held where the readings end elsewhere", { stop: 1_005_000, end: 1_009_000 }, "RegistersDisagree"],
    ["are held where the stop fell, whatever the readings say", { stop: 900, end: 1_005_000 }, "MeterStopBelowStart"]
  ]
  for (const [name, given, expected] of cases) it(name, () => expect(told(given)).toBe(expected))

  it("are counted on where the make rolls over, and held where it does not", () => {
    const rolled = { start: 99_999_000, stop: 4000 }
    const rules = { registerRollsOverAtWh: 100_000_000 }
    expect(told({ ...rolled, rules })).toBe("99999000 to 100004000 is 5000")
    expect(bodyOf({ ...rolled, rules }).rawMeterStopWh).toBe(4000)
    expect(told(rolled)).toBe("MeterStopBelowStart")
  })

  it("begin at 0 where the make counts each session, whatever the start says", () => {
    const rules = { registerCountsSession: true }
    expect(told({ start: 7000, stop: 5000, rules })).toBe("0 to 5000 is 5000")
    expect(told({ start: 3000, stop: 5000, rules })).toBe("0 to 5000 is 5000")
    expect(told({ start: 7000, stop: 5000 })).toBe("MeterStopBelowStart")
  })

  it("tell what the stop said where they are something else, and nothing more where they are not", () => {
    expect(bodyOf({ start: 0, stop: 0, ...odometer })).toMatchObject({ meterStartWh: 1_000_000, rawMeterStopWh: 0 })
    expect(bodyOf({ stop: 1_005_000, ...odometer })).not.toHaveProperty("rawMeterStopWh")
    expect(bodyOf({ stop: 1_005_000, ...odometer })).not.toHaveProperty("meterStartWh")
    // 0 may stand for nothing at all, until a beginning says the same.
    expect(bodyOf({ start: 0, stop: 5000, ...counter })).toMatchObject({ meterStartWh: 0 })
    expect(bodyOf({ start: 0, stop: 5000 })).not.toHaveProperty("meterStartWh")
    expect(bodyOf({ start: 0, stop: 1_005_000, begin: 0 })).not.toHaveProperty("meterStartWh")
  })
})
