import { describe, expect, it } from "vitest"
import type { Tolerances } from "../../../src/domain/charger/Quirks.ts"
import {
  at,
  ended,
  energy,
  evse,
  in1970,
  metered,
  minute,
  noTime,
  reading,
  started,
  token
} from "../../support/events.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"

const charging = (): { charger: ModelCharger; id: number } => {
  const service = new ModelService()
  service.journal.tokens.set("anna", token("ANNA"))
  const charger = service.charger()
  return { charger, id: charger.start(started()) }
}

const accepted = { _tag: "StopAnswered", verdict: { status: "Accepted", expiresAt: undefined, parentUid: undefined } }
const unrecorded = { _tag: "StopAnswered", verdict: undefined }

describe("a StopTransaction that names its transaction", () => {
  it("ends the session with its energy, and is answered with the card's verdict", () => {
    const { charger, id } = charging()
    const { facts, questions, reply } = charger.say(ended(id, { reason: "EVDisconnected" }))
    expect(reply).toEqual(accepted)
    expect(questions).toEqual(["FindToken"])
    expect(facts).toMatchObject([
      { type: "SessionEnded", at: minute(30), body: { meterStopWh: 6000, energyWh: 5000, reason: "EVDisconnected" } }
    ])
    expect(charger.state.sessions).toMatchObject([{ status: "Ended", endedAt: minute(30) }])
  })

  it("without a token is answered without a verdict", () => {
    const { charger, id } = charging()
    expect(charger.say(ended(id, { tokenUid: undefined })).reply).toEqual({ _tag: "StopAnswered", verdict: undefined })
  })

  const cards = [
    { name: "with a group and an expiry", is: { parentUid: "FAMILY", expiresAt: minute(600) }, answered: "Accepted" },
    { name: "that has been blocked since", is: { status: "Blocked", parentUid: "FAMILY" }, answered: "Blocked" },
    { name: "that has expired since", is: { expiresAt: minute(0) }, answered: "Expired" }
  ] as const
  for (const { answered, is, name } of cards) {
    it(`by a card ${name} is answered ${answered} in full, because the charger caches it`, () => {
      const { charger, id } = charging()
      charger.service.journal.tokens.set("anna", token("ANNA", is))
      const { facts, reply } = charger.say(ended(id))
      const verdict = { expiresAt: undefined, parentUid: undefined, ...is, status: answered }
      expect(reply).toEqual({ _tag: "StopAnswered", verdict })
      expect(facts).toMatchObject([{ type: "SessionEnded", body: { energyWh: 5000, heldReason: undefined } }])
    })
  }

  it("by another card than the start's still ends the session, and is answered with that card's verdict", () => {
    const { charger, id } = charging()
    expect(charger.say(ended(id, { tokenUid: "MASTER" })).reply).toMatchObject({ verdict: { status: "Invalid" } })
    expect(charger.sessions[0]?.end?.body.tokenUid).toBe("MASTER")
  })

  const figures = [
    {
      name: "equal to the start's ends with no energy",
      stop: { meterStopWh: 1000 },
      end: { energyWh: 0, heldReason: undefined }
    },
    {
      name: "below the start's is held, and its energy is unknown",
      stop: { meterStopWh: 10 },
      end: { meterStopWh: 10, energyWh: undefined, heldReason: "MeterStopBelowStart" }
    },
    {
      name: "that is missing is held, without figures if there was no reading",
      stop: { meterStopWh: undefined },
      end: { meterStopWh: undefined, energyWh: undefined, heldReason: "MeterStopMissing" }
    }
  ]
  for (const { end, name, stop } of figures) {
    it(`with a register ${name}`, () => {
      const { charger, id } = charging()
      charger.say(ended(id, stop))
      expect(charger.sessions[0]?.end?.body).toMatchObject(end)
    })
  }

  it("without a register is held, with the register of the newest reading", () => {
    const { charger, id } = charging()
    charger.say(metered(id, [reading(at(minute(20)), energy(4000))]))
    charger.say(metered(id, [reading(at(minute(10)), energy(2000))]))
    charger.say(ended(id, { meterStopWh: undefined }))
    expect(charger.sessions[0]?.end?.body).toMatchObject({
      meterStopWh: 4000,
      energyWh: 3000,
      heldReason: "MeterStopMissing"
    })
  })

  const beginning = energy(1000, { context: "Transaction.Begin" })
  const finish = energy(6000, { context: "Transaction.End" })
  const dataOf = [
    { name: "with their own times", readings: [reading(at(minute(0)), beginning), reading(at(minute(30)), finish)] },
    { name: "in reverse order", readings: [reading(at(minute(30)), finish), reading(at(minute(0)), beginning)] },
    { name: "with the same time", readings: [reading(at(minute(30)), finish), reading(at(minute(30)), beginning)] },
    { name: "in one reading", readings: [reading(at(minute(30)), finish, beginning)] },
    { name: "without times", readings: [reading(noTime, beginning), reading(noTime, finish)] }
  ]
  for (const { name, readings } of dataOf) {
    it(`takes begin and end registers from readings ${name} when start and stop say 0`, () => {
      const service = new ModelService()
      service.journal.tokens.set("anna", token("ANNA"))
      const charger = service.charger()
      charger.now = minute(40)
      const id = charger.start(started({ meterStartWh: 0 }))
      const { facts } = charger.say(ended(id, { meterStopWh: 0, readings }))
      expect(facts[0]?.body).toMatchObject({ registerWh: 6000 })
      expect(facts[1]?.body).toMatchObject({ meterStartWh: 1000, meterStopWh: 6000, rawMeterStopWh: 0, energyWh: 5000 })
      expect(facts[1]?.body).toHaveProperty("heldReason", undefined)
      expect(charger.state.sessions).toMatchObject([{ meterStartWh: 1000, status: "Ended" }])
      charger.forget()
      expect(charger.state.sessions).toMatchObject([{ meterStartWh: 1000, status: "Ended" }])
    })
  }

  it("stores no register for a Transaction.Begin value that comes after the end", () => {
    const { charger, id } = charging()
    const { facts } = charger.say(
      ended(id, { readings: [reading(at(minute(29)), finish), reading(at(minute(30)), beginning)] })
    )
    expect(facts[0]?.body).toMatchObject({ readings: [{ registerWh: 6000 }, { registerWh: undefined }] })
    expect(facts[0]?.body).toMatchObject({ registerWh: 6000, registerAt: minute(29) })
  })

  describe("of a make in the quirk book", () => {
    const make = (tolerances: Tolerances, meterStartWh: number) => {
      const quirks = [{ name: "own", vendor: "Voltbau", tolerances }]
      const policy = { unknownTokens: "Accept", concurrentTransactions: "Allow", heartbeatIntervalSeconds: 9 } as const
      const charger = new ModelService().charger({ policy: { ...policy, quirks } })
      charger.now = minute(40)
      const start = started({ meterStartWh })
      return { charger, id: charger.start(start), start }
    }

    it("is continued past a rollover, in readings and stop", () => {
      const { charger, id } = make({ registerRollsOverAtWh: 100_000_000 }, 99_999_000)
      const { facts } = charger.say(
        metered(id, [reading(at(minute(10)), energy(99_999_500)), reading(at(minute(20)), energy(2000))])
      )
      expect(facts[0]?.body).toMatchObject({
        readings: [{ registerWh: 99_999_500 }, { registerWh: 100_002_000, samples: [{ value: "2000" }] }],
        registerWh: 100_002_000
      })
      charger.say(ended(id, { meterStopWh: 4000, readings: [reading(at(minute(30)), energy(4000))] }))
      expect(charger.sessions[0]).toMatchObject({
        registerWh: 100_004_000,
        end: { body: { meterStopWh: 100_004_000, rawMeterStopWh: 4000, energyWh: 5000, heldReason: undefined } }
      })
    })

    it("starts at 0 for a register that counts each session, and a repeated start is recognised", () => {
      const { charger, id, start } = make({ registerCountsSession: true }, 7000)
      expect(charger.factsOf("SessionStarted")[0]?.body).toMatchObject({ meterStartWh: 0, rawMeterStartWh: 7000 })
      expect(charger.start(start)).toBe(id)
      charger.forget()
      expect(charger.start(start)).toBe(id)
      charger.say(metered(id, [reading(at(minute(10)), energy(2000))]))
      charger.say(ended(id, { meterStopWh: 5000 }))
      expect(charger.sessions[0]?.end?.body).toMatchObject({ energyWh: 5000, heldReason: undefined })
    })

    it("is not marked as missing in a start whose register counts each session", () => {
      const { charger } = make({ registerCountsSession: true }, 7000)
      charger.start(started({ meterStartWh: undefined, time: at(minute(35)) }))
      expect(charger.factsOf("SessionStarted")[1]?.body).not.toHaveProperty("meterStartMissing", true)
    })

    it("is converted from kWh when the charger sends that", () => {
      const { charger, id } = make({ registerUnit: "kWh" }, 1000)
      charger.say(metered(id, [reading(at(minute(10)), energy("2.5"))]))
      expect(charger.sessions[0]).toMatchObject({ registerWh: 2500 })
    })
  })

  it("stores the readings that come with it before the end", () => {
    const { charger, id } = charging()
    const readings = [reading(at(minute(0)), energy(1000)), reading(at(minute(30)), energy(5900))]
    const { facts } = charger.say(ended(id, { readings, meterStopWh: undefined }))
    expect(facts).toMatchObject([
      { type: "MeterRead", body: { fromStop: true, readings, registerWh: 5900, registerAt: minute(30), evseId: 1 } },
      { type: "SessionEnded", body: { meterStopWh: 5900, energyWh: 4900 } }
    ])
  })

  it("without a register takes the newest reading even if its own are older", () => {
    const { charger, id } = charging()
    charger.say(metered(id, [reading(at(minute(20)), energy(4000))]))
    charger.say(ended(id, { readings: [reading(at(minute(0)), energy(1000))], meterStopWh: undefined }))
    expect(charger.sessions[0]?.end?.body).toMatchObject({ meterStopWh: 4000, energyWh: 3000 })
  })

  it("with a time before its start ends at the start and is held", () => {
    const { charger, id } = charging()
    charger.say(ended(id, { time: at(minute(-90)) }))
    expect(charger.sessions[0]?.end).toMatchObject({
      at: minute(0),
      body: { heldReason: "ClockImplausible", energyWh: 5000, rawAt: new Date(minute(-90)).toISOString() }
    })
  })

  const repeats = [
    { name: "as it was", more: {} },
    { name: "without its register", more: { meterStopWh: undefined } },
    { name: "without its time", more: { time: noTime } },
    { name: "with another reason and card", more: { reason: "PowerLoss", tokenUid: "BERT" } }
  ]
  for (const forgetting of [false, true]) {
    for (const { more, name } of repeats) {
      it(`repeated ${name} changes nothing${forgetting ? ", after a reload too" : ""}`, () => {
        const { charger, id } = charging()
        charger.say(ended(id))
        if (forgetting) charger.forget()
        const { facts, reply } = charger.say(ended(id, more))
        // The charger repeats a stop because it missed the first answer. An unknown card gets no verdict.
        expect([facts, reply]).toEqual([[], "tokenUid" in more ? unrecorded : accepted])
      })
    }

    it(`repeated after its card was blocked gets no verdict${forgetting ? ", after a reload too" : ""}`, () => {
      const { charger, id } = charging()
      charger.say(ended(id))
      if (forgetting) charger.forget()
      charger.service.journal.tokens.set("anna", token("ANNA", { status: "Blocked" }))
      expect(charger.say(ended(id))).toMatchObject({ facts: [], reply: unrecorded })
    })

    for (const more of [{ meterStopWh: 7000 }, { time: at(minute(31)) }]) {
      const what = Object.keys(more).join()
      it(`again with another ${what} is stored once for an operator to look at${forgetting ? ", after a reload too" : ""}`, () => {
        const { charger, id } = charging()
        charger.say(ended(id))
        if (forgetting) charger.forget()
        const { facts, reply } = charger.say(ended(id, more))
        const { sessionId } = charger.sessions[0]?.start.body ?? {}
        const rawTransactionId = String(id)
        expect(reply).toEqual(accepted)
        expect(facts).toMatchObject([
          { type: "OrphanRecorded", body: { action: "StopTransaction", contradicts: sessionId, rawTransactionId } }
        ])
        expect(facts[0]?.body).toHaveProperty("raw", expect.stringContaining("TransactionEnded"))
        expect(charger.say(ended(id, more)).outcome.recorded).toEqual([false])
        expect(charger.sessions).toMatchObject([{ status: "Ended", end: { at: minute(30), body: { energyWh: 5000 } } }])
        expect(charger.state.orphans).toEqual([])
      })
    }
  }

  it("that adds a register to a stop without one is stored for an operator to look at", () => {
    const { charger, id } = charging()
    charger.say(ended(id, { meterStopWh: undefined }))
    expect(charger.say(ended(id)).facts).toMatchObject([{ type: "OrphanRecorded" }])
  })

  it("repeated when the session is no longer in memory looks it up and changes nothing", () => {
    const { charger, id } = charging()
    charger.say(ended(id))
    for (let n = 1; n <= 5; n++) charger.say(ended(charger.start(started({ time: at(minute(30 + n)) }))))
    expect(charger.say(ended(id))).toMatchObject({
      facts: [],
      reply: accepted,
      questions: ["FindSession", "FindToken"]
    })
  })

  it("repeated when the first commit's outcome was lost ends the session once", () => {
    const { charger, id } = charging()
    charger.loseNextOutcome = true
    expect(charger.say(ended(id)).reply).toEqual(accepted)
    expect(charger.factsOf("SessionEnded")).toHaveLength(1)
  })

  it("for a superseded session ends it with its own figures", () => {
    const { charger, id } = charging()
    charger.start(started({ time: at(minute(40)), meterStartWh: 6000 }))
    charger.say(ended(id))
    expect(charger.sessions.map(({ end, status }) => [status, end?.body.energyWh])).toEqual([
      ["Ended", 5000],
      ["Open", undefined]
    ])
  })
})

describe("a StopTransaction that names no transaction", () => {
  const unnamed = [
    { name: "-1", rawTransactionId: "-1" },
    { name: "0", rawTransactionId: "0" },
    { name: "an empty id", rawTransactionId: "" },
    { name: "a number beyond 31 bits", rawTransactionId: "9223372036854775807" }
  ]
  for (const { name, rawTransactionId } of unnamed) {
    it(`but ${name} ends the only session it can belong to, and is stored as the reason`, () => {
      const { charger } = charging()
      charger.start(started({ place: evse(2), tokenUid: "BERT", meterStartWh: 10 }))
      const { facts, reply } = charger.say(ended(undefined, { rawTransactionId }))
      expect(reply).toEqual(accepted)
      expect(facts.map(({ type }) => type)).toEqual(["OrphanRecorded", "SessionEnded"])
      expect(charger.sessions.map(({ end }) => end?.body.energyWh)).toEqual([5000, undefined])
      expect(charger.service.journal.orphans).toMatchObject([{ rawTransactionId, sessionId: "uuid-1" }])
      expect(charger.state.orphans).toEqual([])
    })
  }

  const unmatched = [
    { name: "another token", stop: { tokenUid: "BERT" } },
    { name: "a register below the start", stop: { meterStopWh: 999 } },
    { name: "no register", stop: { meterStopWh: undefined } },
    { name: "a time before the start", stop: { time: at(minute(-1)) } }
  ]
  for (const { name, stop } of unmatched) {
    it(`and has ${name} is stored as an orphan, acknowledged, and ends nothing`, () => {
      const { charger } = charging()
      const { facts, reply } = charger.say(ended(undefined, stop))
      expect(reply).toMatchObject({ _tag: "StopAnswered" })
      expect(facts).toMatchObject([{ type: "OrphanRecorded", body: { action: "StopTransaction", reason: "Local" } }])
      expect(facts[0]?.body).toHaveProperty("raw", expect.stringContaining("TransactionEnded"))
      expect(charger.service.journal.orphans).toMatchObject([{ sessionId: undefined }])
      expect(charger.sessions).toMatchObject([{ status: "Open" }])
    })
  }

  it("ends nothing when two sessions could match, and its repeat ends nothing when one of them is left", () => {
    const { charger, id } = charging()
    charger.start(started({ place: evse(2), meterStartWh: 10 }))
    charger.say(ended(undefined))
    charger.say(ended(id, { time: at(minute(31)) }))
    charger.forget()
    expect(charger.say(ended(undefined)).outcome.recorded).toEqual([false, false])
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Ended", "Open"])
    expect(charger.service.journal.orphans).toHaveLength(1)
  })

  it("repeated when its session is no longer in memory ends no other session of the same token", () => {
    const { charger } = charging()
    charger.say(ended(undefined))
    for (let n = 1; n <= 5; n++) {
      const id = charger.start(started({ tokenUid: "BERT", time: at(minute(30 + n)), meterStartWh: 6000 }))
      charger.say(ended(id, { time: at(minute(30 + n)) }))
    }
    charger.start(started({ place: evse(2), time: at(minute(20)), meterStartWh: 0 }))
    charger.say(ended(undefined))
    expect(charger.sessions.at(-1)).toMatchObject({ status: "Open" })
  })

  it("repeated with its readings adds them to no session that was reported since", () => {
    const { charger } = charging()
    const stop = ended(undefined, { readings: [reading(at(minute(29)), energy(5900))] })
    charger.say(stop)
    charger.start(started({ place: evse(2), meterStartWh: 500, time: at(minute(5)) }))
    charger.say(stop)
    expect(charger.sessions.map(({ registerWh, status }) => [status, registerWh])).toEqual([
      ["Ended", 5900],
      ["Open", undefined]
    ])
    expect(charger.state.sessions.at(-1)).toMatchObject({ status: "Open", registerWh: undefined })
  })

  it("ends a superseded session only if it is not later than the start that superseded it", () => {
    const { charger } = charging()
    charger.start(started({ tokenUid: "BERT", time: at(minute(40)), meterStartWh: 6000 }))
    charger.say(ended(undefined, { time: at(minute(41)), meterStopWh: 6100 }))
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
    charger.say(ended(undefined, { time: at(minute(40)) }))
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Ended", "Open"])
  })

  it("and has no time ends the session at receipt, and its repeat changes nothing", () => {
    const { charger } = charging()
    charger.now = minute(30)
    charger.say(ended(undefined, { time: noTime }))
    expect(charger.sessions[0]?.end).toMatchObject({ at: charger.now, body: { energyWh: 5000 } })
    charger.start(started({ time: at(minute(29)), meterStartWh: 6000 }))
    charger.say(ended(undefined, { time: noTime }))
    expect(charger.sessions[1]).toMatchObject({ status: "Open" })
  })

  it("and nothing else to recognise it by is stored each time", () => {
    const { charger } = charging()
    const bare = ended(undefined, { time: noTime, tokenUid: undefined, meterStopWh: undefined })
    charger.say(bare)
    charger.say(bare)
    expect(charger.service.journal.orphans).toHaveLength(2)
  })
})

describe("a StopTransaction that names a transaction this charger never had", () => {
  const foreign = 987_654

  it("is acknowledged, stored, and recorded as a security event; it ends nothing even if all else would match", () => {
    const { charger } = charging()
    const { facts, questions, reply } = charger.say(ended(foreign))
    expect(questions).toEqual(["FindSession", "FindToken"])
    expect(reply).toEqual(accepted)
    expect(facts).toMatchObject([
      { type: "OrphanRecorded", body: { rawTransactionId: "987654" } },
      { type: "SecurityEventRecorded", body: { source: "service", event: "ForeignTransactionId" } }
    ])
    expect(charger.sessions).toMatchObject([{ status: "Open" }])
  })

  it("leaves another charger's session unchanged when the id is of that session", () => {
    const { charger, id } = charging()
    const thief = charger.service.charger({ chargerId: "CP-2" })
    thief.say(ended(id))
    thief.say(metered(id, [reading(at(minute(5)), energy(99_999))]))
    expect(charger.sessions).toMatchObject([{ status: "Open", end: undefined, registerWh: undefined }])
    expect(thief.factsOf("SecurityEventRecorded")).toHaveLength(1)
    expect(thief.factsOf("MeterRead")).toMatchObject([{ body: { sessionId: undefined } }])
  })

  it("is recorded as one security event an hour for each id, however often it is repeated", () => {
    const { charger } = charging()
    for (let n = 0; n < 20; n++) charger.say(ended(foreign, { meterStopWh: n }))
    expect(charger.factsOf("SecurityEventRecorded")).toHaveLength(1)
    expect(charger.factsOf("OrphanRecorded")).toHaveLength(20)
    charger.now += 60 * 60 * 1000
    charger.say(ended(foreign))
    charger.say(ended(foreign + 1))
    expect(charger.factsOf("SecurityEventRecorded")).toHaveLength(3)
  })
})

describe("clocks in 1970", () => {
  const cases = [
    { name: "at the start", start: in1970(60), stop: at(minute(30)), startedAt: minute(0) + 1000, endedAt: minute(30) },
    { name: "at the stop", start: at(minute(0)), stop: in1970(60), startedAt: minute(0), endedAt: minute(0) + 2000 },
    {
      name: "at start and stop",
      start: in1970(60),
      stop: in1970(120),
      startedAt: minute(0) + 1000,
      endedAt: minute(0) + 2000
    }
  ]
  for (const { endedAt, name, start, startedAt, stop } of cases) {
    it(`${name} are replaced by the time of receipt, and stored raw`, () => {
      const service = new ModelService()
      service.journal.tokens.set("anna", token("ANNA"))
      const charger = service.charger()
      charger.say(ended(charger.start(started({ time: start })), { time: stop }))
      const [row] = charger.sessions
      expect([row?.start.at, row?.end?.at]).toEqual([startedAt, endedAt])
      expect([row?.start.body.rawAt, row?.end?.body.rawAt]).toEqual([start.raw, stop.raw])
      expect(row?.end?.body).toMatchObject({ energyWh: 5000, heldReason: undefined })
    })
  }

  it("on our own side do not override the charger's times", () => {
    const service = new ModelService()
    const charger = service.charger()
    charger.now = 1000
    charger.say(ended(charger.start(started())))
    expect([charger.sessions[0]?.start.at, charger.sessions[0]?.end?.at]).toEqual([minute(0), minute(30)])
  })

  it("that jump to the present after the start is received hold the session", () => {
    const service = new ModelService()
    const charger = service.charger()
    charger.now = minute(60)
    charger.say(ended(charger.start(started({ time: in1970(60) })), { time: at(minute(30)) }))
    expect(charger.sessions[0]?.end?.body).toMatchObject({ energyWh: 5000, heldReason: "ClockImplausible" })
  })
})
