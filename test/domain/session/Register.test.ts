/** Registers of a session in whatever order they arrive, and the energy calculated from them. */
import { describe, expect, it } from "vitest"
import { takenBy, withRegister } from "../../../src/domain/session/Register.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import { at, energy, metered, minute, reading, session, state } from "../../support/events.ts"

describe("a session's register", () => {
  it("is the newest by the charger's time, and at equal times the one received later", () => {
    const first = withRegister(session(), { registerWh: 2000, registerAt: minute(5) })
    expect(first).toMatchObject({ registerWh: 2000, registerAt: minute(5) })
    expect(withRegister(first, { registerWh: 3000, registerAt: minute(4) })).toBe(first)
    expect(withRegister(first, { registerWh: 3000, registerAt: minute(5) })).toMatchObject({ registerWh: 3000 })
    expect(withRegister(first, { registerWh: 1500, registerAt: minute(6) })).toMatchObject({ registerWh: 1500 })
    expect(withRegister(first, { registerWh: undefined, registerAt: undefined })).toBe(first)
  })

  it("gives the energy since the start, which is never negative", () => {
    expect(takenBy({ meterStartWh: 1000 }, 1001)).toBe(1)
    expect(takenBy({ meterStartWh: 1000 }, 1000)).toBe(0)
    expect(takenBy({ meterStartWh: 1000 }, 999)).toBe(0)
  })

  it("is stored with that energy, until the session's stop has arrived", () => {
    const read = (status: "Open" | "Superseded" | "Ended", wh: number) => {
      const event = metered(4711, [reading(at(minute(5)), energy(wh))])
      const input = { _tag: "Event", event, envelope: { messageId: "m", raw: "" }, answers: {} } as const
      const before = state({ sessions: [session({ status })] })
      const decision = decide(before, input, minute(40), { transactionId: 1, uuid: () => "uuid" })
      return decision._tag === "Act" ? decision.facts[0]?.body : undefined
    }
    expect(read("Open", 2500)).toMatchObject({ registerWh: 2500, energyWh: 1500 })
    expect(read("Superseded", 2500)).toMatchObject({ energyWh: 1500 })
    expect(read("Open", 500)).toMatchObject({ energyWh: 0 })
    expect(read("Ended", 2500)).not.toHaveProperty("energyWh")
  })
})
