import { describe, expect, it } from "vitest"
import { Recording } from "../../src/actors/Recording.ts"
import { limits } from "../../src/config/Limits.ts"
import { answer } from "../../src/domain/decide/Acting.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import type { Decision } from "../../src/domain/charger/Decision.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { at, energy, metered, minute, noTime, reading, started, state, status } from "../support/events.ts"
import { ModelService } from "../support/modelCharger.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

/** What a charger's event is decided to be, as its actor receives it. */
const decided = (event: ChargerEvent): Act => {
  const { facts, reply } = new ModelService().charger().say(event)
  return { ...(answer(() => reply) as Act), facts }
}

const flood: ReadonlyArray<ChargerEvent> = [
  { _tag: "DataReceived", vendorId: "V", messageId: undefined, data: "x" },
  { _tag: "SecurityEventReported", type: "SettingSystemTime", time: noTime, techInfo: undefined },
  { _tag: "FirmwareStatusReported", status: "Downloading", requestId: undefined },
  { _tag: "AuthorizationAsked", tokenUid: "UNKNOWN" }
]

describe("the facts that one charger causes in a day", () => {
  const perDay = { state: 3, configuration: 1, readings: 2, talk: 3, unmatched: 1 }
  const watched = () => {
    let lost = 0
    const recording = new Recording((facts) => void (lost += facts), limits.recording, perDay)
    const facts = (chargerId: string, event: ChargerEvent, now: number) =>
      recording.within(chargerId, decided(event), now).facts.length
    return { recording, facts, lost: () => lost }
  }

  it.each(flood)("are no longer recorded beyond the budget, while messages are still answered: $_tag", (event) => {
    const { facts, lost, recording } = watched()
    expect([1, 2, 3, 4, 5].map(() => facts("A", event, minute(0)))).toEqual([1, 1, 1, 0, 0])
    expect(lost()).toBe(2)
    expect(recording.within("A", decided(event), minute(0)).reply).toBeDefined()
    // The budget of other chargers is not affected.
    expect(facts("B", event, minute(0))).toBe(1)
  })

  it("may be more again with time, a third of the budget after eight hours", () => {
    const { facts } = watched()
    const [data] = flood
    for (let n = 0; n < 4; n++) facts("A", data!, minute(0))
    expect([0, 1].map(() => facts("A", data!, minute(8 * 60)))).toEqual([1, 0])
    expect([0, 1, 2, 3].map(() => facts("A", data!, minute(3 * 24 * 60)))).toEqual([1, 1, 1, 0])
  })

  it("include one unrequested configuration, and all those that operators request", () => {
    const { recording } = watched()
    const recordedFacts = (commandId?: string) => {
      const content = { _tag: "Configuration", keys: [], unknown: [] } as const
      const result = { _tag: "Answered", status: undefined, answer: {}, content } as const
      const command = { _tag: "GetConfiguration", keys: [] } as const
      const input = { _tag: "CommandAnswered", commandId, command, result } as const
      const decision = decide(state(), input, minute(0), { transactionId: 1, uuid: () => "uuid" })
      return decision._tag === "Act" ? recording.within("A", decision, minute(0)).facts.length : undefined
    }
    expect([recordedFacts(), recordedFacts(), recordedFacts("command-1"), recordedFacts("command-2")]).toEqual([
      1, 0, 2, 2
    ])
  })

  it("include only some readings without a transaction, and all those of sessions", () => {
    const { facts } = watched()
    const loose = (n: number) => metered(undefined, [reading(at(minute(n)), energy(n))])
    expect([1, 2, 3, 4].map((n) => facts("A", loose(n), minute(0)))).toEqual([1, 1, 0, 0])
    const charger = new ModelService().charger()
    const id = charger.start(started())
    const { recording } = watched()
    for (let n = 1; n < 9; n++) {
      const reported = charger.say(metered(id, [reading(at(minute(n)), energy(n))])).facts
      expect(recording.within("A", { ...(answer(() => undefined!) as Act), facts: reported }, minute(0)).facts).toEqual(
        reported
      )
    }
  })

  it("count readings of a transaction of another charger as two facts", () => {
    const { facts } = watched()
    const foreign = (n: number) => metered(1_000 + n, [reading(at(minute(n)), energy(n))])
    expect([1, 2, 3, 4, 5].map((n) => facts("A", foreign(n), minute(0)))).toEqual([2, 2, 1, 0, 0])
  })

  it("never use up the budget for connector statuses and transactions", () => {
    const { facts } = watched()
    for (let n = 0; n < 9; n++) facts("A", flood[n % flood.length]!, minute(0))
    expect(facts("A", flood[0]!, minute(0))).toBe(0)
    expect([1, 2, 3, 4].map(() => facts("A", status({ status: "Faulted" }), minute(0)))).toEqual([1, 1, 1, 0])
    for (let n = 0; n < 9; n++) expect(facts("A", started(), minute(0))).toBe(1)
  })

  it("include one reading a minute of each session beyond the bytes of readings, and signed ones, then none", () => {
    const readingBytes = { charger: 5_000, organisation: 1_000_000 }
    const recording = new Recording(() => {}, { ...limits.recording, readingBytes })
    const charger = new ModelService().charger()
    const id = charger.start(started())
    const kept = (seconds: number, parts: Parameters<typeof energy>[1] = {}) => {
      const { facts } = charger.say(metered(id, [reading(at(minute(seconds / 60)), energy(1000 + seconds, parts))]))
      return recording.within("A", { ...(answer(() => undefined!) as Act), facts }, minute(0)).facts.length
    }
    expect([1, 2, 3, 4].map((second) => kept(second))).toEqual([1, 1, 1, 1])
    expect([5, 6, 64].map((second) => kept(second))).toEqual([1, 1, 0])
    expect([kept(65, { format: "SignedData" }), kept(200)]).toEqual([1, 0])
  })
})
