/**
 * What can fail during a handshake: lost answers, and a partner that hangs, floods or sends errors. Afterwards both sides can communicate or start
 * again.
 */
import { describe, expect, it } from "vitest"
import type { Fault } from "./partner/Faults.ts"
import { allVersions, Roaming } from "./partner/Roaming.ts"
import type { Json } from "./partner/Wire.ts"

const roaming = new Roaming()

/** More than the service ever reads of one answer. */
const flood = 100 * 1024 * 1024

/** Faults of the partner's interface while we call it. A partner that hangs is tested separately, since it takes longer. */
const faults: ReadonlyArray<readonly [string, Fault]> = [
  ["answers 500", { does: "status", http: 500 }],
  ["answers 429", { does: "status", http: 429, retryAfterSeconds: 1 }],
  ["hangs up", { does: "hangUp" }],
  ["ends in the middle", { does: "truncate" }],
  ["sends 100 MB", { does: "flood", bytes: flood }],
  ["sends no JSON", { does: "notJson" }],
  ["refuses in the envelope", { does: "refuse", statusCode: 2000 }]
]

const modules = ["versions", "details"] as const

describe.each(faults)("a partner that %s when it is called back", (_, fault) => {
  it.each(modules)(
    "at its %s gets 3001 to its POST and its PUT, keeps its state, and can try again",
    async (module) => {
      const partner = await roaming.partner("2.2.1")
      const { id, token, versionsUrl } = await roaming.invite(partner)
      partner.server.faults.plan({ module, fault, times: 1 })
      const refused = await partner.register(versionsUrl, token)
      expect([refused.http, refused.code]).toEqual([200, 3001])
      expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
      expect((await partner.register(versionsUrl, token)).code).toBe(1000)
      const before = partner.theirToken
      partner.server.faults.plan({ module, fault, times: 1 })
      const unchanged = await partner.rotate()
      expect([unchanged.http, unchanged.code]).toEqual([200, 3001])
      expect(partner.theirToken).toBe(before)
      expect((await partner.ask("GET", "credentials")).http).toBe(200)
      expect((await partner.rotate()).code).toBe(1000)
      expect((await partner.ask("GET", "credentials")).http).toBe(200)
      // Reading a flood is stopped long before its end.
      expect(partner.server.flooded).toBeLessThan(flood / 2)
    }
  )
})

it("a partner that hangs is waited for some seconds without delaying other partners", async () => {
  const partner = await roaming.partner("2.2.1")
  const { token, versionsUrl } = await roaming.invite(partner)
  partner.server.faults.plan({ module: "versions", fault: { does: "hang" }, times: 1 })
  const waiting = partner.register(versionsUrl, token)
  await roaming.registered("2.1.1")
  const refused = await waiting
  expect([refused.http, refused.code]).toEqual([200, 3001])
  expect((await partner.register(versionsUrl, token)).code).toBe(1000)
})

describe.each(allVersions)("a registration on OCPI %s", (version) => {
  it("whose answer the partner lost can be repeated after a reset", async () => {
    const partner = await roaming.partner(version)
    const { id, token, versionsUrl } = await roaming.invite(partner)
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
    // The partner has lost the new token and has only the used one.
    const again = await partner.client.ask("GET", versionsUrl, { token })
    expect(again.http).toBe(401)
    const reset = await roaming.reset(id)
    expect(await roaming.shown(id)).toMatchObject({ status: "Invited", ocpiVersion: null, parties: [] })
    expect((await partner.register(reset.versionsUrl, reset.token)).code).toBe(1000)
    expect(await roaming.shown(id)).toMatchObject({ status: "Registered", ocpiVersion: version })
  })

  it("whose renewal the partner did not receive leaves its token valid, and can be renewed again", async () => {
    const { partner } = await roaming.registered(version)
    const kept = partner.theirToken ?? ""
    const url = partner.endpoint("credentials") ?? ""
    for (const _ of ["first", "second"]) {
      const body = partner.credentials(partner.invitation())
      expect((await partner.client.ask("PUT", url, { token: kept, body })).code).toBe(1000)
    }
    expect((await partner.client.ask("GET", url, { token: kept })).http).toBe(200)
    expect((await partner.rotate()).code).toBe(1000)
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    expect((await partner.client.ask("GET", url, { token: kept })).http).toBe(401)
  })

  it("from our side that the partner does not answer fails, and can be tried again", async () => {
    const partner = await roaming.partner(version)
    const { id } = await roaming.invite(partner)
    const handover = { versionsUrl: partner.versionsUrl, token: partner.invitation() }
    for (const does of ["hangUp", "truncate", "notJson"] as const) {
      partner.server.faults.plan({ module: "credentials", method: "POST", fault: { does }, times: 1 })
      const refused = await roaming.world.ask("POST", `partners/${id}/register`, handover, 409)
      expect(refused).toMatchObject({ code: "partner_unusable" })
      expect(await roaming.shown(id)).toMatchObject({ status: "Invited" })
    }
    expect(await roaming.world.post(`partners/${id}/register`, handover)).toMatchObject({ status: "Registered" })
    expect((await partner.ask("GET", "credentials")).http).toBe(200)
    const twice = await roaming.world.ask("POST", `partners/${id}/register`, handover, 409)
    expect(twice).toMatchObject({ code: "registered" })
  })

  it("out PUT credentials: is renewed from our side without a gap, even if the partner's answer is lost", async () => {
    const { id, partner } = await roaming.registered(version)
    const [ours, theirs] = [partner.theirToken ?? "", partner.theirs]
    const renewed = await roaming.world.post(`partners/${id}/renew`, {})
    expect(renewed).toMatchObject({ status: "Registered", ocpiVersion: version })
    expect(partner.theirs).not.toEqual(theirs)
    const url = partner.endpoint("credentials") ?? ""
    const renewedToken = String(partner.theirs?.["token"])
    // The old token remains valid until the new one is used for the first time.
    expect((await partner.client.ask("GET", url, { token: ours })).http).toBe(200)
    expect((await partner.client.ask("GET", url, { token: renewedToken })).http).toBe(200)
    expect((await partner.client.ask("GET", url, { token: ours })).http).toBe(401)
    partner.server.faults.plan({ module: "credentials", method: "PUT", fault: { does: "loseAnswer" }, times: 1 })
    await roaming.world.ask("POST", `partners/${id}/renew`, {}, 409)
    const lost = String(partner.theirs?.["token"])
    expect(lost).not.toBe(renewedToken)
    const modules = partner.endpoint("tokens") ?? url
    for (const token of [renewedToken, lost]) {
      expect((await partner.client.ask("GET", url, { token })).http, token).toBe(200)
      expect((await partner.client.ask("GET", `${modules}/DE/ABC/1`, { token })).http, token).not.toBe(401)
    }
    expect(await roaming.shown(id)).toMatchObject({ status: "Registered" })
  })

  it("for a version that the partner does not have is refused with 3002", async () => {
    const other = version === "2.1.1" ? "2.2" : "2.1.1"
    const partner = await roaming.partner(version)
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const url = (partner.endpoint("credentials") ?? "").replace(`/${version}/`, `/${other}/`)
    const own = partner.invitation()
    const { country_code, party_id } = partner.party
    const named = { country_code, party_id, business_details: { name: "X" } }
    const body = { token: own, url: partner.versionsUrl, ...named, roles: [{ role: "EMSP", ...named }] }
    const refused = await partner.client.ask("POST", url, { token, body })
    expect([refused.http, refused.code]).toEqual([200, 3002])
    const failed = await roaming.world.ask(
      "POST",
      `partners/${id}/register`,
      { versionsUrl: partner.versionsUrl, token: partner.invitation(), version: other },
      409
    )
    expect(failed).toMatchObject({ code: "no_common_version" })
    expect((await partner.register(versionsUrl, token)).code).toBe(1000)
  })
})

describe("two concurrent registrations", () => {
  it("with one token succeed once, and the other is refused", async () => {
    const partner = await roaming.partner("2.2.1")
    const { token, versionsUrl } = await roaming.invite(partner)
    await partner.discover(versionsUrl, token)
    const url = partner.endpoint("credentials") ?? ""
    const post = () => partner.client.ask("POST", url, { token, body: partner.credentials(partner.invitation()) })
    const answers = await Promise.all([post(), post()])
    const statuses = answers.map(({ http }) => http).toSorted()
    expect(statuses[0]).toBe(200)
    expect([401, 405]).toContain(statuses[1])
  })

  it("of one party succeed once, since a token must have one owner", async () => {
    const { partner } = await roaming.registered("2.2.1")
    const { country_code, party_id } = partner.party
    const same = { name: "Twin", countryCode: country_code, partyId: party_id, roles: ["EMSP"] }
    expect(await roaming.world.ask("POST", "partners", same, 409)).toMatchObject({ code: "party_in_use" })
    // The same party can be invited in another role, but cannot register with credentials of the first.
    const hub = await roaming.world.post("partners", { ...same, roles: ["HUB"] })
    const refused = await partner.register(String(hub["versionsUrl"]), String(hub["credentialsToken"]))
    expect([refused.http, refused.code]).toEqual([200, 2001])
    expect(String(refused.message)).toContain(party_id)
    expect(await roaming.shown(String(hub["id"]))).toMatchObject({ status: "Invited" })
  })
})

describe("a registration token", () => {
  it("is invalid after its partner is removed, and the partner's exchanges are gone", async () => {
    const partner = await roaming.partner("2.2.1")
    const { id, token, versionsUrl } = await roaming.invite(partner)
    await roaming.world.ask("DELETE", `partners/${id}`)
    expect((await partner.client.ask("GET", versionsUrl, { token })).http).toBe(401)
    await roaming.world.ask("GET", `partners/${id}/exchanges`, undefined, 404)
  })

  it("is not needed for the OpenAPI document", async () => {
    const { versionsUrl } = await roaming.invite(await roaming.partner("2.2.1"))
    const response = await fetch(versionsUrl.replace(/versions$/, "swagger.json"))
    const document = (await response.json()) as Json
    expect([response.status, document["openapi"]]).toEqual([200, "3.1.0"])
    expect(document["info"]).toMatchObject({ version: "1.0.1" })
    expect(Object.keys(document["paths"] as Json)).toEqual(
      expect.arrayContaining(["/versions", "/2.2.1/details", "/2.1.1/credentials"])
    )
  })
})
