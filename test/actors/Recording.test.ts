import { describe, expect, it } from "vitest"
import { Recording } from "../../src/actors/Recording.ts"
import { answer } from "../../src/domain/decide/Acting.ts"
import { decide } from "../../src/domain/decide/Decide.ts"
import type { Decision } from "../../src/domain/charger/Decision.ts"
import type { ChargerEvent } from "../../src/domain/charger/ChargerEvent.ts"
import { at, energy, metered, minute, noTime, reading, started, state, status } from "../support/events.ts"
import { ModelService } from "../support/modelCharger.ts"

type Act = Extract<Decision, { readonly _tag: "Act" }>

/** What a charger's event comes to, as its actor is told of it. */
const decided = (event: ChargerEvent): Act => {
  const { facts, reply } = new ModelService().charger().say(event)
  return { ...(answer(() => reply) as Act), facts }
}

const flood: ReadonlyArray<ChargerEvent> = [
  { _tag: "DataReceived", vendorId: "V", messageId: undefined, data: "x" },
  { _tag: "SecurityEventReported", type: "SettingSystemTime", time: noTime, techInfo: undefined },
  { _tag: "FirmwareStatusReported", status: "Downloading", requestId: undefined },
  { _tag: "AuthorizationAsked", tokenUid: "NOBODY" }
]

describe("what one charger tells in a day", () => {
  const perDay = { state: 3, configuration: 1, readings: 2, talk: 3 }
  const watched = () => {
    let lost = 0
    const recording = new Recording((facts) => void (lost += facts), perDay)
    const facts = (chargerId: string, event: ChargerEvent, now: number) =>
      recording.within(chargerId, decided(event), now).facts.length
    return { recording, facts, lost: () => lost }
  }

  it.each(flood)("is answered and no longer recorded beyond its budget: $_tag", (event) => {
    const { facts, lost, recording } = watched()
    expect([1, 2, 3, 4, 5].map(() => facts("A", event, minute(0)))).toEqual([1, 1, 1, 0, 0])
    expect(lost()).toBe(2)
    expect(recording.within("A", decided(event), minute(0)).reply).toBeDefined()
    // Nobody else has less for it.
    expect(facts("B", event, minute(0))).toBe(1)
  })

  it("has room again with time, a third of it after eight hours", () => {
    const { facts } = watched()
    const [data] = flood
    for (let n = 0; n < 4; n++) facts("A", data!, minute(0))
    expect([0, 1].map(() => facts("A", data!, minute(8 * 60)))).toEqual([1, 0])
    expect([0, 1, 2, 3].map(() => facts("A", data!, minute(3 * 24 * 60)))).toEqual([1, 1, 1, 0])
  })

  it("is a configuration after each boot, and those that operators ask for besides", () => {
    const { recording } = watched()
    const told = (commandId?: string) => {
      const content = { _tag: "Configuration", keys: [], unknown: [] } as const
      const result = { _tag: "Answered", status: undefined, answer: {}, content } as const
      const command = { _tag: "GetConfiguration", keys: [] } as const
      const input = { _tag: "CommandAnswered", commandId, command, result } as const
      const decision = decide(state(), input, minute(0), { transactionId: 1, uuid: () => "uuid" })
      return decision._tag === "Act" ? recording.within("A", decision, minute(0)).facts.length : undefined
    }
    expect([told(), told(), told("command-1"), told("command-2")]).toEqual([1, 0, 2, 2])
  })

  it("is so many readings of no transaction; those of a session are all recorded", () => {
    const { facts } = watched()
    const loose = (n: number) => metered(undefined, [reading(at(minute(n)), energy(n))])
    expect([1, 2, 3, 4].map((n) => facts("A", loose(n), minute(0)))).toEqual([1, 1, 0, 0])
    const charger = new ModelService().charger()
    const id = charger.start(started())
    const { recording } = watched()
    for (let n = 1; n < 9; n++) {
      const told = charger.say(metered(id, [reading(at(minute(n)), energy(n))])).facts
      expect(recording.within("A", { ...(answer(() => undefined!) as Act), facts: told }, minute(0)).facts).toEqual(
        told
      )
    }
  })

  it("counts what comes with something else: a transaction that is not this charger's, with each reading", () => {
    const { facts } = watched()
    const foreign = (n: number) => metered(1_000 + n, [reading(at(minute(n)), energy(n))])
    expect([1, 2, 3, 4, 5].map((n) => facts("A", foreign(n), minute(0)))).toEqual([2, 2, 1, 0, 0])
  })

  it("costs no connector its status, and no driver his transaction", () => {
    const { facts } = watched()
    for (let n = 0; n < 9; n++) facts("A", flood[n % flood.length]!, minute(0))
    expect(facts("A", flood[0]!, minute(0))).toBe(0)
    expect([1, 2, 3, 4].map(() => facts("A", status({ status: "Faulted" }), minute(0)))).toEqual([1, 1, 1, 0])
    for (let n = 0; n < 9; n++) expect(facts("A", started(), minute(0))).toBe(1)
  })
})
