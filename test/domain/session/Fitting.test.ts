/** Readings under an energy that an operator has set. */
import { describe, expect, it } from "vitest"
import { fitting } from "../../../src/domain/session/Fitting.ts"

describe("a reading under an energy that an operator has set", () => {
  const session = { meterStartWh: 1000, meterStopWh: 61_000 }
  const brought = (energyWh: number, ...told: ReadonlyArray<number>) =>
    told.map(fitting({ ...session, energyWh }, told))

  it("stays as it is where it fits, a meter's jitter of 10 Wh below nothing and above the energy included", () => {
    expect(brought(10_000, -10, 4000, 10_010)).toEqual([-10, 4000, 10_010])
  })

  it("is counted back from the stop where the start was wrong", () => {
    expect(brought(10_000, 50_000, 54_000, 60_000)).toEqual([0, 4000, 10_000])
  })

  it("is brought into proportion otherwise", () => {
    expect(brought(10_000, 0, 30_000, 60_000)).toEqual([0, 5000, 10_000])
  })
})
