/**
 * What a charger sends is bounded in the journal, which is never deleted: each message with each of its texts as long as a frame can be,
 * up to the resulting facts.
 */
import { describe, expect, it } from "vitest"
import type { ChargerCommand } from "../../../src/domain/command/ChargerCommand.ts"
import type { ChargerFact } from "../../../src/domain/charger/Fact.ts"
import { decide } from "../../../src/domain/decide/Decide.ts"
import { signedDataOf } from "../../../src/domain/session/SignedData.ts"
import { isCut } from "../../../src/domain/values/Cut.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"
import { minute, state } from "../../support/events.ts"
import { ModelService } from "../../support/modelCharger.ts"
import { answersTo } from "./commandAnswers.ts"
import { sentCommands } from "./commands.ts"
import { examples } from "./examples.ts"

const KiB = 1024
const long = "\u{1f50c}x".repeat(300 * KiB)

const json = (value: unknown): number => JSON.stringify(value).length

/** The value with each of its texts and numbers replaced by one that is too long, one at a time, and finally all of them. */
const lengthened = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.length === 0 ? [] : lengthened(value[0]).map((one) => [one])
  if (typeof value !== "object" || value === null) return [long]
  const members = Object.entries(value)
  const each = members.flatMap(([name, member]) => lengthened(member).map((one) => ({ ...value, [name]: one })))
  return [...each, Object.fromEntries(members.map(([name, member]) => [name, lengthened(member).at(-1) ?? member]))]
}

/** The facts that a frame leads to, for a charger without earlier messages. */
const factsOf = (action: string, payload: unknown): ReadonlyArray<ChargerFact> => {
  const decoded = v16.decodeCall(action, payload)
  if (decoded._tag === "Refused") return []
  return new ModelService().charger().say(decoded.event, "1", JSON.stringify([2, "1", action, payload])).facts
}

const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : []
}

describe("what a charger sends", () => {
  const rows = examples.map(({ action, payload }) => [action, payload] as const)

  it.each(rows)("in a %s takes little space, however long its texts are: %j", (action, payload) => {
    for (const sent of lengthened(payload)) {
      const facts = factsOf(action, sent)
      expect(json(facts.map(({ body }) => body))).toBeLessThan(32 * KiB)
      // Cut text is marked as such, and apart from raw frames no text is longer than the longest that OCPP 1.6 allows.
      const stored = texts(facts.map(({ body }) => ({ ...body, raw: "" })))
      expect(stored.filter((text) => text.length >= 255).every(isCut)).toBe(true)
      expect(stored.every((text) => text.length <= 1000 && text.isWellFormed())).toBe(true)
    }
  })

  it("is stored unchanged if it fits", () => {
    const data = "d".repeat(1000)
    expect(factsOf("DataTransfer", { vendorId: "V", data })).toMatchObject([{ body: { vendorId: "V", data } }])
    const info = "i".repeat(50)
    const said = { connectorId: 1, errorCode: "NoError", status: "Faulted", info }
    expect(factsOf("StatusNotification", said)).toMatchObject([{ body: { info } }])
    expect(factsOf("StatusNotification", { ...said, info: `${info}i` })).toMatchObject([
      { body: { info: `${"i".repeat(49)}…` } }
    ])
  })

  it("is stored as the beginning of vendor data and its size in bytes, if it is long", () => {
    const [fact] = factsOf("DataTransfer", { vendorId: "V", messageId: "M", data: "ä".repeat(400_000) })
    expect(fact?.body).toEqual({ vendorId: "V", messageId: "M", data: `${"ä".repeat(999)}…`, size: 800_000 })
  })

  it("is recognised as a repetition although it was cut", () => {
    const charger = new ModelService().charger()
    const said = { connectorId: 1, errorCode: "NoError", status: "Faulted", info: "i".repeat(60) }
    const decoded = v16.decodeCall("StatusNotification", said)
    if (decoded._tag !== "Event") throw new Error("it is refused")
    expect(charger.say(decoded.event).facts).toHaveLength(1)
    expect(charger.say(decoded.event).facts).toEqual([])
  })

  it("is never mistaken for another card because it was cut", () => {
    const uid = "A".repeat(40)
    expect(factsOf("Authorize", { idTag: uid })).toMatchObject([{ body: { tokenUid: uid } }])
    const [fact] = factsOf("Authorize", { idTag: "A".repeat(500_000) })
    expect(fact?.body).toMatchObject({ tokenUid: `${"A".repeat(254)}…`, authorization: { status: "Invalid" } })
  })

  it("costs no transaction: a start and a stop with everything too long are accepted", () => {
    const iso = "2026-11-20T10:00:00.000Z"
    const start = { connectorId: 1, idTag: long, meterStart: 1000, timestamp: iso }
    const stop = { transactionId: 1, idTag: long, meterStop: 2000, timestamp: iso, reason: long }
    expect(factsOf("StartTransaction", start)).toMatchObject([{ type: "SessionStarted", body: { meterStartWh: 1000 } }])
    expect(factsOf("StopTransaction", stop)).toMatchObject([
      { type: "OrphanRecorded", body: { meterStopWh: 2000 } },
      { type: "SecurityEventRecorded" }
    ])
  })
})

describe("a signed value", () => {
  const read = (value: string) => {
    const sampledValue = [{ value, format: "SignedData", context: "Transaction.End" }]
    const decoded = v16.decodeCall("MeterValues", {
      connectorId: 1,
      meterValue: [{ timestamp: "2026-11-20T10:00:00Z", sampledValue }]
    })
    if (decoded._tag !== "Event" || decoded.event._tag !== "MeterValuesReported") throw new Error("it is not read")
    return decoded.event.readings.flatMap(({ samples }) => samples)
  }

  it("of 64 KiB is stored byte for byte", () => {
    const value = `OCMF|${"x".repeat(64 * KiB - 5)}`
    expect(read(value)).toMatchObject([{ value }])
  })

  it("that is longer is cut, and is not part of any record", () => {
    const samples = read(`OCMF|${"x".repeat(64 * KiB)}`)
    expect(samples).toMatchObject([{ value: `OCMF|${"x".repeat(494)}…` }])
    expect(signedDataOf(samples)).toBeUndefined()
  })
})

describe("a charger's answer", () => {
  /** The end of the command, and what is learnt from it. */
  const factsAfter = (command: ChargerCommand, payload: unknown): ReadonlyArray<ChargerFact> => {
    const result = v16.decodeResult(command, payload)
    const ids = { transactionId: 1, uuid: () => "uuid" }
    const decision = decide(state(), { _tag: "CommandAnswered", commandId: "1", command, result }, minute(0), ids)
    if (decision._tag !== "Act") throw new Error("it asks")
    return decision.facts
  }

  it("to any command is stored within 96 KiB, and cut text is marked", () => {
    for (const { action, command } of new Map(sentCommands.map((sent) => [sent.action, sent])).values()) {
      const sent = lengthened({ ...answersTo(command._tag, action).at(-1)?.payload, of: [{ vendor: "" }] }).at(-1)
      const facts = factsAfter(command, sent)
      expect(json(facts)).toBeLessThan(96 * KiB)
      expect(texts(facts).some(isCut)).toBe(true)
    }
  })

  it("with a CALLERROR is stored within the lengths of OCPP-J", () => {
    expect(v16.decodeError({ _tag: "ClearCache" }, long, long)).toMatchObject({
      code: expect.stringMatching(/^.{1,50}…$/su) as unknown,
      description: expect.stringMatching(/^.{1,255}…$/su) as unknown
    })
  })

  it("to GetConfiguration has its keys stored up to a limit, and the number of the rest", () => {
    const getAll: ChargerCommand = { _tag: "GetConfiguration", keys: [] }
    const configurationKey = Array.from({ length: 9000 }, (_, n) => ({
      key: `K${n}`,
      readonly: false,
      value: "v".repeat(60)
    }))
    const unknownKey = Array.from({ length: 9000 }, (_, n) => `U${n}`)
    const fact = factsAfter(getAll, { configurationKey, unknownKey }).find(
      ({ type }) => type === "ConfigurationReported"
    )
    if (fact?.type !== "ConfigurationReported") throw new Error("nothing is reported")
    expect(json(fact.body)).toBeLessThan(160 * KiB)
    const kept = fact.body.keys.length - 1
    expect(kept).toBeGreaterThan(1000)
    expect(fact.body.keys.at(-1)).toEqual({ key: "…", value: `${9000 - kept} more keys were not kept`, readonly: true })
    const some = { configurationKey: configurationKey.slice(0, 400), unknownKey: [] }
    expect(factsAfter(getAll, some)[1]).toMatchObject({ body: { keys: some.configurationKey } })
  })
})
