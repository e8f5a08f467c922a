import { describe, expect, it } from "vitest"
import { registerWh, wattHours } from "../../../src/domain/session/MeterValue.ts"
import { at, energy, minute, reading } from "../../support/events.ts"

describe("the energy of a sample", () => {
  const cases = [
    { name: "in Wh is as it stands", sample: energy("1234"), wh: 1234 },
    { name: "in kWh is a thousand times that", sample: energy("1.2345", { unit: "kWh" }), wh: 1235 },
    { name: "in KWH too", sample: energy("2", { unit: "KWH" }), wh: 2000 },
    { name: "is rounded to whole Wh", sample: energy("10.4"), wh: 10 },
    { name: "may be negative", sample: energy("-5"), wh: -5 },
    { name: "that is empty is none", sample: energy(""), wh: undefined },
    { name: "that is blank is none", sample: energy("  "), wh: undefined },
    { name: "that is no number is none", sample: energy("12 Wh"), wh: undefined },
    { name: "that is infinite is none", sample: energy("Infinity"), wh: undefined },
    { name: "that is beyond counting is none", sample: energy("1e17"), wh: undefined },
    { name: "that is signed data is none", sample: energy("1234", { format: "SignedData" }), wh: undefined }
  ]
  for (const { name, sample, wh } of cases) it(name, () => expect(wattHours(sample)).toBe(wh))
})

describe("the energy register of a reading", () => {
  const cases = [
    {
      name: "is the import register among other samples",
      samples: [energy(7200, { measurand: "Power.Active.Import" }), energy(500)],
      wh: 500
    },
    {
      name: "is the total, not the sum of its phases",
      samples: [energy(100, { phase: "L1" }), energy(200, { phase: "L2" }), energy(310)],
      wh: 310
    },
    {
      name: "is the sum of phases where there is no total",
      samples: [energy(100, { phase: "L1" }), energy(200, { phase: "L2" })],
      wh: 300
    },
    { name: "is the first total of two", samples: [energy(1), energy(2)], wh: 1 },
    { name: "passes over what is no number", samples: [energy("n/a"), energy(2)], wh: 2 },
    { name: "is none without one", samples: [energy(5, { measurand: "SoC", unit: "Percent" })], wh: undefined },
    { name: "is none of an empty reading", samples: [], wh: undefined }
  ]
  for (const { name, samples, wh } of cases) {
    it(name, () => expect(registerWh(reading(at(minute(0)), ...samples))).toBe(wh))
  }
})
