import { describe, expect, it } from "vitest"
import { failure, readAnswer, success } from "../../src/ocpi/protocol/Envelope.ts"

const now = Date.UTC(2026, 10, 20, 8, 30)

describe("the envelope of our answers", () => {
  it("has data, or no data field", () => {
    expect(success([], now)).toEqual({ data: [], status_code: 1000, timestamp: "2026-11-20T08:30:00Z" })
    expect(JSON.parse(JSON.stringify(success(undefined, now)))).toEqual({
      status_code: 1000,
      timestamp: "2026-11-20T08:30:00Z"
    })
  })

  it("has a message instead of data if the request failed", () =>
    expect(failure(2001, "no", now)).toEqual({
      status_code: 2001,
      status_message: "no",
      timestamp: "2026-11-20T08:30:00Z"
    }))
})

describe("a partner's answer", () => {
  it.each([
    [
      "that follows the standard",
      200,
      '{"data":{"a":1},"status_code":1000,"timestamp":"2026-11-20T08:30:00Z"}',
      { a: 1 }
    ],
    ["with a code as text", 200, '{"data":[],"status_code":"1000"}', []],
    ["with a code of the partner's own", 201, '{"status_code":1900}', undefined],
    ["without a code", 200, '{"data":[1]}', [1]],
    ["without a body", 204, "", undefined],
    ["with null for nothing", 200, '{"data":null,"status_code":1000}', undefined],
    ["with an empty object for nothing", 200, '{"data":{},"status_code":1000}', undefined]
  ])("is a success %s", (_, http, body, data) => expect(readAnswer(http, body)).toEqual({ _tag: "Success", data }))

  it.each([
    [
      "by its status code",
      200,
      '{"status_code":2001,"status_message":"no such thing"}',
      2001,
      "HTTP 200, status 2001, no such thing"
    ],
    ["by HTTP without a body", 500, "", undefined, "HTTP 500"],
    ["by HTTP despite a success code", 503, '{"status_code":1000}', 1000, "HTTP 503, status 1000"],
    ["that is a web page", 200, "<html>", undefined, "HTTP 200 with an answer that is not OCPI"],
    ["that is a list", 200, "[]", undefined, "HTTP 200 with an answer that is not OCPI"]
  ])("is a refusal %s", (_, http, body, status, message) =>
    expect(readAnswer(http, body)).toEqual({ _tag: "Refusal", status, message })
  )

  it("has a message without characters that no database can store, even where it is cut", () => {
    const answerWith = (status_message: string) =>
      readAnswer(200, JSON.stringify({ status_code: 2000, status_message }))
    expect(answerWith("bad\0\ud83d")).toMatchObject({ message: "HTTP 200, status 2000, bad\\u0000\ufffd" })
    const long = answerWith("\u{1f50b}".repeat(500))
    expect(long._tag === "Refusal" && [long.message.isWellFormed(), long.message.length]).toEqual([true, 499])
  })

  it("has a message of at most 500 characters", () => {
    const answer = readAnswer(400, JSON.stringify({ status_code: 2000, status_message: "x".repeat(9999) }))
    expect(answer._tag === "Refusal" && answer.message.length).toBe(500)
  })
})
