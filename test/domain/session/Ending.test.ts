import { describe, expect, it } from "vitest"
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
