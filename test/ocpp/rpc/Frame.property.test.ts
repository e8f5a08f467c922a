import { expect, it } from "vitest"
import { parseFrame, serializeCall, serializeCallError, serializeCallResult } from "../../../src/ocpp/rpc/Frame.ts"
import { errorCodeNames } from "./names.ts"
import { storableText } from "../../../src/ocpp/rpc/Storable.ts"
import { forSeeds } from "../../support/random.ts"
import { anyJson, mutateJson, mutateText } from "./awkward.ts"

const frames = [
  '[2,"19223201","BootNotification",{"chargePointVendor":"V","chargePointModel":"M"}]',
  '[2,"a\\u0000\\ud800","MeterValues",{"connectorId":1,"meterValue":[{"timestamp":"t","sampledValue":[{"value":"1"}]}]}]',
  '[3,"19223201",{"status":"Accepted"}]',
  '[4,"19223201","NotSupported","",{}]',
  '[2,7,"Heartbeat",null]'
]

const tags = new Set(["Call", "CallResult", "CallError", "Ignored", "Malformed"])

/** Every string in the value: those that are stored must be storable. */
const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)])
}

it("a mutated text is always classified, and contains only text that a database can store", () => {
  forSeeds(10_000, (random) => {
    const parsed = parseFrame(mutateText(random, random.pick(frames)))
    expect(tags).toContain(parsed._tag)
    expect(
      stringsIn({ ...parsed, wireId: null, repaired: null }).filter((text) => storableText(text) !== text)
    ).toEqual([])
  })
})

it("mutated JSON is always classified, and only a CALL is answered", () => {
  forSeeds(10_000, (random) => {
    const frame = random.next() < 0.5 ? anyJson(random) : mutateJson(random, JSON.parse(random.pick(frames)))
    const parsed = parseFrame(JSON.stringify(frame))
    expect(tags).toContain(parsed._tag)
    if (parsed._tag !== "Malformed" || parsed.wireId === undefined) return
    expect(Number((frame as ReadonlyArray<unknown>)[0])).toBe(2)
    expect((frame as ReadonlyArray<unknown>)[1]).toEqual(parsed.wireId)
  })
})

it("a serialised frame is parsed back to what was sent", () => {
  forSeeds(2_000, (random) => {
    const messageId = storableText(`${random.pick(["", "7", "é", "\\", '"'])}${String(random.next())}`)
    // Passed through JSON, which has no -0 and undefined; and made storable, since the parser replaces what is not.
    const wrapped = { data: anyJson(random) }
    const payload = JSON.parse(JSON.stringify(wrapped).replaceAll(/\\u(?:0000|d800)/g, "?")) as Record<string, unknown>
    expect(parseFrame(serializeCall(messageId, "DataTransfer", payload))).toEqual({
      _tag: "Call",
      messageId,
      wireId: messageId,
      action: "DataTransfer",
      payload
    })
    expect(parseFrame(serializeCallResult(messageId, payload))).toEqual({ _tag: "CallResult", messageId, payload })
    const code = random.pick(errorCodeNames)
    expect(parseFrame(serializeCallError(messageId, code, "why"))).toEqual({
      _tag: "CallError",
      messageId,
      code,
      description: "why",
      details: {}
    })
  })
})
