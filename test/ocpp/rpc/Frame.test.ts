import { describe, expect, it } from "vitest"
import {
  errorDescriptionMaxLength,
  messageIdMaxLength,
  parseFrame,
  serializeCall,
  serializeCallError,
  serializeCallResult
} from "../../../src/ocpp/rpc/Frame.ts"

const call = (wireId: string | number, action: string, payload: unknown = {}) => ({
  _tag: "Call",
  messageId: String(wireId),
  wireId,
  action,
  payload
})

describe("a CALL", () => {
  const id36 = "a".repeat(36)
  const rows: ReadonlyArray<readonly [string, string, unknown]> = [
    ["is read", '[2,"7","Heartbeat",{"a":1}]', call("7", "Heartbeat", { a: 1 })],
    ["may have spaces anywhere", ' [ 2 , "7" , "Heartbeat" , { } ] \n', call("7", "Heartbeat")],
    ["may have null as its payload", '[2,"7","Heartbeat",null]', call("7", "Heartbeat")],
    ["may lack its payload", '[2,"7","Heartbeat"]', call("7", "Heartbeat")],
    ["may have more elements than it should", '[2,"7","Heartbeat",{},{},1]', call("7", "Heartbeat")],
    [
      "keeps a payload that is not an object, for the version to judge",
      '[2,"7","Heartbeat","x"]',
      call("7", "Heartbeat", "x")
    ],
    ["may have an empty id", '[2,"","Heartbeat",{}]', call("", "Heartbeat")],
    ["may have an id of 36 characters", `[2,"${id36}","Heartbeat",{}]`, call(id36, "Heartbeat")],
    ["may have a longer id than OCPP allows", `[2,"${id36}bc","Heartbeat",{}]`, call(`${id36}bc`, "Heartbeat")],
    ["may have a number as its id, which stays a number", '[2,7,"Heartbeat",{}]', call(7, "Heartbeat")],
    ["may have its type as text", '["2","7","Heartbeat",{}]', call("7", "Heartbeat")],
    ["may have an unknown action", '[2,"7","__proto__",{}]', call("7", "__proto__")]
  ]
  it.each(rows)("%s", (_, text, expected) => expect(parseFrame(text)).toEqual(expected))
})

describe("a result", () => {
  const rows: ReadonlyArray<readonly [string, string, unknown]> = [
    [
      "is read",
      '[3,"7",{"status":"Accepted"}]',
      { _tag: "CallResult", messageId: "7", payload: { status: "Accepted" } }
    ],
    ["may have null as its payload", '[3,"7",null]', { _tag: "CallResult", messageId: "7", payload: {} }],
    ["may lack its payload", '[3,"7"]', { _tag: "CallResult", messageId: "7", payload: {} }],
    ["may have its id as a number", "[3,7,{}]", { _tag: "CallResult", messageId: "7", payload: {} }],
    [
      "that is an error is read",
      '[4,"7","NotSupported","no",{"a":1}]',
      { _tag: "CallError", messageId: "7", code: "NotSupported", description: "no", details: { a: 1 } }
    ],
    [
      "that is an error may use the other version's spelling",
      '[4,"7","OccurrenceConstraintViolation","",{}]',
      { _tag: "CallError", messageId: "7", code: "OccurenceConstraintViolation", description: "", details: {} }
    ],
    [
      "that is an error keeps an undefined code",
      '[4,"7","Oops","",{}]',
      { _tag: "CallError", messageId: "7", code: "Oops", description: "", details: {} }
    ],
    [
      "that is an error may lack everything except its id",
      '[4,"7"]',
      { _tag: "CallError", messageId: "7", code: "GenericError", description: "", details: {} }
    ],
    [
      "that is an error may have parts of any type",
      '[4,"7",500,null,null]',
      { _tag: "CallError", messageId: "7", code: "GenericError", description: "", details: {} }
    ]
  ]
  it.each(rows)("%s", (_, text, expected) => expect(parseFrame(text)).toEqual(expected))
})

describe("an ignored frame", () => {
  it.each(["", " ", "\n\r\t ", " ".repeat(100)])("is an empty text frame: %j", (text) => {
    expect(parseFrame(text)).toEqual({ _tag: "Ignored", reason: "Empty" })
  })

  it.each([
    '[5,"7","InternalError","",{}]',
    '[6,"7","NotifyPeriodicEventStream",{}]',
    '[99,"7"]',
    "[0]",
    "[-1]",
    "[2.5]"
  ])("has an unknown message type (OCPP-J 1.6 §4.1.3): %s", (text) =>
    expect(parseFrame(text)).toEqual({ _tag: "Ignored", reason: "UnknownMessageType" })
  )
})

describe("a malformed frame", () => {
  const deep = (levels: number) => `[2,"7","DataTransfer",{"data":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}]`
  const rows: ReadonlyArray<
    readonly [string, string, string, string, string | number | undefined, string | undefined]
  > = [
    ["without closing brackets", '[2,"7","Heartbeat",{', "NotJson", "FormationViolation", "7", "Heartbeat"],
    [
      "with a value left out",
      '[2,"7","StopTransaction",{"transactionId":,"meterStop":1}]',
      "NotJson",
      "FormationViolation",
      "7",
      "StopTransaction"
    ],
    ["that ends within its action", '[2,"7","Heart', "NotJson", "FormationViolation", "7", undefined],
    ["that ends after its id", '[2,"7"', "NotJson", "FormationViolation", "7", undefined],
    ["that ends within its id", '[2,"7', "NotJson", "FormationViolation", undefined, undefined],
    ["with an escaped id", '[2,"a\\"\\u0041","Heartbeat",{', "NotJson", "FormationViolation", 'a"A', "Heartbeat"],
    ["with a number as its id", '[2, 7 ,"Heartbeat",{', "NotJson", "FormationViolation", 7, "Heartbeat"],
    [
      "that ends early and has an id that is too long",
      `[2,"${"a".repeat(messageIdMaxLength + 1)}","Heartbeat",{`,
      "NotJson",
      "FormationViolation",
      undefined,
      undefined
    ],
    ["that is not OCPP at all", "GET / HTTP/1.1", "NotJson", "FormationViolation", undefined, undefined],
    ["that is an object", '{"messageId":"7"}', "NotAnArray", "FormationViolation", undefined, undefined],
    ["that is a string", '"[2,7]"', "NotAnArray", "FormationViolation", undefined, undefined],
    ["that is null", "null", "NotAnArray", "FormationViolation", undefined, undefined],
    ["that is nested too deeply", deep(17), "TooDeep", "FormationViolation", "7", "DataTransfer"],
    ["that is an empty array", "[]", "NoMessageType", "FormationViolation", undefined, undefined],
    [
      "with a word as its type",
      '["CALL","7","Heartbeat",{}]',
      "NoMessageType",
      "FormationViolation",
      undefined,
      undefined
    ],
    ["with null as its type", '[null,"7","Heartbeat",{}]', "NoMessageType", "FormationViolation", undefined, undefined],
    ["without an id", "[2]", "NoMessageId", "FormationViolation", undefined, undefined],
    ["with null as its id", '[2,null,"Heartbeat",{}]', "NoMessageId", "FormationViolation", undefined, undefined],
    ["with an object as its id", '[2,{},"Heartbeat",{}]', "NoMessageId", "FormationViolation", undefined, undefined],
    ["with a result's id missing", "[3]", "NoMessageId", "FormationViolation", undefined, undefined],
    [
      "with an id that is too long to store",
      `[2,"${"a".repeat(messageIdMaxLength + 1)}","Heartbeat",{}]`,
      "NoMessageId",
      "FormationViolation",
      undefined,
      undefined
    ],
    ["without an action", '[2,"7"]', "NoAction", "ProtocolError", "7", undefined],
    ["with a number as its action", '[2,"7",5,{}]', "ActionNotText", "FormationViolation", "7", undefined],
    [
      "with its payload where the action belongs",
      '[2,"7",{},"Heartbeat"]',
      "ActionNotText",
      "FormationViolation",
      "7",
      undefined
    ]
  ]
  it.each(rows)("%s", (_, text, kind, code, wireId, action) => {
    expect(parseFrame(text)).toMatchObject({
      _tag: "Malformed",
      kind,
      code,
      wireId,
      messageId: wireId === undefined ? undefined : String(wireId),
      action
    })
  })

  it.each([
    ["a result", '[3,"7",{', "7"],
    ["an error", '[4,"7","GenericError"', "7"],
    ["a result with digits in quotes as its type", '["3","7",{"a":}]', "7"],
    ["a result with a number as its id", "[3,7,{", "7"],
    ["a result that is nested too deeply", deep(17).replace("[2", "[3"), "7"],
    ["a result whose id cannot be read", '[3,"7', undefined]
  ])("that is %s is not answered, and names the call that it answers", (_, text, answersId) => {
    expect(parseFrame(text)).toMatchObject({ _tag: "Malformed", wireId: undefined, messageId: answersId, answersId })
  })

  it("is refused for its nesting only beyond the limit", () => {
    expect(parseFrame(deep(16))).toMatchObject({ _tag: "Call" })
    // With further brackets around, so that counting brackets is not enough.
    const wide = deep(16).replace('"data"', `"wide":[${"[],{},".repeat(20)}[]],"data"`)
    expect(parseFrame(wide)).toMatchObject({ _tag: "Call" })
    expect(parseFrame(wide, 15)).toMatchObject({ _tag: "Malformed", kind: "TooDeep" })
    expect(parseFrame(deep(9), 8)).toMatchObject({ _tag: "Malformed", kind: "TooDeep" })
    expect(parseFrame(deep(8), 8)).toMatchObject({ _tag: "Call" })
  })

  it("is not recognised by brackets in strings", () => {
    const data = '[[[[{{{{"'.repeat(10)
    expect(parseFrame(JSON.stringify([2, "7", "DataTransfer", { data }]))).toMatchObject({
      _tag: "Call",
      payload: { data }
    })
  })

  it("of a mebibyte of brackets is refused without being parsed", () => {
    for (const text of ["[".repeat(1 << 20), '{"a":'.repeat(1 << 17), `[2,"7","X",${"[".repeat(1 << 20)}`]) {
      expect(parseFrame(text)).toMatchObject({ _tag: "Malformed", kind: "TooDeep" })
    }
  })
})

describe("a frame with control characters", () => {
  it.each([
    ["raw NULs in a string", '[2,"7","X",{"a":"\0\0b\0","n":1}]', { a: "b", n: 1 }],
    ["bytes behind a card's id", '[2,"7","X",{"a":"CARD\x10\x0e"}]', { a: "CARD" }],
    ["a raw line break in a string", '[2,"7","X",{"a":"b\nc"}]', { a: "bc" }],
    ["a byte order mark before it", '\ufeff[2,"7","X",{}]', {}],
    ["a NUL behind it", '[2,"7","X",{"a":"\ufeff"}]\0', { a: "\ufeff" }]
  ])("is read without them: %s", (_, text, payload) => {
    expect(parseFrame(text)).toEqual({
      _tag: "Call",
      messageId: "7",
      wireId: "7",
      action: "X",
      payload,
      repaired: expect.stringMatching(/^\[2,"7","X",\P{Cc}*\]$/u)
    })
  })

  it("is not repaired if they are where JSON allows them", () => {
    const text = '\n[2,\t"7",\r\n"X",{"a":"\\u0010"}]\n'
    expect(parseFrame(text)).toEqual({
      _tag: "Call",
      messageId: "7",
      wireId: "7",
      action: "X",
      payload: { a: "\x10" }
    })
  })

  it("is malformed if that is not its only fault, and ignored if it is nothing else", () => {
    expect(parseFrame('\ufeff[2,"7","X",{"a":"\0"')).toMatchObject({
      _tag: "Malformed",
      kind: "NotJson",
      wireId: "7",
      action: "X",
      repaired: '[2,"7","X",{"a":""'
    })
    expect(parseFrame("\0\0".repeat(20))).toMatchObject({ _tag: "Ignored", reason: "Empty" })
  })
})

describe("text that a database cannot store", () => {
  it("is replaced in every string and name, but kept in the id that is answered", () => {
    const parsed = parseFrame(
      '[2,"a\\u0000","X",{"a\\ud800":["\\udc00b",{"c":"d\\u0000"}],"smile":"\\ud83d\\ude00","n":1}]'
    )
    expect(parsed).toMatchObject({
      messageId: "a\uFFFD",
      wireId: "a\0",
      payload: { "a\uFFFD": ["\uFFFDb", { c: "d\uFFFD" }], smile: "😀", n: 1 }
    })
  })

  it("is replaced in results and errors too", () => {
    expect(parseFrame('[3,"7",{"status":"\\u0000"}]')).toMatchObject({ payload: { status: "\uFFFD" } })
    expect(parseFrame('[4,"7","GenericError","\\u0000"]')).toMatchObject({ description: "\uFFFD" })
  })

  it("is replaced also when it was not escaped", () => {
    expect(parseFrame('[2,"7","X",{"a":"\ud800"}]')).toMatchObject({ payload: { a: "\uFFFD" } })
  })
})

it("members named like built-in object properties are kept as plain members", () => {
  for (const text of [
    '[2,"7","X",{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}]',
    '[2,"7","X",{"__proto__":{"polluted":"\\u0041"}}]'
  ]) {
    const parsed = parseFrame(text)
    const payload: unknown = parsed._tag === "Call" ? parsed.payload : undefined
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype)
    expect(Object.getOwnPropertyNames(payload)).toContain("__proto__")
    expect("polluted" in {}).toBe(false)
    expect("polluted" in (payload as object)).toBe(false)
  }
})

describe("what is sent", () => {
  it("is a CALL of four elements", () => {
    expect(serializeCall("7", "GetConfiguration", { key: ["A"] })).toBe('[2,"7","GetConfiguration",{"key":["A"]}]')
  })

  it("is a CALLRESULT of three elements, with the id as it was received", () => {
    expect(serializeCallResult("7", {})).toBe('[3,"7",{}]')
    expect(serializeCallResult("\ud800\0", {})).toBe('[3,"\\ud800\\u0000",{}]')
    expect(serializeCallResult(7, { a: undefined, b: 1 })).toBe('[3,7,{"b":1}]')
  })

  it("is a CALLERROR of five elements, with its description cut to the length of OCPP", () => {
    expect(serializeCallError(7, "NotSupported", "no")).toBe('[4,7,"NotSupported","no",{}]')
    const long = JSON.parse(serializeCallError("7", "InternalError", "😀".repeat(300))) as ReadonlyArray<string>
    expect(long[3]).toHaveLength(errorDescriptionMaxLength)
    expect(long[3]!.isWellFormed()).toBe(true)
  })
})
