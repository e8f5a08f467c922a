/** Sessions, tokens, keys, organisations and statistics over REST v2. */
import { beforeEach, describe, expect, it } from "vitest"
import { permissions } from "../../../src/domain/operator/Permission.ts"
import { aFakeSession, readingsOf, sessionStart } from "../../support/fakeSessions.ts"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp()
})

const ask = (method: string, path: string, body?: Json) => app.ask(method, `/cpo/v2${path}`, { key: app.key, body })

const siteId = "01900000-0000-7000-8000-00000000aaaa"
const session = (more: Json = {}): string =>
  aFakeSession(app.world, { organisationId: app.own.organisationId, chargerId: "CP-1", siteId, ...more })

describe("sessions", () => {
  it("are shown with all fields, without a price if there is no tariff", async () => {
    const id = session({
      endedAt: sessionStart + 3_600_000,
      status: "COMPLETED",
      meterStopWh: 8000,
      energyWh: 7000,
      stopReason: "Local"
    })
    const { json, status } = await ask("GET", `/sessions/${id}`)
    expect(status).toBe(200)
    expect(json).toEqual({
      id,
      chargerId: "CP-1",
      siteId,
      evseId: 1,
      connectorId: 1,
      transactionId: 1_234_567_890,
      ocppVersion: "1.6",
      reservationId: null,
      tokenUid: "CARD",
      authorization: { status: "Accepted", source: "LocalToken", decidedAt: "2026-05-20T08:00:00.000Z" },
      status: "COMPLETED",
      startedAt: "2026-05-20T08:00:00.000Z",
      endedAt: "2026-05-20T09:00:00.000Z",
      energyWh: 7000,
      meterStartWh: 1000,
      meterStopWh: 8000,
      stopReason: "Local",
      heldReason: null,
      revision: 0,
      needsCorrection: false,
      cost: null,
      periods: [],
      preferences: null,
      roaming: null,
      createdAt: "2026-05-20T08:00:00.000Z",
      updatedAt: "2026-05-20T08:00:00.000Z"
    })
  })

  it("of OCPP 2.x have their transaction id as text, even if it looks like a number", async () => {
    const id = session({ ocppVersion: "2.0.1", transactionId: "0042" })
    expect((await ask("GET", `/sessions/${id}`)).json.transactionId).toBe("0042")
  })

  it("are listed by charger, site, status and time", async () => {
    const one = session({ chargerId: "A" })
    const two = session({ chargerId: "B", status: "COMPLETED", startedAt: sessionStart + 60_000 })
    const ids = async (query: string): Promise<ReadonlyArray<string>> =>
      (await ask("GET", `/sessions?${query}`)).json.items.map((item: Json) => item.id)
    expect(await ids("")).toEqual([one, two])
    expect(await ids("chargerId=B")).toEqual([two])
    expect(await ids("status=ACTIVE")).toEqual([one])
    expect(await ids(`siteId=${siteId}`)).toEqual([one, two])
    expect(await ids("siteId=01900000-0000-7000-8000-00000000bbbb")).toEqual([])
    expect(await ids("from=2026-05-20T08:01:00Z")).toEqual([two])
    expect(await ids("to=2026-05-20T08:01:00Z")).toEqual([one])
    expect(await ids("from=2026-05-20T10:01:00%2B02:00")).toEqual([two])
  })

  it("are listed by whether they are held or need a correction", async () => {
    const free = { currency: "EUR", exclVat: 1, inclVat: 1, periods: [] }
    const held = session({ heldReason: "RegisterFell" })
    const billed = session({ price: free, billed: { exclVat: 1, inclVat: 1 } })
    const dearer = session({ price: { ...free, inclVat: 2 }, billed: { exclVat: 1, inclVat: 1 } })
    const list = (query: string) => ask("GET", `/sessions?${query}`)
    const ids = async (query: string) => (await list(query)).json.items.map((item: Json) => item.id)
    expect(await ids("held=true")).toEqual([held])
    expect(await ids("held=false")).toEqual([billed, dearer])
    expect(await ids("needsCorrection=true")).toEqual([dearer])
    expect(await ids("needsCorrection=false")).toEqual([held, billed])
    expect(await ids("held=false&needsCorrection=false&limit=1")).toEqual([billed])
    const first = (await list("held=false&limit=1")).json
    expect(await ids(`held=false&limit=1&cursor=${first.nextCursor}`)).toEqual([dearer])
  })

  it("show the cost of their record once billed, and that a correction is needed if the price has changed", async () => {
    const periods = [{ startedAt: sessionStart, endedAt: sessionStart + 1, energyWh: 7, charging: true, elements: {} }]
    const billed = { exclVat: 1, inclVat: 1.2 }
    const id = session({
      status: "COMPLETED",
      endedAt: sessionStart + 1,
      price: { currency: "EUR", exclVat: 2, inclVat: 2.4, periods: [] },
      billed,
      record: { currency: "EUR", ...billed, periods }
    })
    const { json } = await ask("GET", `/sessions/${id}`)
    expect(json).toMatchObject({
      needsCorrection: true,
      cost: { currency: "EUR", ...billed },
      periods: [{ energyWh: 7 }]
    })
    const { items } = (await ask("GET", "/sessions")).json
    expect(items).toEqual([json])
  })

  it("embed their first readings on request, and link to the rest", async () => {
    const id = session()
    readingsOf(app.world, id, 130)
    expect((await ask("GET", `/sessions/${id}`)).json.meterValues).toBeUndefined()
    const embedded = await ask("GET", `/sessions/${id}?include=meterValues`)
    expect(embedded.json.meterValues).toHaveLength(100)
    expect(embedded.json.meterValues[0]).toEqual({
      at: "2026-05-20T08:00:00.000Z",
      receivedAt: "2026-05-20T08:00:00.500Z",
      rawAt: null,
      energyWh: 1000,
      samples: [
        {
          value: "1000",
          measurand: "Energy.Active.Import.Register",
          context: "Sample.Periodic",
          format: "Raw",
          location: "Outlet",
          unit: "Wh",
          phase: null
        }
      ]
    })
    const next = new URL(/<([^>]+)>/.exec(embedded.headers.get("link") ?? "")?.[1] ?? "")
    expect([next.origin, next.pathname]).toEqual(["https://cpo.example", `/cpo/v2/sessions/${id}/meter-values`])
    const rest = await app.ask("GET", `${next.pathname}${next.search}`, { key: app.key })
    expect([rest.json.items.length, rest.json.nextCursor, rest.json.items[0].energyWh]).toEqual([30, null, 1100])
  })
})

describe("tokens", () => {
  it("need only a uid: answers 201 with type RFID and status Accepted", async () => {
    const made = await ask("POST", "/tokens", { uid: "04A2B3" })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe("https://cpo.example/cpo/v2/tokens/04A2B3")
    expect(made.json).toMatchObject({
      uid: "04A2B3",
      type: "RFID",
      status: "Accepted",
      parentUid: null,
      expiresAt: null
    })
  })

  it("are read, changed and deleted by their uid, whatever the case of its letters", async () => {
    await ask("POST", "/tokens", { uid: "Card", expiresAt: "2030-01-01T00:00:00+01:00", note: "Spare" })
    const changed = await ask("PATCH", "/tokens/CARD", { status: "Blocked", note: null })
    expect(changed.json).toMatchObject({
      uid: "Card",
      status: "Blocked",
      note: null,
      expiresAt: "2029-12-31T23:00:00.000Z"
    })
    expect((await ask("GET", "/tokens/card")).json).toEqual(changed.json)
    expect((await ask("DELETE", "/tokens/card")).status).toBe(204)
    expect((await ask("GET", "/tokens/Card")).status).toBe(404)
  })

  it("may have characters that a URL must escape", async () => {
    const made = await ask("POST", "/tokens", { uid: "a/b c?" })
    const path = new URL(made.headers.get("location") ?? "").pathname
    expect((await app.ask("GET", path, { key: app.key })).json.uid).toBe("a/b c?")
  })

  it("that exist already are refused with 409", async () => {
    await ask("POST", "/tokens", { uid: "Card" })
    const again = await ask("POST", "/tokens", { uid: "CARD" })
    expect([again.status, again.json.code]).toEqual([409, "token_exists"])
  })
})

describe("api keys", () => {
  it("are shown once with 201, and work at once", async () => {
    const made = await ask("POST", "/api-keys", { name: "Fleet" })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: "Fleet", permissions: null, lastUsedAt: null, revokedAt: null })
    expect(made.json.key).toMatch(/^vl_[0-9a-f]{16}_[0-9A-Za-z]{43}_[0-9a-f]{8}$/)
    expect(made.json.key.startsWith(made.json.prefix)).toBe(true)
    expect((await app.ask("GET", "/cpo/v2/sites", { key: made.json.key })).status).toBe(200)
    const list = await ask("GET", "/api-keys")
    expect(list.json.items).toHaveLength(2)
    expect(list.text).not.toContain(made.json.key)
  })

  it("can have fewer permissions, but never more than the caller", async () => {
    const { key } = await app.organise(["sites:read", "api-keys:write"])
    const make = (wanted: ReadonlyArray<string>) =>
      app.ask("POST", "/cpo/v2/api-keys", { key, body: { name: "K", permissions: wanted } })
    const less = await make(["sites:read"])
    expect([less.status, less.json.permissions]).toEqual([201, ["sites:read"]])
    const more = await make(["sites:read", "sites:write", "tokens:read"])
    expect([more.status, more.json.requiredPermissions]).toEqual([403, ["sites:write", "tokens:read"]])
  })

  it("that a limited key creates without permissions have the same limits", async () => {
    const limited = await ask("POST", "/api-keys", { name: "L", permissions: ["api-keys:write", "sites:read"] })
    const made = await app.ask("POST", "/cpo/v2/api-keys", { key: limited.json.key, body: { name: "M" } })
    expect(made.json.permissions).toEqual(["api-keys:write", "sites:read"])
    expect((await app.ask("GET", "/cpo/v2/tokens", { key: made.json.key })).status).toBe(403)
  })

  it("stop working when revoked, and stay in the list", async () => {
    const made = await ask("POST", "/api-keys", { name: "Fleet" })
    expect((await ask("DELETE", `/api-keys/${made.json.id}`)).status).toBe(204)
    expect((await app.ask("GET", "/cpo/v2/sites", { key: made.json.key })).status).toBe(401)
    const listed = (await ask("GET", "/api-keys")).json.items.find((key: Json) => key.id === made.json.id)
    expect(listed.revokedAt).toEqual(expect.any(String))
  })
})

describe("the last key with every permission", () => {
  it("cannot be revoked over HTTP, and the refusal names the command line", async () => {
    const own = await app.organise()
    const call = (method: string, path: string, body?: Json) =>
      app.ask(method, `/cpo/v2${path}`, { key: own.key, ...(body === undefined ? {} : { body }) })
    const [first] = (await call("GET", "/api-keys")).json.items
    await call("POST", "/api-keys", { name: "less", permissions: ["sites:read"] })
    const refused = await call("DELETE", `/api-keys/${first.id}`)
    expect([refused.status, refused.json.code]).toEqual([409, "last_full_key"])
    expect(refused.json.detail).toContain("voltlane keys revoke")
    await call("POST", "/api-keys", { name: "another" })
    expect((await call("DELETE", `/api-keys/${first.id}`)).status).toBe(204)
  })
})

describe("organisations", () => {
  it("are listed for the platform's own operator only", async () => {
    const other = await app.organise(["organisation:read", "api-keys:write"])
    const refused = await app.ask("GET", "/cpo/v2/organisations", { key: other.key })
    expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["platform:admin"]])
    const { json, status } = await ask("GET", "/organisations?limit=500")
    expect(status).toBe(200)
    expect(json.items.map((one: Json) => one.id)).toEqual(
      expect.arrayContaining([app.own.organisationId, other.organisationId])
    )
    expect(Object.keys(json.items[0]).toSorted()).toEqual(
      Object.keys((await ask("GET", "/organisation")).json).toSorted()
    )
  })

  it("are created by the platform, with a first key and a v1 pair that work", async () => {
    const made = await ask("POST", "/organisations", { name: "Other", countryCode: "FI", partyId: "OTH" })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      name: "Other",
      countryCode: "FI",
      partyId: "OTH",
      timeZone: "UTC",
      unknownTokens: "Refuse"
    })
    const { apiKey, clientId, code } = made.json
    expect((await app.ask("GET", "/cpo/v2/organisation", { key: apiKey })).json.name).toBe("Other")
    expect((await app.ask("GET", `/api/statistics?clientId=${clientId}&code=${code}`)).status).toBe(200)
    // Its operator has every permission except the platform's.
    const refused = await app.ask("POST", "/cpo/v2/organisations", {
      key: apiKey,
      body: { name: "X", countryCode: "FI", partyId: "XXX" }
    })
    expect([refused.status, refused.json.requiredPermissions]).toEqual([403, ["platform:admin"]])
    const operator = [...app.world.operators.values()].find((one) => one.organisationId === made.json.id)
    expect(operator?.permissions).toEqual(permissions.filter((permission) => permission !== "platform:admin"))
  })

  it("are refused with 409 for a party that exists", async () => {
    await ask("POST", "/organisations", { name: "A", countryCode: "FI", partyId: "OTH" })
    const again = await ask("POST", "/organisations", { name: "B", countryCode: "FI", partyId: "OTH" })
    expect([again.status, again.json.code]).toEqual([409, "party_exists"])
  })

  it("change their own settings and keep the rest", async () => {
    const changed = await ask("PATCH", "/organisation", {
      timeZone: "Europe/Berlin",
      unknownTokens: "Accept",
      heartbeatIntervalSeconds: 60,
      closeSilentSessionsAfterHours: 6,
      standbyPowerW: 250
    })
    expect(changed.json).toMatchObject({
      timeZone: "Europe/Berlin",
      unknownTokens: "Accept",
      concurrentTransactions: "Refuse",
      heartbeatIntervalSeconds: 60,
      closeSilentSessionsAfterHours: 6,
      standbyPowerW: 250
    })
    expect((await ask("GET", "/organisation")).json).toEqual(changed.json)
  })
})

it("statistics count the organisation's own objects", async () => {
  await ask("POST", "/sites", { name: "S" })
  await ask("POST", "/chargers", { name: "C", chargerId: "CP-1" })
  expect((await ask("GET", "/statistics")).json).toEqual({
    chargers: 1,
    connected: 0,
    connectors: { available: 0, occupied: 0, faulted: 0, unavailable: 0 },
    activeSessions: 0,
    energyWhToday: 0,
    energyWhTotal: 0,
    sessionsToday: 0
  })
})

describe("search", () => {
  it("leaves out kinds that the key may not read, and requires two to a hundred characters", async () => {
    const made = await ask("POST", "/sites", { name: "Harbour & quay" })
    const { json } = await ask("GET", "/search?q=HARBOUR")
    expect(json).toEqual({
      items: [{ kind: "site", id: made.json.id, title: "Harbour & quay", subtitle: "", path: `/sites/${made.json.id}` }]
    })
    const key = (await ask("POST", "/api-keys", { name: "No sites", permissions: ["tokens:read"] })).json.key
    expect((await app.ask("GET", "/cpo/v2/search?q=harbour", { key })).json).toEqual({ items: [] })
    for (const query of ["", "?q=a", "?q=%20a%20", `?q=${"a".repeat(101)}`, "?q=ab&kind=site"]) {
      expect([query, (await ask("GET", `/search${query}`)).status]).toEqual([query, 400])
    }
  })
})

describe("the work queues", () => {
  it("are counted if the key may read them, and otherwise null", async () => {
    const read = await ask("GET", "/work")
    expect([read.status, read.json]).toMatchObject([200, { heldSessions: 0, parkedEvents: 0, unknownChargers: 0 }])
    const key = (await ask("POST", "/api-keys", { name: "Cards", permissions: ["tokens:read"] })).json.key
    expect((await app.ask("GET", "/cpo/v2/work", { key })).json).toEqual({
      heldSessions: null,
      corrections: null,
      parkedDeliveries: null,
      parkedEvents: null,
      tokenConflicts: 0,
      unknownChargers: null,
      configurationDrifts: null
    })
    expect((await ask("GET", "/work?queue=heldSessions")).status).toBe(400)
  })
})
