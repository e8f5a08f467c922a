/**
 * What real chargers get wrong, by the numbers of the list it was collected in: 36 quirks, each either a frame with its result,
 * or the test that covers it. `serve` handles a frame as a connection does, up to the charger's actor.
 */
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { spell, type ErrorCode } from "../../../src/ocpp/rpc/ErrorCode.ts"
import { parseFrame, serializeCallError, serializeCallResult, type WireId } from "../../../src/ocpp/rpc/Frame.ts"
import type { ChargerEvent } from "../../../src/domain/charger/ChargerEvent.ts"
import { registersOf, type Sample } from "../../../src/domain/charger/MeterValue.ts"
import { v16 } from "../../../src/ocpp/v16/V16.ts"

type Served =
  | { readonly event: ChargerEvent; readonly violations: ReadonlyArray<string> }
  | { readonly answer: string }
  | "no answer"

const refusal = (
  wireId: WireId,
  { code, description }: { readonly code: ErrorCode; readonly description: string }
): Served => ({
  answer: serializeCallError(wireId, spell(code, "1.6"), description)
})

const serve = (text: string): Served => {
  const frame = parseFrame(text)
  if (frame._tag === "Malformed") {
    // A frame that cannot be read has no payload; a transaction message with a readable action is still an event.
    const decoded = frame.action === undefined ? undefined : v16.decodeCall(frame.action, undefined)
    if (decoded?._tag === "Event") return { event: decoded.event, violations: decoded.violations }
    return frame.wireId === undefined ? "no answer" : refusal(frame.wireId, frame)
  }
  if (frame._tag !== "Call") return "no answer"
  const decoded = v16.decodeCall(frame.action, frame.payload)
  return decoded._tag === "Event"
    ? { event: decoded.event, violations: decoded.violations }
    : refusal(frame.wireId, decoded)
}

const iso = "2026-11-20T10:00:00Z"
const at = Date.UTC(2026, 10, 20, 10)

const event = (fields: object, ...violations: ReadonlyArray<string>): unknown => ({
  event: expect.objectContaining(fields) as unknown,
  violations
})
const error = (code: string): unknown => ({
  answer: expect.stringMatching(new RegExp(`^\\[4,"7","${code}","[^"]+",\\{\\}\\]$`)) as unknown
})

const start = (change: string): string =>
  `[2,"7","StartTransaction",{"connectorId":1,"idTag":"A","meterStart":1000,"timestamp":"${iso}"${change}}]`
const stop = (transactionId: string): string =>
  `[2,"7","StopTransaction",{"transactionId":${transactionId},"idTag":"A","meterStop":2000,"timestamp":"${iso}"}]`
const status = (fields: string): string =>
  `[2,"7","StatusNotification",{"connectorId":1,"errorCode":"NoError","status":"Available"${fields}}]`
const meter = (samples: string, before = ""): string =>
  `[2,"7","MeterValues",{"connectorId":1,${before}"meterValue":[{"timestamp":"${iso}","sampledValue":${samples}}]}]`
const read = (...samples: ReadonlyArray<Partial<Sample>>): object => ({
  _tag: "MeterValuesReported",
  readings:
    samples.length === 0
      ? []
      : [{ at, rawAt: iso, samples: samples.map((sample) => expect.objectContaining(sample) as Sample) }]
})

/** Number, title, the frame as it was sent, and the result. */
const incoming: ReadonlyArray<readonly [number, string, string, unknown]> = [
  [2, "null as an empty payload", '[2,"7","Heartbeat",null]', event({ _tag: "HeartbeatReceived" })],
  [2, "no payload at all", '[2,"7","Heartbeat"]', event({ _tag: "HeartbeatReceived" })],
  [3, "an empty text frame", "", "no answer"],
  [
    5,
    "JSON without its closing brackets",
    '[2,"7","StatusNotification",{"connectorId":1,"status":"Available"',
    error("FormationViolation")
  ],
  [
    5,
    "a stop with a missing transaction id",
    stop(""),
    event({ _tag: "UnreadableTransactionMessage", action: "StopTransaction" }, "payload: wrong type")
  ],
  [5, "JSON without a readable id", '{"2","7","Heartbeat"', "no answer"],
  [
    6,
    "an empty message id",
    '[2,"","Authorize",{}]',
    { answer: '[4,"","OccurenceConstraintViolation","idTag: missing",{}]' }
  ],
  [
    6,
    "a number as a message id",
    '[2,7,"Authorize",{}]',
    { answer: '[4,7,"OccurenceConstraintViolation","idTag: missing",{}]' }
  ],
  [
    6,
    "a message id longer than OCPP allows",
    `[2,"${"7".repeat(60)}","Heartbeat",{}]`,
    event({ _tag: "HeartbeatReceived" })
  ],
  [
    14,
    "a time without zone",
    status(',"timestamp":"2026-11-20T10:00:00"'),
    event({ time: { at, raw: "2026-11-20T10:00:00" } }, "timestamp: no zone")
  ],
  [
    14,
    "a shortened zone",
    status(',"timestamp":"2026-11-20T12:00:00+02"'),
    event({ time: { at, raw: "2026-11-20T12:00:00+02" } }, "timestamp: short offset")
  ],
  [
    14,
    "a clock in 1970, which is left to the domain",
    status(',"timestamp":"1970-01-01T00:01:00Z"'),
    event({ time: { at: 60_000, raw: "1970-01-01T00:01:00Z" } })
  ],
  [
    14,
    "an invalid time",
    status(',"timestamp":"0000-00-00 00:00"'),
    event({ time: { at: undefined, raw: "0000-00-00 00:00" } }, "timestamp: not a time")
  ],
  [
    15,
    "a start without timestamp",
    '[2,"7","StartTransaction",{"connectorId":1,"idTag":"A","meterStart":1000}]',
    event(
      { _tag: "TransactionStarted", meterStartWh: 1000, time: { at: undefined, raw: undefined } },
      "timestamp: missing"
    )
  ],
  [
    17,
    "meter values without transaction",
    meter('[{"value":"1"}]'),
    event({ ...read({ value: "1" }), transactionId: undefined })
  ],
  [
    17,
    "meter values of transaction 0",
    meter('[{"value":"1"}]', '"transactionId":0,'),
    event({ ...read({ value: "1" }), transactionId: undefined })
  ],
  [
    17,
    "meter values of transaction -1",
    meter('[{"value":"1"}]', '"transactionId":-1,'),
    event({ ...read({ value: "1" }), transactionId: undefined })
  ],
  [
    17,
    "meter values of transaction 9223372036854775807",
    meter('[{"value":"1"}]', '"transactionId":9223372036854775807,'),
    event({ ...read({ value: "1" }), transactionId: undefined }, "transactionId: out of range")
  ],
  [
    18,
    "a stop of transaction -1",
    stop("-1"),
    event({ _tag: "TransactionEnded", transactionId: undefined, rawTransactionId: "-1", meterStopWh: 2000 })
  ],
  [
    18,
    "a stop of transaction 0",
    stop("0"),
    event({ _tag: "TransactionEnded", transactionId: undefined, rawTransactionId: "0", meterStopWh: 2000 })
  ],
  [
    22,
    "a measurand of its own",
    meter('[{"value":"1","measurand":"Request.Energy"}]'),
    event(read({ measurand: "Request.Energy", unit: "" }), "meterValue.sampledValue.measurand: unknown value")
  ],
  [
    22,
    "a context of its own",
    meter('[{"value":"1","context":"Periodic"}]'),
    event(read({ context: "Periodic" }), "meterValue.sampledValue.context: unknown value")
  ],
  [
    22,
    "Hz for a frequency",
    meter('[{"value":"50","measurand":"Frequency","unit":"Hz"}]'),
    event(read({ unit: "Hz" }), "meterValue.sampledValue.unit: unknown value")
  ],
  [
    22,
    "Hertz, which is only in the errata",
    meter('[{"value":"50","measurand":"Frequency","unit":"Hertz"}]'),
    event(read({ unit: "Hertz" }))
  ],
  [
    22,
    "Celcius, the spelling of the first edition",
    meter('[{"value":"40","measurand":"Temperature","unit":"Celcius"}]'),
    event(read({ unit: "Celcius" }))
  ],
  [
    22,
    "Wh for a power, stored unchanged",
    meter('[{"value":"7000","measurand":"Power.Active.Import","unit":"Wh"}]'),
    event(read({ measurand: "Power.Active.Import", unit: "Wh" }))
  ],
  [23, "no samples in a reading", meter("[]"), event(read(), "meterValue.sampledValue: empty")],
  [
    23,
    "a number as a value",
    meter('[{"value":1003.5}]'),
    event(read({ value: "1003.5" }), "meterValue.sampledValue.value: other type")
  ],
  [23, "an empty value", meter('[{"value":""},{"value":"5"}]'), event(read({ value: "" }, { value: "5" }))],
  [
    25,
    "a serial number of 31 characters",
    `[2,"7","BootNotification",{"chargePointVendor":"V","chargePointModel":"M","chargeBoxSerialNumber":"${"9".repeat(31)}"}]`,
    event({ serialNumber: "9".repeat(31) }, "chargeBoxSerialNumber: too long")
  ],
  [
    26,
    "an error code of its own",
    status("").replace("NoError", "Error"),
    event({ errorCode: "Error", status: "Available" }, "errorCode: unknown value")
  ],
  [26, "the word null for an unknown field", status(',"info":"null"'), event({ info: "null" })],
  [
    27,
    "an object as vendor data",
    '[2,"7","DataTransfer",{"vendorId":"V","messageId":"M","data":{"a":1}}]',
    event({ _tag: "DataReceived", data: '{"a":1}' }, "data: other type")
  ],
  [
    28,
    "reservation 0 with every start",
    start(',"reservationId":0'),
    event({ _tag: "TransactionStarted", reservationId: undefined })
  ],
  [
    33,
    "history from long ago",
    stop("77").replace("2026", "2019"),
    event({
      _tag: "TransactionEnded",
      transactionId: 77,
      time: { at: Date.UTC(2019, 10, 20, 10), raw: "2019-11-20T10:00:00Z" }
    })
  ]
]

const server = "test/ocpp/server"
const domain = "test/domain/charger"

/** Quirks that no single frame shows: number, what it is, and the tests that cover it (or why none does). */
const elsewhere: ReadonlyArray<readonly [number, string, string | { readonly because: string }]> = [
  [1, "no subprotocol, an empty or an unknown one", `${server}/Upgrade.integration.test.ts`],
  [4, "odd paths", `${server}/Upgrade.integration.test.ts`],
  [6, "results with another id, and ids that repeat", "test/actors/OutboundCalls.test.ts"],
  [7, "no BootNotification on connect", `${domain}/Boot.test.ts`],
  [8, "a boot loop when asked before its boot is answered", `${domain}/Boot.test.ts`],
  [9, "Pending understood in other ways", `${domain}/Decide.test.ts`],
  [10, "answers after a minute, or none for ever", "test/actors/OutboundCalls.test.ts"],
  [11, "a second socket beside a half-open one", "test/actors/Actors.test.ts"],
  [12, "no pongs", `${server}/Liveness.integration.test.ts`],
  [
    13,
    "compressed frames",
    { because: "compression is never negotiated, and ws closes a connection that compresses all the same" }
  ],
  [18, "a stop that is matched to its start by other things than its id", `${domain}/Stop.test.ts`],
  [19, "a start repeated under a new message id", `${domain}/Start.test.ts`],
  [20, "a stop whose start is lost", `${domain}/Stop.test.ts`],
  [24, "kWh labelled Wh, counters of the session instead of registers", "test/domain/session"],
  [29, "a status that must be asked for", `${domain}/Boot.test.ts`],
  [30, "charging profiles", { because: "there are no commands for smart charging yet" }],
  [31, "what ChangeConfiguration is answered", "test/ocpp/v16/Commands.test.ts"],
  [32, "heartbeats without end", `${server}/Frames.integration.test.ts`],
  [33, "a whole history at once, in any order", `${domain}/History.property.test.ts`],
  [34, "OCPP 2.0.1 without connectors or with sequence numbers that begin again", { because: "this is OCPP 1.6" }],
  [35, "the password as hexadecimal digits or as their bytes", `${server}/Credentials.integration.test.ts`],
  [36, "slips of servers: a refused start that ends the running one", `${domain}/Start.test.ts`]
]

describe("quirk", () => {
  it.each(incoming)("%i: %s", (_, __, frame, expected) => expect(serve(frame)).toEqual(expected))

  it("16: a charger that refuses answers without a zone or with a missing field gets complete ones", () => {
    const answered = (action: string, reply: Parameters<typeof v16.encodeReply>[1]) => {
      const encoded = v16.encodeReply(action, reply, at)
      return encoded._tag === "Result" ? serializeCallResult("7", encoded.payload) : encoded.code
    }
    expect(answered("Heartbeat", { _tag: "HeartbeatAnswered" })).toBe(
      '[3,"7",{"currentTime":"2026-11-20T10:00:00.000Z"}]'
    )
    expect(answered("BootNotification", { _tag: "BootAnswered", status: "Pending", intervalSeconds: 60 })).toBe(
      '[3,"7",{"status":"Pending","currentTime":"2026-11-20T10:00:00.000Z","interval":60}]'
    )
  })

  it("19: a start repeated under a new message id makes the same event", () => {
    expect(serve(start("").replace('"7"', '"8"'))).toEqual(serve(start("")))
  })

  it("21: a stop answered with an error would stall the charger's queue, so none is", () => {
    const frames = [
      stop("{}"),
      stop("null"),
      stop("1e999"),
      stop('"x"'),
      stop(""),
      '[2,"7","StopTransaction",[]]',
      '[2,"7","StopTransaction","'
    ]
    for (const frame of frames) expect(serve(frame)).toHaveProperty("event")
  })

  it("24: a value keeps the unit it was sent with, and kWh are converted", () => {
    const served = serve(meter('[{"value":"1.5","unit":"kWh"},{"value":"1.5"}]'))
    const samples = (served as { event: { readings: ReadonlyArray<{ samples: ReadonlyArray<Sample> }> } }).event
      .readings[0]!.samples
    expect(samples.map((sample) => registersOf({ at: 0, rawAt: "", samples: [sample] }, {}).now)).toEqual([1500, 2])
  })
})

describe("the list of quirks", () => {
  it("is covered completely", () => {
    const here = [...incoming, ...elsewhere].map(([number]) => number)
    const dealtWith = new Set([...here, 16, 21])
    expect(Array.from({ length: 36 }, (_, i) => i + 1).filter((number) => !dealtWith.has(number))).toEqual([])
  })

  it("names existing tests", () => {
    const named = elsewhere.flatMap(([, , where]) => (typeof where === "string" ? [where] : []))
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})
