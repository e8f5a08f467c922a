import { describe, expect, it } from "vitest"
import { bodyMax, isSuccess, kept, ocpiStatusOf } from "../../../src/domain/party/ExchangeRecord.ts"

describe("a body in the log of exchanges", () => {
  it("has no token of credentials in it, wherever it was cut", () => {
    const secret = "A1b2C3d4E5f6"
    const body = JSON.stringify({ url: "https://x.example", token: secret, roles: [] })
    expect(kept(body)).toBe('{"url":"https://x.example","token":"***","roles":[]}')
    expect(kept(`{ "token" : "with \\" quote ${secret}" }`)).toBe('{ "token" : "***" }')
    for (let max = 1; max <= body.length; max++) expect(kept(body, max)).not.toMatch(/A1/)
    expect(kept(JSON.stringify({ data: [{ token: secret }, { TOKEN: secret }] }))).not.toContain(secret)
  })

  it("keeps drivers' cards, which are what an operator looks for", () => {
    const body = '{"token":{"uid":"04AABB","type":"RFID"},"location_id":"L1"}'
    expect(kept(body)).toBe(body)
  })

  it("is cut, and is something that a database takes", () => {
    expect(kept("x".repeat(bodyMax + 10))?.length).toBe(bodyMax)
    expect(kept("a\u0000b\ud800")).toBe("a\\u0000b\ufffd")
    expect([kept(""), kept(undefined)]).toEqual([undefined, undefined])
  })
})

describe("an exchange", () => {
  it("succeeded with HTTP 2xx and a status of 1xxx, or none", () => {
    const is = (httpStatus: number | undefined, ocpiStatus?: number) => isSuccess({ httpStatus, ocpiStatus })
    expect([is(200, 1000), is(204), is(201, 1999)]).toEqual([true, true, true])
    expect([is(200, 2001), is(404, 1000), is(undefined), is(302), is(500, 3000)]).toEqual(Array(5).fill(false))
  })

  it("has the status of its envelope, as partners write it", () => {
    expect(ocpiStatusOf('{"status_code":1000,"data":[]}')).toBe(1000)
    expect(ocpiStatusOf('{"data":null,"status_code" : "2003"}')).toBe(2003)
    expect([ocpiStatusOf("<html>"), ocpiStatusOf(undefined)]).toEqual([undefined, undefined])
  })
})
