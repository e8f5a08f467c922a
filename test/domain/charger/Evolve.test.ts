import { describe, expect, it } from "vitest"
import { endedSessionsKept, orphansKept, supersededSessionsKept } from "../../../src/domain/charger/ChargerState.ts"
import type { CommitOutcome } from "../../../src/domain/charger/Decision.ts"
import { evolve } from "../../../src/domain/decide/Evolve.ts"
import { usesTransactionId } from "../../../src/domain/decide/Orphans.ts"
import type { SessionEnded } from "../../../src/domain/charger/Fact.ts"
import { at, ended, evse, minute, organisationId, session, started, state, status } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"

const nothingNew: CommitOutcome = { recorded: [false], existing: undefined }

const end = (parts: Partial<SessionEnded> = {}): SessionEnded => ({
  type: "SessionEnded",
  key: "stop",
  organisationId,
  chargerId: "CP-1",
  at: minute(30),
  heardAt: minute(30),
  body: {
    sessionId: "session-1",
    tokenUid: "ANNA",
    meterStopWh: 6000,
    energyWh: 5000,
    reason: "Local",
    status: "COMPLETED",
    heldReason: undefined,
    rawAt: undefined
  },
  ...parts
})

describe("a charger's state after a commit", () => {
  it("is the same object when nothing was recorded", () => {
    const { facts } = new ModelService().charger().say(status({ status: "Faulted" }))
    const before = state()
    expect(evolve(before, facts, nothingNew)).toBe(before)
  })

  it("has the stored session when the start was stored already", () => {
    const { facts } = new ModelService().charger().say(started())
    const existing = session({ sessionId: "old", status: "Ended", endedAt: minute(9) })
    expect(evolve(state(), facts, { recorded: [false], existing }).sessions).toEqual([existing])
  })

  it("has the stored session once, replacing what was known of it", () => {
    const existing = session({ status: "Superseded" })
    const { sessions } = evolve(state({ sessions: [session()] }), [], { recorded: [], existing })
    expect(sessions).toEqual([existing])
  })

  it("has a session as ended when its stop was stored already", () => {
    const { sessions } = evolve(state({ sessions: [session()] }), [end()], nothingNew)
    expect(sessions).toMatchObject([{ status: "Ended" }])
  })

  it("keeps a session open when its end was dropped with the fact that it required", () => {
    const { sessions } = evolve(state({ sessions: [session()] }), [end({ requires: "orphan" })], nothingNew)
    expect(sessions).toMatchObject([{ status: "Open" }])
  })

  it("keeps the ended sessions that started last, and all open ones", () => {
    const charger = new ModelService().charger()
    const first = charger.start(started({ place: evse(2), tokenUid: "BERT" }))
    for (let n = 0; n < 7; n++)
      charger.say(ended(charger.start(started({ time: at(minute(n)) })), { time: at(minute(n)) }))
    expect(charger.state.sessions.filter((known) => known.status === "Ended").map((known) => known.startedAt)).toEqual(
      Array.from({ length: endedSessionsKept }, (_, n) => minute(3 + n))
    )
    expect(charger.state.sessions[0]).toMatchObject({ transactionId: first, status: "Open" })
    charger.say(ended(first, { tokenUid: "BERT", time: at(minute(60)) }))
    expect(charger.state.sessions.map(({ transactionId }) => transactionId)).not.toContain(first)
    expect(charger.state.sessions).toHaveLength(endedSessionsKept)
  })

  it("has its sessions in order of their starts, whichever ended first", () => {
    const charger = new ModelService().charger()
    const ids = [1, 2].map((evseId) => charger.start(started({ place: evse(evseId), tokenUid: `CARD-${evseId}` })))
    charger.say(ended(ids[0]))
    expect(charger.state.sessions.map(({ transactionId }) => transactionId)).toEqual(ids)
  })

  it("ends a session from the future no earlier than it began when a later start supersedes it", () => {
    const charger = new ModelService().charger()
    charger.start(started({ time: at(minute(600)) }))
    charger.start(started({ time: at(minute(1)), meterStartWh: 2000 }))
    expect(charger.state.sessions[0]).toMatchObject({ status: "Superseded", supersededAt: minute(600) })
  })

  it("keeps only the newest superseded sessions and orphans, up to the limits", () => {
    const charger = new ModelService().charger()
    for (let n = 0; n <= supersededSessionsKept + 5; n++) charger.start(started({ time: at(minute(n)) }))
    for (let n = 0; n < orphansKept + 5; n++) charger.say(ended(undefined, { tokenUid: "BERT", meterStopWh: n }))
    const superseded = charger.state.sessions.filter((known) => known.status === "Superseded")
    expect(superseded).toHaveLength(supersededSessionsKept)
    expect(superseded[0]?.startedAt).toBe(minute(5))
    expect(charger.state.orphans).toHaveLength(orphansKept)
    expect(charger.state.orphans.at(-1)?.meterStopWh).toBe(orphansKept + 4)
  })
})

describe("a transaction id", () => {
  it("is used by a start, readable or not, and by no other message", () => {
    const charger = new ModelService().charger()
    const used = (["StartTransaction", "StopTransaction", "MeterValues"] as const).map((action) =>
      charger.say({ _tag: "UnreadableTransactionMessage", action, problem: "" }).facts.some(usesTransactionId)
    )
    expect(used).toEqual([true, false, false])
    expect(charger.say(started()).facts.map(usesTransactionId)).toEqual([true])
    expect(charger.say(ended(undefined)).facts.some(usesTransactionId)).toBe(false)
  })
})
