import { describe, expect, it } from "vitest"
import { canWait, namesTransaction, sessionAt, sessionOfStop } from "../../../src/domain/session/Matching.ts"
import { evse, minute, session } from "../../support/events.ts"

describe("the text that a charger sends as transaction id", () => {
  for (const raw of ["1", "4711", '"4711"', "2147483647"]) {
    it(`names a transaction when it is ${raw}`, () => expect(namesTransaction(raw)).toBe(true))
  }
  for (const raw of [undefined, "", '""', "0", "-1", "2147483648", "9223372036854775807", "null", "none"]) {
    it(`names none when it is ${raw ?? "missing"}`, () => expect(namesTransaction(raw)).toBe(false))
  }
  it("prevents a stop that names a transaction from waiting for another start", () => {
    const stop = { tokenUid: "ANNA", meterStopWh: 5 }
    expect(["-1", "77"].map((rawTransactionId) => canWait({ ...stop, rawTransactionId }))).toEqual([true, false])
  })
})

describe("the session of a stop that names no transaction", () => {
  const stop = { at: minute(30), tokenUid: "anna", meterStopWh: 6000 }
  const superseded = session({ status: "Superseded", supersededAt: minute(40) })

  const cases = [
    {
      name: "is the open one of its token",
      sessions: [session(), session({ sessionId: "b", tokenUid: "BERT" })],
      found: "session-1"
    },
    {
      name: "is none if two could match",
      sessions: [session(), session({ sessionId: "b", place: evse(2) })],
      found: undefined
    },
    {
      name: "is never one that has ended",
      sessions: [session({ status: "Ended", endedAt: minute(50) })],
      found: undefined
    },
    { name: "is a superseded one if the stop is from before that", sessions: [superseded], found: "session-1" },
    {
      name: "is not a superseded one if the stop is later",
      sessions: [{ ...superseded, supersededAt: minute(29) }],
      found: undefined
    },
    {
      name: "is not a superseded one if that time is unknown",
      sessions: [session({ status: "Superseded" })],
      found: undefined
    },
    {
      name: "is a superseded one up to the next known start",
      sessions: [
        session({ status: "Superseded" }),
        session({ sessionId: "b", tokenUid: "BERT", startedAt: minute(30) })
      ],
      found: "session-1"
    },
    {
      name: "is the earlier of two on one connector when it stopped before the later one began",
      sessions: [superseded, session({ sessionId: "b", startedAt: minute(31), meterStartWh: 6000 })],
      found: "session-1"
    }
  ]
  for (const { found, name, sessions } of cases) {
    it(name, () => expect(sessionOfStop(stop, sessions)?.sessionId).toBe(found))
  }
})

describe("the session that was running on a connector at a given time", () => {
  const first = session({ status: "Ended", endedAt: minute(10) })
  const second = session({ sessionId: "b", startedAt: minute(20) })
  const cases = [
    { name: "is none before the first", time: -1, found: undefined },
    { name: "is the first until it ended", time: 10, found: "session-1" },
    { name: "is none between the two", time: 15, found: undefined },
    { name: "is the second from its start", time: 20, found: "b" },
    { name: "is the second for as long as it is open", time: 9999, found: "b" }
  ]
  for (const { found, name, time } of cases) {
    it(name, () => expect(sessionAt([second, first], 1, minute(time))?.sessionId).toBe(found))
  }
  it("is none on another connector", () => expect(sessionAt([first, second], 2, minute(20))).toBeUndefined())
})
