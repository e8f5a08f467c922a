/** Which readings a session is divided by. */
import { describe, expect, it } from "vitest"
import { stretchesOf } from "../../../src/domain/tariff/Stretches.ts"
import { minute, start } from "../../support/chargedSession.ts"

describe("a reading from before the session's start or after its end", () => {
  it("is ignored", () => {
    const endedAt = start + 60 * minute
    const reading = (minutes: number, energyWh: number) => ({ at: start + minutes * minute, energyWh })
    const within = [reading(30, 4000), reading(60, 9000)]
    const session = { startedAt: start, endedAt, timeZone: "Europe/Amsterdam" }
    const stretches = stretchesOf({ ...session, readings: within })
    expect(stretches.at(-1)).toMatchObject({ to: endedAt, after: 9000 })
    expect(stretchesOf({ ...session, readings: [reading(-1, 500), ...within, reading(61, 12_000)] })).toEqual(stretches)
  })
})
