/** Notifications are taken out of the bytes that the client reads, and nothing else is. */
import { describe, expect, it } from "vitest"
import { concat, firstValue, kindOf, scan, simpleQuery } from "../../../src/storage/pglite/Protocol.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const message = (type: string, ...body: ReadonlyArray<Uint8Array>): Uint8Array => {
  const content = concat([new Uint8Array(0), ...body])
  const head = new Uint8Array(5)
  head[0] = type.charCodeAt(0)
  new DataView(head.buffer).setInt32(1, content.length + 4)
  return concat([head, content])
}

const ready = (status: string) => message("Z", encode(status))
const notification = (channel: string, payload: string) =>
  message("A", new Uint8Array([0, 0, 0, 7]), encode(`${channel}\0${payload}\0`))
const row = message("D", new Uint8Array([0, 1, 0, 0, 0, 2]), encode("42"))

describe("scan", () => {
  it("leaves bytes without notifications as they are, and reads the state of the session", () => {
    for (const status of ["I", "T", "E"] as const) {
      const bytes = concat([row, message("C", encode("SELECT 1\0")), ready(status)])
      expect(scan(bytes)).toEqual({ bytes, notices: [], status, panic: undefined })
    }
  })

  it("takes notifications out wherever they are", () => {
    const a = notification("jobs", "ä")
    const b = notification("other", "")
    expect(scan(concat([a, row, b, b, ready("I"), a]))).toEqual({
      bytes: concat([row, ready("I")]),
      notices: [
        { channel: "jobs", payload: "ä" },
        { channel: "other", payload: "" },
        { channel: "other", payload: "" },
        { channel: "jobs", payload: "ä" }
      ],
      status: "I",
      panic: undefined
    })
  })

  it("reports no state when there is none, and accepts empty input", () => {
    expect(scan(new Uint8Array(0))).toEqual({
      bytes: new Uint8Array(0),
      notices: [],
      status: undefined,
      panic: undefined
    })
    expect(scan(row).status).toBeUndefined()
  })

  it("reports a panic of the database, and no failure of a statement", () => {
    const error = (severity: string) =>
      message("E", encode(`S${severity}\0V${severity}\0C53100\0Mno space left\0Fxlog.c\0\0`))
    expect(scan(concat([error("ERROR"), ready("E")])).panic).toBeUndefined()
    expect(scan(concat([error("ERROR"), error("PANIC")])).panic).toBe("PANIC 53100: no space left")
  })

  it("ignores data that looks like a message", () => {
    const data = message("D", notification("fake", "x"))
    expect(scan(concat([data, ready("I")])).notices).toEqual([])
  })
})

describe("kindOf", () => {
  it("distinguishes a startup, a cancel and a terminate packet from messages", () => {
    const packet = (code: number) => {
      const bytes = new Uint8Array(16)
      new DataView(bytes.buffer).setInt32(0, 16)
      new DataView(bytes.buffer).setInt32(4, code)
      return bytes
    }
    expect(kindOf(packet(196_608))).toBe("startup")
    expect(kindOf(packet(80_877_102))).toBe("cancel")
    expect(kindOf(message("X"))).toBe("terminate")
    expect(kindOf(simpleQuery("SELECT 1"))).toBe("messages")
  })
})

describe("firstValue", () => {
  it("reads the first column of the first row", () => {
    expect(firstValue(concat([message("T", new Uint8Array(2)), row, ready("I")]))).toBe("42")
    expect(firstValue(message("D", new Uint8Array([0, 1, 255, 255, 255, 255])))).toBeUndefined()
    expect(firstValue(ready("I"))).toBeUndefined()
  })
})
