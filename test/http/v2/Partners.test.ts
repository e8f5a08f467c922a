/** Partners and parties in REST v2. Handshakes are tested over real HTTP in `test/ocpi`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
beforeAll(async () => {
  app = await fakeApp()
})
afterAll(() => app.close())

const ask = (method: string, path: string, body?: Json, key = app.key) =>
  app.ask(method, `/cpo/v2${path}`, { key, ...(body === undefined ? {} : { body }) })

const partner = { name: "Example Mobility", countryCode: "DE", partyId: "EXM", roles: ["EMSP"] }

describe("a partner", () => {
  it("is invited with a token that is shown once, and our versions URL", async () => {
    const made = await ask("POST", "/partners", { ...partner, roles: ["EMSP", "EMSP", "NSP"] })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe(`https://cpo.example/cpo/v2/partners/${made.json.id}`)
    const { credentialsToken, ...shown } = made.json
    expect(credentialsToken).toMatch(/^[0-9A-Za-z]{43}$/)
    expect(shown).toEqual({
      id: expect.any(String),
      name: "Example Mobility",
      countryCode: "DE",
      partyId: "EXM",
      roles: ["EMSP", "NSP"],
      status: "Invited",
      ocpiVersion: null,
      versionsUrl: "https://cpo.example/ocpi/versions",
      partnerVersionsUrl: null,
      parties: [],
      modules: [],
      registeredAt: null,
      switches: {},
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    const read = await ask("GET", `/partners/${shown.id}`)
    expect([read.status, read.json]).toEqual([200, shown])
    expect((await ask("GET", "/partners")).json.items).toContainEqual(shown)
    const again = await ask("POST", `/partners/${shown.id}/invite`)
    expect(again.status).toBe(201)
    expect(again.json.credentialsToken).toMatch(/^[0-9A-Za-z]{43}$/)
    expect(again.json.credentialsToken).not.toBe(credentialsToken)
    expect(app.logged.join()).not.toContain(credentialsToken)
  })

  it("is unique for its party and role", async () => {
    const twice = await ask("POST", "/partners", partner)
    expect([twice.status, twice.json.code]).toEqual([409, "party_in_use"])
    expect((await ask("POST", "/partners", { ...partner, roles: ["HUB"] })).status).toBe(201)
  })

  it.each([
    ["no name", { name: undefined }, "/name"],
    ["an invalid country", { countryCode: "XX" }, "/countryCode"],
    ["a party of four letters", { partyId: "ABCD" }, "/partyId"],
    ["no role", { roles: [] }, "/roles"],
    ["an invalid role", { roles: ["DRIVER"] }, "/roles/0"],
    ["an invalid value of a switch", { switches: { tokenForm: "Hex" } }, "/switches/tokenForm"],
    ["an unknown switch", { switches: { noCreditCdr: true } }, "/switches/noCreditCdr"]
  ])("is refused with %s, with the pointer of the error", async (_, wrong, pointer) => {
    const refused = await ask("POST", "/partners", { ...partner, partyId: "NEW", ...wrong })
    expect(refused.status).toBe(400)
    expect(refused.json.errors.map((error: Json) => error.pointer)).toEqual([pointer])
  })

  it("keeps the switches that a change does not name, and removes those set to null", async () => {
    const switches = { tokenForm: "Raw", noCreditCdrs: true }
    const { id } = (await ask("POST", "/partners", { ...partner, partyId: "SWI", switches })).json
    const change = (changed: Json) => ask("PATCH", `/partners/${id}`, { switches: changed })
    const mistyped = await change({ nocreditcdrs: false })
    expect([mistyped.status, mistyped.json.errors]).toEqual([
      400,
      [{ pointer: "/switches/nocreditcdrs", detail: expect.stringContaining("Known names: noCreditCdrs, ") }]
    ])
    expect((await change({})).json.switches).toEqual(switches)
    expect((await change({ tokenForm: null, createdAs201: true })).json.switches).toEqual({
      noCreditCdrs: true,
      createdAs201: true
    })
    const { json: whole } = await ask("GET", `/partners/${id}`)
    const again = await ask("PATCH", `/partners/${id}`, { switches: whole.switches, name: "Other" })
    expect([again.json.name, again.json.switches]).toEqual(["Other", whole.switches])
  })

  it("is registered only with an absolute URL and a token that fits into a header", async () => {
    const { id } = (await ask("POST", "/partners", { ...partner, partyId: "HND" })).json
    const handover = { versionsUrl: "https://partner.example/versions", token: "theirs" }
    for (const wrong of [{ versionsUrl: "/versions" }, { token: "two words" }, { token: "" }, { version: "3.0" }]) {
      expect((await ask("POST", `/partners/${id}/register`, { ...handover, ...wrong })).status).toBe(400)
    }
    const refused = await ask("POST", `/partners/${id}/register`, handover)
    expect([refused.status, refused.json.code]).toEqual([409, "partner_unusable"])
    const renewed = await ask("POST", `/partners/${id}/renew`)
    expect([renewed.status, renewed.json.code]).toEqual([409, "not_registered"])
  })

  it("can be suspended and removed", async () => {
    const { id } = (await ask("POST", "/partners", { ...partner, partyId: "SUS" })).json
    const changed = await ask("PATCH", `/partners/${id}`, { suspended: true, name: "Other" })
    expect([changed.status, changed.json.status, changed.json.name]).toEqual([200, "Suspended", "Other"])
    expect((await ask("DELETE", `/partners/${id}`)).status).toBe(204)
    for (const path of ["", "/exchanges", "/health", "/clients"]) {
      expect((await ask("GET", `/partners/${id}${path}`)).status, path).toBe(404)
    }
  })

  it("requires its permission, which the refusal names", async () => {
    const reader = await app.organise(["partners:read"])
    expect((await ask("GET", "/partners", undefined, reader.key)).status).toBe(200)
    const refused = await ask("POST", "/partners", partner, reader.key)
    expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["partners:write"]])
    const other = await app.organise(["sites:read"])
    expect((await ask("GET", "/parties", undefined, other.key)).status).toBe(403)
  })
})

describe("the organisation's parties", () => {
  it("are listed in pages, starting with the default one", async () => {
    const businessDetails = { name: "Belgian branch", website: "https://branch.example" }
    const made = await ask("POST", "/parties", { countryCode: "BE", partyId: "VL2", businessDetails })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ countryCode: "BE", partyId: "VL2", businessDetails, default: false })
    const first = await ask("GET", "/parties?limit=1")
    expect(first.json.items).toMatchObject([{ countryCode: "NL", default: true, businessDetails: { website: null } }])
    const second = await ask("GET", `/parties?limit=1&cursor=${first.json.nextCursor}`)
    expect(second.json).toEqual({ items: [made.json], nextCursor: null })
    expect((await ask("GET", "/parties?cursor=unknown")).status).toBe(400)
  })

  it("are refused with an invalid website or a name that OCPI does not allow", async () => {
    const party = { countryCode: "BE", partyId: "VL3" }
    for (const businessDetails of [
      { name: "" },
      { name: "x".repeat(101) },
      { name: "N", website: "javascript:1" },
      {}
    ]) {
      expect((await ask("POST", "/parties", { ...party, businessDetails })).status).toBe(400)
    }
  })
})
