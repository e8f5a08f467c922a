/** The tests' own partner must find faults: here it is sent some, without any service. */
import { randomUUID } from "node:crypto"
import { describe, expect, it, onTestFinished } from "vitest"
import { samples } from "../schemas/samples.ts"
import type { Version } from "../schemas/Schemas.ts"
import { Partner } from "./Partner.ts"
import { allVersions } from "./Roaming.ts"
import { authorization, type Got, type Json, send, transportOf } from "./Wire.ts"

const aPartner = async (version: Version) => {
  const partner = await Partner.start({ version })
  onTestFinished(() => partner[Symbol.asyncDispose]())
  return { partner, token: partner.invitation() }
}

/** Two partners that have registered with each other. The second acts as the CPO. */
const aPair = async (version: Version) => {
  const { partner, token } = await aPartner(version)
  const cpo = (await aPartner(version)).partner
  await cpo.register(partner.versionsUrl, token)
  const { base64, modern } = transportOf(version)
  const call = (method: string, module: string, path: string, body?: unknown, more: Json = {}): Promise<Got> =>
    send({
      method,
      url: `${partner.url(module)}${path}`,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        authorization: authorization(cpo.theirToken ?? "", base64),
        "content-type": "application/json",
        ...(modern
          ? {
              "x-request-id": randomUUID(),
              "x-correlation-id": randomUUID(),
              "ocpi-from-country-code": "NL",
              "ocpi-from-party-id": "VLT",
              "ocpi-to-country-code": "DE",
              "ocpi-to-party-id": "ABC"
            }
          : {}),
        ...(more as Readonly<Record<string, string>>)
      }
    })
  return { partner, cpo, call }
}

describe.each(allVersions)("the tests' own partner on OCPI %s", (version) => {
  it("accepts correct objects and stores them", async () => {
    const { call, partner } = await aPair(version)
    const { CDR, Location, Session, Tariff } = samples(version)
    expect((await call("PUT", "locations", "/NL/VLT/L-1", Location)).http).toBe(201)
    expect((await call("PUT", "locations", "/NL/VLT/L-1", Location)).http).toBe(200)
    expect((await call("PUT", "sessions", "/NL/VLT/S-1", Session)).http).toBe(201)
    expect((await call("PUT", "tariffs", "/NL/VLT/T-1", Tariff)).http).toBe(201)
    const posted = await call("POST", "cdrs", "", CDR)
    expect([posted.http, posted.headers["location"]]).toEqual([201, `${partner.url("cdrs")}/C-1`])
    expect((await call("POST", "cdrs", "", CDR)).http).toBe(200)
    expect((await call("DELETE", "tariffs", "/NL/VLT/T-1")).http).toBe(200)
    const change = { status: "CHARGING", last_updated: "2026-11-20T09:00:00Z" }
    const evse = "/NL/VLT/L-1/0f6ea4c2-7d0f-4b43-8b43-a0d6e3a5f001"
    expect((await call("PATCH", "locations", evse, change)).http).toBe(200)
    const [held] = [...partner.stores.locations.values()]
    expect(held).toMatchObject({ last_updated: change.last_updated, evses: [{ status: "CHARGING" }] })
    expect(partner.problems).toEqual([])
  })

  it("finds what is wrong with incorrect ones", async () => {
    const { call, partner } = await aPair(version)
    const { CDR, Location, Session } = samples(version)
    const wrong: ReadonlyArray<readonly [string, string, string, Json, RegExp]> = [
      ["PUT", "locations", "/NL/VLT/L-2", Location, /PUT Location L-1 to L-2/],
      ["PUT", "locations", "/NL/VLT/L-1", { ...Location, chargerId: "CP" }, /is no field/],
      ["PUT", "locations", "/NL/VLT/L-1", { ...Location, last_updated: "2026-11-19T00:00:00Z" }, /went back/],
      ["PUT", "sessions", "/NL/VLT/S-1", { ...Session, kwh: 2, status: "COMPLETED" }, /^$/],
      ["PUT", "sessions", "/NL/VLT/S-1", { ...Session, kwh: 1 }, /less energy/],
      ["POST", "cdrs", "", CDR, /^$/],
      ["POST", "cdrs", "", { ...CDR, remark: "other" }, /CDR C-1 changed/],
      ["PUT", "tariffs", "/NL/VLT/T-1", { status_code: 1000, data: {} }, /an envelope as a body/]
    ]
    const found: Array<boolean> = []
    for (const [method, module, path, body, problem] of wrong) {
      const before = partner.problems.length
      await call(method, module, path, body)
      const said = partner.problems.slice(before)
      found.push(problem.source === "^$" ? said.length === 0 : said.some((one) => problem.test(one)))
    }
    expect(found).toEqual(wrong.map(() => true))
    expect((await call("PATCH", "sessions", "/NL/VLT/NEVER", { status: "ACTIVE" })).http).toBe(404)
    expect((await call("GET", "cdrs", "", undefined, { authorization: "Token unknown" })).http).toBe(401)
  })

  it("lists its tokens in pages, and authorises them", async () => {
    const { call, partner } = await aPair(version)
    for (const uid of ["A", "B", "C"]) partner.cards.add(partner.cards.make(uid))
    const first = await call("GET", "tokens", "?limit=50")
    expect([first.headers["x-total-count"], first.headers["x-limit"]]).toEqual(["3", "2"])
    expect(first.headers["link"]).toContain("offset=2")
    const word = await call("POST", "tokens", "/A/authorize")
    expect(word.text).toContain('"allowed":"ALLOWED"')
    expect((await call("POST", "tokens", "/UNKNOWN/authorize")).http).toBe(404)
  })

  it("acts out each fault", async () => {
    const { call, partner } = await aPair(version)
    const { faults } = partner.server
    faults.plan({ fault: { does: "status", http: 429, retryAfterSeconds: 7 }, module: "tokens", times: 1 })
    const tooMany = await call("GET", "tokens", "")
    expect([tooMany.http, tooMany.headers["retry-after"]]).toEqual([429, "7"])
    faults.plan({ fault: { does: "hangUp" }, times: 1 })
    await expect(call("GET", "tokens", "")).rejects.toThrow()
    faults.plan({ fault: { does: "truncate" }, times: 1 })
    await expect(call("GET", "tokens", "")).rejects.toThrow()
    faults.plan({ fault: { does: "loop" }, times: 1 })
    expect((await call("GET", "tokens", "?offset=0")).headers["link"]).toMatch(/tokens\?offset=0>; rel="next"/)
    faults.plan({ fault: { does: "flood", bytes: 1_000_000 }, times: 1 })
    expect((await call("GET", "tokens", "")).text.length).toBeGreaterThan(1_000_000)
    faults.plan({ fault: { does: "refuse", statusCode: 2001 }, times: 1 })
    expect((await call("GET", "tokens", "")).text).toContain('"status_code":2001')
    faults.plan({ fault: { does: "loseAnswer" }, times: 1 })
    const { CDR } = samples(version)
    await expect(call("POST", "cdrs", "", CDR)).rejects.toThrow()
    expect(partner.stores.cdrs.size).toBe(1)
    await partner.server.down()
    await expect(call("GET", "tokens", "")).rejects.toThrow()
    await partner.server.up()
    expect((await call("GET", "tokens", "")).http).toBe(200)
  })
})

it("the tests' own partner reports a request id that is used twice", async () => {
  const { call, partner } = await aPair("2.2.1")
  await call("GET", "tokens", "", undefined, { "x-request-id": "same" })
  expect(partner.problems).toEqual([])
  await call("GET", "tokens", "", undefined, { "x-request-id": "same" })
  expect(partner.problems).toEqual(["GET tokens: X-Request-ID same came twice"])
})
