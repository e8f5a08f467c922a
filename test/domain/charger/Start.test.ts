import { describe, expect, it } from "vitest"
import type { SessionStarted } from "../../../src/domain/charger/Fact.ts"
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
import { ModelService } from "../../support/modelCharger.ts"

const service = (...known: ReadonlyArray<Parameters<typeof token>[1] & { uid: string }>) => {
  const made = new ModelService()
  made.journal.tokens.set("anna", token("Anna"))
  for (const { uid, ...parts } of known) made.journal.tokens.set(uid.toLowerCase(), token(uid, parts))
  return made
}

const bodies = (facts: ReadonlyArray<{ readonly type: string }>) =>
  facts.filter((fact): fact is SessionStarted => fact.type === "SessionStarted").map(({ body }) => body)

describe("a StartTransaction", () => {
  it("is recorded, and answered with a new transaction id and the verdict on the token", () => {
    const charger = service({ uid: "ANNA", parentUid: "FAMILY", expiresAt: minute(600) }).charger()
    const { facts, questions, reply } = charger.say(started({ reservationId: 5 }))
    const [body] = bodies(facts)
    expect(questions).toEqual(["FindToken"])
    expect(reply).toEqual({
      _tag: "StartAnswered",
      transactionId: body?.transactionId,
      verdict: { status: "Accepted", expiresAt: minute(600), parentUid: "FAMILY" }
    })
    expect(body).toMatchObject({ evseId: 1, tokenUid: "ANNA", meterStartWh: 1000, reservationId: 5, supersedes: [] })
    expect(body?.authorization).toMatchObject({ status: "Accepted", source: "LocalToken", decidedAt: charger.now })
    expect(charger.state.sessions).toMatchObject([{ status: "Open", startedAt: minute(0), meterStartWh: 1000 }])
  })

  const refusals = [
    { name: "with an unknown token", known: [], tokenUid: "STRANGER", status: "Invalid" },
    { name: "with a blocked token", known: [{ uid: "B", status: "Blocked" }], tokenUid: "b", status: "Blocked" },
    { name: "with an expired token", known: [{ uid: "E", expiresAt: minute(0) }], tokenUid: "E", status: "Expired" }
  ] as const
  for (const { known, name, status, tokenUid } of refusals) {
    it(`${name} is answered ${status} with a transaction id, and still recorded`, () => {
      const charger = service(...known).charger()
      const { facts, reply } = charger.say(started({ tokenUid }))
      expect(reply).toMatchObject({ _tag: "StartAnswered", verdict: { status } })
      expect(reply).toHaveProperty("transactionId", bodies(facts)[0]?.transactionId)
      expect(charger.sessions).toMatchObject([{ status: "Open", start: { body: { authorization: { status } } } }])
    })
  }

  it("with a token that is charging on another connector is answered ConcurrentTx, and recorded", () => {
    const charger = service().charger()
    charger.start(started())
    const { reply } = charger.say(started({ place: evse(2), time: at(minute(5)), meterStartWh: 90 }))
    expect(reply).toMatchObject({ verdict: { status: "ConcurrentTx" } })
    expect(charger.sessions).toHaveLength(2)
  })

  it("with a token that is charging at another charger is answered ConcurrentTx, unless the organisation allows it", () => {
    const shared = service()
    shared.charger({ chargerId: "CP-2" }).start(started())
    expect(shared.charger().say(started()).reply).toMatchObject({ verdict: { status: "ConcurrentTx" } })
    const policy = { unknownTokens: "Refuse", concurrentTransactions: "Allow", heartbeatIntervalSeconds: 300 } as const
    const other = shared.charger({ chargerId: "CP-3", policy })
    expect(other.say(started()).reply).toMatchObject({ verdict: { status: "Accepted" } })
  })

  it("on the same connector supersedes the open session there instead of being concurrent with it", () => {
    const charger = service().charger()
    charger.start(started())
    const { reply } = charger.say(started({ time: at(minute(20)), meterStartWh: 2000 }))
    expect(reply).toMatchObject({ verdict: { status: "Accepted" } })
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
    expect(charger.state.sessions).toMatchObject([
      { status: "Superseded", supersededAt: minute(20) },
      { status: "Open" }
    ])
  })

  it("that is older than the session on its connector supersedes nothing and is itself superseded", () => {
    const charger = service().charger()
    charger.now = minute(60)
    charger.start(started({ time: at(minute(20)), meterStartWh: 2000 }))
    const { facts } = charger.say(started({ time: at(minute(-60)), meterStartWh: 1000 }))
    expect(bodies(facts)[0]).toMatchObject({ supersedes: [], supersededBy: charger.sessions[0]?.start.body.sessionId })
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Open", "Superseded"])
    expect(charger.state.sessions[1]).toMatchObject({ status: "Superseded", supersededAt: minute(20) })
  })

  it("after one from a clock that was hours ahead counts as the newer one", () => {
    const charger = service().charger()
    charger.start(started({ time: at(minute(600)) }))
    charger.start(started({ time: at(minute(1)), meterStartWh: 2000 }))
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
  })

  it("without a meter value starts at 0 and is marked as such", () => {
    const { facts } = service()
      .charger()
      .say(started({ meterStartWh: undefined }))
    expect(bodies(facts)[0]).toMatchObject({ meterStartWh: 0, meterStartMissing: true })
  })

  it("with an unknown card that has a reservation is Accepted, and the source is stored with the session", () => {
    const made = service()
    made.journal.reservations.push({
      commandId: "01900000-0000-7000-8000-000000000001",
      reservationId: 5,
      evseId: 1,
      tokenUid: "STRANGER",
      parentUid: undefined,
      expiresAt: minute(30),
      status: "Active",
      sessionId: undefined,
      createdAt: minute(-30)
    })
    const charger = made.charger()
    const { facts, reply } = charger.say(started({ tokenUid: "stranger" }))
    expect(reply).toMatchObject({ verdict: { status: "Accepted", expiresAt: minute(30) } })
    expect(bodies(facts)[0]?.authorization).toMatchObject({ status: "Accepted", source: "Reservation" })
    const other = charger.say(started({ tokenUid: "stranger", place: evse(2), time: at(minute(1)) }))
    expect(other.reply).toMatchObject({ verdict: { status: "Invalid" } })
  })

  it("with a card that has expired since is judged by the time of the start", () => {
    const charger = service({ uid: "E", expiresAt: minute(0) }).charger()
    expect(charger.say(started({ tokenUid: "E", time: at(minute(-1)) })).reply).toMatchObject({
      verdict: { status: "Accepted" }
    })
  })

  it("with reservation id 0 is recorded without a reservation", () => {
    const { facts } = service()
      .charger()
      .say(started({ reservationId: 0 }))
    expect(bodies(facts)[0]?.reservationId).toBeUndefined()
  })
})

describe("a repeated StartTransaction", () => {
  const repeats = [
    { name: "at once", between: () => {}, asks: [] },
    {
      name: "after the state was dropped and loaded again",
      between: (charger: ReturnType<ModelService["charger"]>) => charger.forget(),
      asks: []
    },
    {
      name: "after its session and five later ones have ended",
      between: (charger: ReturnType<ModelService["charger"]>) => {
        charger.say(ended(charger.sessions[0]?.start.body.transactionId))
        for (let n = 1; n <= 5; n++) {
          const id = charger.start(started({ time: at(minute(40 + n)), meterStartWh: 6000 }))
          charger.say(ended(id, { time: at(minute(40 + n)) }))
        }
      },
      asks: ["FindToken"]
    }
  ]
  for (const { asks, between, name } of repeats) {
    it(`${name} gets the first transaction id and records nothing`, () => {
      const charger = service().charger()
      const first = charger.start(started())
      between(charger)
      const count = charger.sessions.length
      const again = charger.say(started(), "another message id")
      expect(again.reply).toMatchObject({
        _tag: "StartAnswered",
        transactionId: first,
        verdict: { status: "Accepted" }
      })
      expect(again.questions).toEqual(asks)
      expect(charger.sessions).toHaveLength(count)
      const ids = charger.state.sessions.map(({ transactionId }) => transactionId)
      expect(new Set(ids).size).toBe(ids.length)
    })
  }

  it("gets the full verdict of the first, including expiry and group, because the charger caches it; also after a reconnect", () => {
    const charger = service({ uid: "ANNA", parentUid: "FAMILY", expiresAt: minute(600) }).charger()
    const first = charger.say(started()).reply
    expect(first).toMatchObject({ verdict: { status: "Accepted", expiresAt: minute(600), parentUid: "FAMILY" } })
    expect(charger.say(started(), "another message id").reply).toEqual(first)
    charger.forget()
    expect(charger.say(started(), "a third message id").reply).toEqual(first)
  })

  it("keeps the verdict of the first, even if the token has been blocked since", () => {
    const shared = service()
    const charger = shared.charger()
    charger.start(started())
    shared.journal.tokens.set("anna", token("ANNA", { status: "Blocked" }))
    expect(charger.say(started()).reply).toMatchObject({ verdict: { status: "Accepted" } })
  })

  it("is recognised even if the letter case of the token differs", () => {
    const charger = service().charger()
    expect(charger.start(started({ tokenUid: "anna" }))).toBe(charger.start(started({ tokenUid: "ANNA" })))
  })

  it("from a clock in 1970 is recognised by its raw timestamp", () => {
    const charger = service().charger()
    const first = charger.start(started({ time: in1970(125) }))
    charger.forget()
    expect(charger.start(started({ time: in1970(125) }))).toBe(first)
    expect(charger.start(started({ time: in1970(126) }))).not.toBe(first)
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
  })

  const timeless = [
    { name: "without a timestamp", time: noTime },
    { name: "with a timestamp of zero", time: { at: 0, raw: "1970-01-01T00:00:00Z" } },
    { name: "with a timestamp of the year one", time: { at: -62_135_596_800_000, raw: "0001-01-01T00:00:00Z" } }
  ]
  for (const { name, time } of timeless) {
    it(`${name} counts as the same one while its session has not moved`, () => {
      const charger = service().charger()
      const first = charger.start(started({ time }))
      charger.forget()
      expect(charger.start(started({ time }))).toBe(first)
      charger.say(metered(first, [reading(noTime, energy(1500))]))
      expect(charger.start(started({ time }))).not.toBe(first)
    })

    it(`${name} counts as a new one once the first has ended`, () => {
      const charger = service().charger()
      const first = charger.start(started({ time }))
      charger.say(ended(first, { time, meterStopWh: 1000 }))
      expect(charger.start(started({ time }))).not.toBe(first)
      expect(charger.sessions).toHaveLength(2)
    })
  }

  it("is recorded once when the first commit's outcome was lost", () => {
    const charger = service().charger()
    charger.loseNextOutcome = true
    const first = charger.start(started())
    expect(charger.start(started())).toBe(first)
    expect(charger.sessions).toHaveLength(1)
  })

  it("is a new start when connector, token, time or register differs", () => {
    const charger = service().charger()
    const ids = [
      started(),
      started({ place: evse(2) }),
      started({ tokenUid: "BERT" }),
      started({ time: at(minute(0) + 1000) }),
      started({ meterStartWh: 1001 })
    ].map((event) => charger.start(event))
    expect(new Set(ids).size).toBe(5)
  })
})

describe("a StartTransaction whose stop came first", () => {
  const early = ended(undefined, { time: at(minute(30)), meterStopWh: 6000 })

  it("is followed by the end of its session, with the figures of that stop", () => {
    const charger = service().charger()
    charger.say(early)
    const { facts, outcome } = charger.say(started())
    expect(facts.map(({ type }) => type)).toEqual(["SessionStarted", "SessionEnded"])
    expect(outcome.recorded).toEqual([true, true])
    expect(charger.sessions[0]?.end).toMatchObject({ at: minute(30), body: { energyWh: 5000, reason: "Local" } })
    expect(charger.state.orphans).toEqual([])
    expect(charger.state.sessions).toMatchObject([{ status: "Ended" }])
  })

  it("is followed by that end also after a reload, and ends nothing when repeated", () => {
    const charger = service().charger()
    charger.say(early)
    charger.forget()
    const first = charger.start(started())
    charger.forget()
    expect(charger.start(started())).toBe(first)
    expect(charger.factsOf("SessionEnded")).toHaveLength(1)
  })

  const signed = { value: "OCMF|{}|{}", format: "SignedData" }
  const brought = [
    reading(at(minute(0)), energy(1000, { context: "Transaction.Begin" }), energy("OCMF|{}|{}", signed)),
    reading(at(minute(30)), energy(6000, { context: "Transaction.End" }))
  ]
  for (const forgetting of [false, true]) {
    it(`stores the readings and signed values that came with the stop${forgetting ? ", after a reload too" : ""}`, () => {
      const charger = service().charger()
      const heardAt = charger.now + 1000
      charger.say({ ...early, readings: brought })
      if (forgetting) charger.forget()
      const { facts, outcome, questions } = charger.say(started())
      expect(questions).toEqual(["FindToken", "FindOrphan"])
      expect(outcome.recorded).toEqual([true, true, true])
      const { sessionId } = charger.sessions[0]?.start.body ?? {}
      const readings = brought.map((one) => ({ at: one.at, rawAt: one.rawAt, samples: one.samples }))
      const register = { registerWh: 6000, registerAt: minute(30) }
      expect(facts.slice(1)).toMatchObject([
        { type: "MeterRead", heardAt, body: { ...evse(1), sessionId, fromStop: true, readings, ...register } },
        { type: "SessionEnded", body: { sessionId, energyWh: 5000, heldReason: undefined } }
      ])
      expect(charger.sessions).toMatchObject([{ status: "Ended", registerWh: 6000 }])
    })
  }

  it("takes its lost register from the readings that came with the stop", () => {
    const charger = service().charger()
    charger.say({ ...early, readings: brought })
    charger.say(started({ meterStartWh: 0 }))
    expect(charger.sessions[0]?.end?.body).toMatchObject({ meterStartWh: 1000, meterStopWh: 6000, energyWh: 5000 })
  })

  it("stores no readings again when it is repeated", () => {
    const charger = service().charger()
    charger.say({ ...early, readings: brought })
    const first = charger.start(started())
    charger.forget()
    expect(charger.start(started())).toBe(first)
    expect(charger.factsOf("MeterRead")).toHaveLength(1)
  })

  it("takes the nearest of two stops", () => {
    const charger = service().charger()
    charger.say(ended(undefined, { time: at(minute(90)), meterStopWh: 9000 }))
    charger.say(early)
    charger.say(started())
    expect(charger.sessions[0]?.end?.at).toBe(minute(30))
    expect(charger.state.orphans).toHaveLength(1)
  })

  const others = [
    { name: "one with another token", stop: ended(undefined, { tokenUid: "BERT" }) },
    { name: "one without a token", stop: ended(undefined, { tokenUid: undefined }) },
    { name: "one from before the start", stop: ended(undefined, { time: at(minute(-1)) }) },
    { name: "one below the start's register", stop: ended(undefined, { meterStopWh: 999 }) },
    { name: "one without a register", stop: ended(undefined, { meterStopWh: undefined }) },
    { name: "one that names a transaction", stop: ended(123_456) }
  ]
  for (const { name, stop } of others) {
    it(`does not take a stop that is ${name}`, () => {
      const charger = service().charger()
      charger.say(stop)
      charger.say(started())
      expect(charger.sessions).toMatchObject([{ status: "Open", end: undefined }])
      expect(charger.service.journal.orphans).toMatchObject([{ sessionId: undefined }])
    })
  }

  it("does not take a stop that may belong to another open session", () => {
    const charger = service().charger()
    charger.start(started({ place: evse(2), meterStartWh: 100 }))
    charger.start(started({ place: evse(3), meterStartWh: 100 }))
    charger.say(early)
    charger.say(started())
    expect(charger.factsOf("SessionEnded")).toEqual([])
  })

  it("ends no session by a later stop when it repeats a start that is no longer in memory", () => {
    const charger = service().charger()
    charger.say(ended(charger.start(started()), { time: at(minute(10)), meterStopWh: 1500 }))
    for (let n = 1; n <= 5; n++) {
      const id = charger.start(started({ tokenUid: "BERT", time: at(minute(10 + n)), meterStartWh: 1500 }))
      charger.say(ended(id, { tokenUid: "BERT", time: at(minute(10 + n)), meterStopWh: 1500 }))
    }
    charger.say(ended(undefined, { time: at(minute(12)), meterStopWh: 5000 }))
    const { outcome } = charger.say(started())
    expect(outcome.recorded.every((recorded) => !recorded)).toBe(true)
    expect(charger.sessions[0]?.end?.body.energyWh).toBe(500)
    expect(charger.state.orphans).toHaveLength(1)
  })
})

describe("a refused start that took no energy and is never stopped", () => {
  const refusing = () => {
    const charger = service({ uid: "B", status: "Blocked" }).charger()
    charger.now = minute(60)
    return charger
  }
  const refused = started({ tokenUid: "B", time: at(minute(10)) })

  it("ends without being held when another start follows on its connector", () => {
    const charger = refusing()
    charger.start(refused)
    const { facts } = charger.say(started({ time: at(minute(20)), meterStartWh: 1010 }))
    expect(bodies(facts)[0]).toMatchObject({ supersedes: [] })
    expect(charger.factsOf("SessionEnded")).toMatchObject([
      { at: minute(20), body: { reason: "DeAuthorized", heldReason: undefined, unheard: true } }
    ])
    expect(charger.sessions.map(({ status }) => status)).toEqual(["Superseded", "Open"])
    expect(charger.state.sessions).toMatchObject([
      { status: "Superseded", supersededAt: minute(20) },
      { status: "Open" }
    ])
  })

  it("ends the same way with each further start, and a repeated message changes nothing", () => {
    const charger = refusing()
    for (let n = 0; n < 5; n++) charger.start(started({ tokenUid: "B", time: at(minute(10 + n)) }))
    charger.start(started({ tokenUid: "B", time: at(minute(14)) }))
    expect(charger.factsOf("SessionEnded")).toHaveLength(4)
    charger.forget()
    expect(charger.state.sessions.map(({ status }) => status)).toEqual([...Array(4).fill("Superseded"), "Open"])
  })

  for (const [name, nextWh, readWh] of [
    ["the register of the start that follows", 1011, undefined],
    ["a reading of its own", 1000, 1011]
  ] as const) {
    it(`is superseded and held when ${name} shows that energy flowed`, () => {
      const charger = refusing()
      const transactionId = charger.start(refused)
      if (readWh !== undefined) charger.say(metered(transactionId, [reading(at(minute(12)), energy(readWh))]))
      const { facts } = charger.say(started({ time: at(minute(20)), meterStartWh: nextWh }))
      expect(bodies(facts)[0]?.supersedes).toHaveLength(1)
      expect(charger.factsOf("SessionEnded")).toEqual([])
    })
  }

  it("ends the same way when it arrives after the start that followed it", () => {
    const charger = refusing()
    charger.start(started({ time: at(minute(20)) }))
    const { facts } = charger.say(refused)
    expect(bodies(facts)[0]?.supersededBy).toBeUndefined()
    expect(charger.factsOf("SessionEnded")).toMatchObject([{ at: minute(20), body: { unheard: true } }])
    expect(charger.state.sessions).toMatchObject([{ status: "Open" }, { status: "Superseded" }])
  })

  it("ends by its own stop when that arrives after all", () => {
    const charger = refusing()
    const transactionId = charger.start(refused)
    charger.start(started({ time: at(minute(20)) }))
    charger.say(ended(transactionId, { tokenUid: "B", meterStopWh: 4000 }))
    expect(charger.factsOf("SessionEnded")).toMatchObject([
      { body: { unheard: true } },
      { body: { reason: "Local", energyWh: 3000 } }
    ])
    expect(charger.state.sessions).toMatchObject([{ status: "Ended" }, { status: "Open" }])
  })
})
