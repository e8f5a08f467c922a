/** What happens to sessions whose card was refused. */
import { describe, expect, it } from "vitest"
import { decide } from "../../../src/domain/decide/Decide.ts"
import type { KnownSession } from "../../../src/domain/charger/ChargerState.ts"
import { outcomeOf, overWithoutStop } from "../../../src/domain/session/Refused.ts"
import { at, ended, energy, metered, minute, reading, session, state } from "../../support/events.ts"
import type { ChargerEvent } from "../../../src/domain/charger/ChargerEvent.ts"

const invalid = { status: "INVALID", heldReason: undefined }
const unauthorised = { status: "COMPLETED", heldReason: "NotAuthorized" }

describe("a session that has ended", () => {
  for (const authorization of ["Blocked", "Expired", "Invalid", "ConcurrentTx"] as const) {
    it(`(${authorization}) is invalid with up to 10 Wh, and held with more`, () => {
      expect(outcomeOf({ authorization }, 0, undefined)).toEqual(invalid)
      expect(outcomeOf({ authorization }, 10, undefined)).toEqual(invalid)
      expect(outcomeOf({ authorization }, 11, undefined)).toEqual(unauthorised)
      expect(outcomeOf({ authorization }, undefined, undefined)).toEqual(unauthorised)
    })
  }

  it("is held for any other doubt first", () => {
    const doubted = { status: "COMPLETED", heldReason: "ClockImplausible" }
    expect(outcomeOf({ authorization: "Blocked" }, 0, "ClockImplausible")).toEqual(doubted)
    expect(outcomeOf({ authorization: "Accepted" }, 0, "ClockImplausible")).toEqual(doubted)
  })

  it("is complete if its card was accepted, however little it took", () => {
    expect(outcomeOf({ authorization: "Accepted" }, 0, undefined)).toEqual({
      status: "COMPLETED",
      heldReason: undefined
    })
  })
})

const factsOf = (known: KnownSession, event: ChargerEvent) => {
  const input = { _tag: "Event", event, envelope: { messageId: "m", raw: "" }, answers: {} } as const
  const before = state({ sessions: [known] })
  const decision = decide(before, input, minute(40), { transactionId: 1, uuid: () => "uuid" })
  if (decision._tag === "Ask") throw new Error("it asks")
  return decision.facts
}

describe("a session that ended without a stop", () => {
  it("ended when the next session began, or at its own start if that was later by a wrong clock", () => {
    const refused = session({ authorization: "Blocked", startedAt: minute(5) })
    expect(overWithoutStop(refused, minute(6), minute(6))).toMatchObject({ at: minute(6), body: invalid })
    expect(overWithoutStop(refused, minute(4), minute(6))).toMatchObject({ at: minute(5), body: invalid })
  })
})

describe("the facts of a session whose card was refused", () => {
  const blocked = session({ authorization: "Blocked" })

  it("contain the outcome when it stops", () => {
    const stop = (meterStopWh: number) => factsOf(blocked, ended(4711, { tokenUid: undefined, meterStopWh }))
    expect(stop(1010)).toMatchObject([{ type: "SessionEnded", body: { energyWh: 10, ...invalid } }])
    expect(stop(1011)).toMatchObject([{ type: "SessionEnded", body: { energyWh: 11, ...unauthorised } }])
    expect(stop(989)).toMatchObject([{ body: { status: "COMPLETED", heldReason: "MeterStopBelowStart" } }])
  })

  it("contain with each reading the outcome in case no stop follows, until its stop has arrived", () => {
    const read = (known: KnownSession, wh: number) =>
      factsOf(known, metered(4711, [reading(at(minute(5)), energy(wh))]))[0]?.body
    for (const status of ["Open", "Superseded"] as const) {
      expect(read({ ...blocked, status }, 1010)).toMatchObject({ refused: invalid })
      expect(read({ ...blocked, status }, 1011)).toMatchObject({ refused: unauthorised })
      expect(read({ ...blocked, status }, 5)).toMatchObject({ refused: invalid })
    }
    expect(read({ ...blocked, status: "Ended" }, 1011)).not.toHaveProperty("refused")
    expect(read(session(), 1011)).not.toHaveProperty("refused")
    expect(factsOf(blocked, metered(4711, [reading(at(minute(5)))]))[0]?.body).not.toHaveProperty("refused")
  })
})
