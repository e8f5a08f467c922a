/** The log of exchanges with partners in both directions, without secrets. Routing by party, and the clients of hubs. */
import { describe, expect, it } from "vitest"
import { Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()

const exchanges = async (id: string, query = ""): Promise<ReadonlyArray<Json>> => {
  const page = await roaming.world.get(`partners/${id}/exchanges${query}`)
  return page["items"] as ReadonlyArray<Json>
}

const brief = ({ direction, httpStatus, method, module, ocpiStatus }: Json) => [
  direction,
  method,
  module,
  httpStatus,
  ocpiStatus
]

describe("the log of exchanges", () => {
  it("has both directions of a registration, newest first, without tokens of either side", async () => {
    const { id, partner } = await roaming.registered("2.2.1")
    const log = await exchanges(id, "?direction=in")
    expect(log.map(brief)).toEqual([
      ["in", "POST", "credentials", 200, 1000],
      ["in", "GET", "versions", 200, 1000],
      ["in", "GET", "versions", 200, 1000]
    ])
    const calls = await exchanges(id, "?direction=out")
    expect(calls.map(brief)).toEqual([
      ["out", "GET", "versions", 200, 1000],
      ["out", "GET", "versions", 200, 1000]
    ])
    expect(calls[1]?.["path"]).toBe(partner.versionsUrl.replace("http://", ""))
    const [post] = log
    expect(post).toMatchObject({ path: "/ocpi/2.2.1/credentials", error: null, durationMs: expect.any(Number) })
    expect(post?.["requestBody"]).toContain('"token":"***"')
    expect(post?.["requestBody"]).toContain(partner.versionsUrl)
    expect(post?.["responseBody"]).toContain('"token":"***"')
    const text = JSON.stringify([...log, ...calls])
    for (const secret of [partner.theirToken ?? "", String(partner.theirs?.["token"])]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString("base64"))
    }
  })

  it("shows why there was no answer, and can be filtered by failure, module and time", async () => {
    const partner = await roaming.partner("2.1.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    partner.server.faults.plan({ module: "versions", fault: { does: "truncate" }, times: 1 })
    expect((await partner.register(versionsUrl, token)).code).toBe(3001)
    const failed = await exchanges(id, "?failed=true&direction=out")
    expect(failed.map(brief)).toEqual([["out", "GET", "versions", null, null]])
    expect(failed[0]).toMatchObject({
      error: expect.stringMatching(/aborted|broke|hang up|closed|does not match content-length/i)
    })
    expect((await exchanges(id, "?failed=true")).length).toBe(2)
    expect((await exchanges(id, "?module=credentials")).map(brief)).toEqual([["in", "POST", "credentials", 200, 3001]])
    expect(await exchanges(id, "?to=2020-01-01T00:00:00Z")).toEqual([])
    expect((await exchanges(id, "?from=2020-01-01T00:00:00Z&limit=2")).length).toBe(2)
    const health = await roaming.world.get(`partners/${id}/health`)
    expect(health).toMatchObject({
      status: "Invited",
      modules: [
        { module: "credentials", direction: "in", successes: 0, failures: 1, lastFailure: "HTTP 200, status 3001" },
        { module: "versions", direction: "in", successes: 2, failures: 0, lastFailureAt: null },
        { module: "versions", direction: "out", successes: 0, failures: 1, lastSuccessAt: null }
      ]
    })
  })

  it("contains the refused calls of a suspended partner", async () => {
    const { id, partner } = await roaming.registered("2.2")
    await roaming.world.ask("PATCH", `partners/${id}`, { suspended: true })
    expect((await partner.ask("GET", "credentials")).http).toBe(403)
    expect((await exchanges(id))[0]).toMatchObject({ direction: "in", module: "credentials", httpStatus: 403 })
    await roaming.world.ask("PATCH", `partners/${id}`, { suspended: false })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect(await roaming.shown(id)).toMatchObject({ status: "Registered" })
  })
})

describe("routing headers", () => {
  it("are answered with the parties swapped, and with 404 for a party that is not ours", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const url = partner.endpoint("locations") ?? ""
    const token = partner.theirToken ?? ""
    const headers = {
      "OCPI-from-country-code": "de",
      "OCPI-from-party-id": partner.party.party_id,
      "OCPI-to-country-code": "NL",
      "OCPI-to-party-id": roaming.world.organisation.partyId.toLowerCase()
    }
    const answer = await partner.client.ask("GET", url, { token, headers })
    expect(answer.http).toBe(200)
    expect(answer.headers).toMatchObject({
      "ocpi-from-country-code": "NL",
      "ocpi-from-party-id": roaming.world.organisation.partyId,
      "ocpi-to-country-code": "DE",
      "ocpi-to-party-id": partner.party.party_id
    })
    const other = await partner.client.ask("GET", url, { token, headers: { ...headers, "OCPI-to-party-id": "XYZ" } })
    expect([other.http, other.code]).toEqual([404, 2001])
    await roaming.world.post("parties", { countryCode: "BE", partyId: "SEC", businessDetails: { name: "Second" } })
    const second = { ...headers, "OCPI-to-country-code": "BE", "OCPI-to-party-id": "SEC" }
    expect((await partner.client.ask("GET", url, { token, headers: second })).http).toBe(200)
    expect(partner.problems).toEqual([])
  })

  it("may name each of our parties that credentials list from 2.2 on; 2.1.1 lists the default one", async () => {
    const old = await roaming.registered("2.1.1")
    expect((await old.partner.ask("GET", "credentials")).data).toMatchObject({
      country_code: "NL",
      party_id: roaming.world.organisation.partyId
    })
    const { partner } = await roaming.registered("2.2.1")
    expect((await partner.ask("GET", "credentials")).data).toMatchObject({
      roles: [
        { role: "CPO", country_code: "NL", party_id: roaming.world.organisation.partyId },
        { role: "CPO", country_code: "BE", party_id: "SEC", business_details: { name: "Second" } }
      ]
    })
  })
})

describe("a hub", () => {
  it("sends its clients, reads them back, and REST v2 shows them", async () => {
    const { id, partner } = await roaming.registered("2.2.1", {}, { roles: ["HUB"] })
    const base = partner.endpoint("hubclientinfo") ?? ""
    const token = partner.theirToken ?? ""
    const info = { party_id: "EMP", country_code: "FR", role: "EMSP", status: "CONNECTED" }
    const body = { ...info, last_updated: "2026-05-20T10:00:00Z" }
    const url = `${base}/FR/EMP`
    expect((await partner.client.ask("GET", url, { token })).http).toBe(404)
    expect((await partner.client.ask("PUT", url, { token, body })).http).toBe(201)
    const offline = { ...body, status: "OFFLINE", last_updated: "2026-05-20T11:00:00Z" }
    expect((await partner.client.ask("PUT", `${base}/fr/emp`, { token, body: offline })).http).toBe(200)
    // An older update changes nothing.
    expect((await partner.client.ask("PUT", url, { token, body })).http).toBe(200)
    expect((await partner.client.ask("GET", url, { token })).data).toEqual(offline)
    const wrong = await partner.client.ask("PUT", `${base}/FR/XXX`, { token, body })
    expect([wrong.http, wrong.code]).toEqual([200, 2001])
    const shown = await roaming.world.get(`partners/${id}/clients`)
    expect(shown["items"]).toEqual([
      { countryCode: "FR", partyId: "EMP", role: "EMSP", status: "OFFLINE", lastUpdated: "2026-05-20T11:00:00.000Z" }
    ])
    expect(partner.problems).toEqual([])
  })
})
