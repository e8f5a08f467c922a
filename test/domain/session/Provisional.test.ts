import { describe, expect, it } from "vitest"
import type { ChargerFact } from "../../../src/domain/charger/Fact.ts"
import { provisionalKept } from "../../../src/domain/session/Provisional.ts"
import { at, ended, energy, evse, metered, minute, reading, started, status } from "../../support/events.ts"
import { type ModelCharger, ModelService } from "../../support/modelCharger.ts"

const typesOf = (facts: ReadonlyArray<ChargerFact>) => facts.map(({ type }) => type)

/** A charger that has used up its daily number of transactions. */
const overBudget = (): ModelCharger => {
  const service = new ModelService()
  service.room = "Plausible"
  return service.charger()
}

const countedOf = ({ state }: ModelCharger) =>
  state.negligible && [state.negligible.transactions, state.negligible.energyWh]

const stopOf = (transactionId: number, wh: number, seconds = 1) =>
  ended(transactionId, { meterStopWh: 1000 + wh, time: at(minute(seconds / 60)) })

describe("a transaction beyond the charger's daily number", () => {
  it("is answered like any other, and is no session yet", () => {
    const charger = overBudget()
    const { facts, reply } = charger.say(started())
    expect(reply).toMatchObject({ _tag: "StartAnswered", transactionId: expect.any(Number) })
    expect(typesOf(facts)).toEqual(["ProvisionalChanged"])
    expect(charger.sessions).toEqual([])
  })

  it("is counted with its energy if its stop shows that it is negligible", () => {
    const charger = overBudget()
    for (const wh of [1, 2]) {
      const id = charger.start(started({ time: at(minute(wh)) }))
      expect(charger.say(stopOf(id, wh, wh * 60 + 59)).reply).toMatchObject({ _tag: "StopAnswered" })
    }
    expect(charger.sessions).toEqual([])
    expect(charger.service.journal.orphans).toEqual([])
    expect(countedOf(charger)).toEqual([2, 3])
  })

  it.each([
    ["100 Wh", 100, 1],
    ["a minute", 0, 60]
  ])("is a session with its own start and stop once the stop shows %s", (_, wh, seconds) => {
    const charger = overBudget()
    const id = charger.start(started())
    charger.say(stopOf(id, wh, seconds))
    expect(charger.sessions).toMatchObject([
      { status: "Ended", start: { at: minute(0), body: { transactionId: id } }, end: { body: { energyWh: wh } } }
    ])
    expect(charger.state.provisional).toBeUndefined()
    expect(countedOf(charger)).toBeUndefined()
  })

  it("survives a crash between its start and its stop", () => {
    const charger = overBudget()
    const id = charger.start(started())
    charger.forget()
    charger.say(stopOf(id, 5_000, 1_800))
    expect(charger.sessions).toMatchObject([{ status: "Ended", end: { body: { energyWh: 5_000 } } }])
  })

  it("is a session from the reading on that shows 100 Wh, with its earlier readings", () => {
    const charger = overBudget()
    const id = charger.start(started())
    const read = (wh: number) => charger.say(metered(id, [reading(at(minute(0) + wh), energy(1000 + wh))]))
    expect(typesOf(read(10).facts)).toEqual(["ProvisionalChanged"])
    expect(typesOf(read(99).facts)).toEqual(["ProvisionalChanged"])
    expect(typesOf(read(100).facts)).toEqual([
      "SessionStarted",
      "MeterRead",
      "MeterRead",
      "ProvisionalChanged",
      "MeterRead"
    ])
    expect(charger.sessions).toMatchObject([{ status: "Open", registerWh: 1100 }])
    expect(charger.state).toEqual({ ...charger.state, sessions: [expect.objectContaining({ registerWh: 1100 })] })
  })

  it("is a session as soon as the charger sends anything a minute after its start", () => {
    const charger = overBudget()
    charger.start(started())
    expect(typesOf(charger.say({ _tag: "HeartbeatReceived" }).facts)).toEqual([])
    charger.now += 60_000
    expect(typesOf(charger.say({ _tag: "HeartbeatReceived" }).facts)).toEqual(["SessionStarted", "ProvisionalChanged"])
    expect(charger.sessions).toMatchObject([{ status: "Open" }])
  })

  it("does not last any longer once another start has followed on its connector", () => {
    const charger = overBudget()
    const first = charger.start(started())
    charger.start(started({ time: at(minute(0.1)) }))
    charger.now += 3_600_000
    charger.say(status())
    charger.say(status({ status: "Faulted" }))
    expect(charger.sessions).toMatchObject([{ start: { at: minute(0.1) } }])
    charger.say(stopOf(first, 500))
    expect(charger.sessions).toHaveLength(2)
  })

  it("is answered with the same transaction id if its start is repeated, also after its end", () => {
    const charger = overBudget()
    const id = charger.start(started())
    expect(charger.start(started())).toBe(id)
    charger.say(stopOf(id, 1))
    charger.forget()
    expect(charger.start(started())).toBe(id)
    charger.say(stopOf(id, 1))
    expect(countedOf(charger)).toEqual([1, 1])
    expect(charger.service.journal.facts.map(({ type }) => type)).toEqual(["NegligibleTransactionsCounted"])
  })

  it("ends by a stop that names no transaction, if it can belong to no other session", () => {
    const charger = overBudget()
    charger.start(started())
    const unnamed = ended(undefined, { meterStopWh: 1001, time: at(minute(0.5)) })
    charger.say(unnamed)
    charger.say(unnamed)
    expect(countedOf(charger)).toEqual([1, 1])
    expect(charger.service.journal.orphans).toEqual([])
  })

  it("is a session in any case if an operator has started it", () => {
    const charger = overBudget()
    const sent = { commandId: "command-1", tokenUid: "ANNA", evseId: 1, sentAt: charger.now, status: "Sent" as const }
    charger.service.journal.start = {
      ...charger.service.journal.start,
      remoteStarts: [{ ...sent, errorCode: undefined }]
    }
    expect(typesOf(charger.say(started()).facts)[0]).toBe("SessionStarted")
  })

  it("publishes the day's totals at the first one, the tenth and the hundredth", () => {
    const charger = overBudget()
    for (let n = 1; n <= 120; n++) charger.say(stopOf(charger.start(started({ time: at(minute(n)) })), 1, n * 60 + 1))
    expect(charger.factsOf("NegligibleTransactionsCounted").map(({ body }) => body.transactions)).toEqual([1, 10, 100])
    expect(countedOf(charger)).toEqual([120, 120])
    expect(charger.state.provisional?.length).toBeLessThan(20)
  })

  it("gives way if too many run, but not one that runs alone on its connector", () => {
    const charger = overBudget()
    const alone = charger.start(started({ place: evse(2) }))
    for (let n = 0; n < provisionalKept + 20; n++) charger.start(started({ time: at(minute(0) + n) }))
    charger.say(stopOf(alone, 20_000, 3_600))
    expect(charger.sessions).toMatchObject([{ status: "Ended", start: { body: { evseId: 2 } } }])
    expect(countedOf(charger)?.[0]).toBe(21)
  })

  it("is counted even if it is plausible, once their number is used up too", () => {
    const charger = overBudget()
    const id = charger.start(started())
    charger.service.room = "None"
    charger.say(stopOf(id, 5_000, 1_800))
    expect(charger.sessions).toEqual([])
    expect(countedOf(charger)).toEqual([1, 5_000])
  })
})
