/** REST v1: the four operations of product.md, its error envelope, and its keys in the query, which must not leak (T21). */
import { wrongCredentials } from "../../../src/http/WrongCredentials.ts"
import { beforeEach, describe, expect, it } from "vitest"
import { fakeApp, type Answer, type Asked, type Json, type TestCredentials } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeEach(async () => {
  app = await fakeApp()
})

const ask = (method: string, path: string, asked: Asked = {}, by: TestCredentials = app.own) =>
  app.ask(method, `/api${path}?code=${by.code}&clientId=${by.clientId}`, asked)

/** The parts of an answer that the tests compare. */
const said = ({ headers, json, status }: Answer) => ({
  status,
  json,
  contentType: headers.get("content-type"),
  referrerPolicy: headers.get("referrer-policy"),
  cacheControl: headers.get("cache-control")
})

/** What every refusal of REST v1 looks like. */
const error = (status: number, code: string) => ({
  status,
  json: { error: { code, message: expect.any(String) } },
  contentType: "application/json",
  referrerPolicy: "no-referrer",
  cacheControl: "no-store"
})

const aGroup = async (): Promise<number> => (await ask("POST", "/group/add", { body: { name: "Harbour" } })).json.id

describe("the operations", () => {
  it("create a group with an integer id, which is a site in v2", async () => {
    const made = await ask("POST", "/group/add", { body: { name: "Harbour", colour: "blue" } })
    expect([made.status, made.json]).toEqual([200, { id: expect.any(Number), name: "Harbour" }])
    expect(Number.isInteger(made.json.id)).toBe(true)
    const sites = await app.ask("GET", "/cpo/v2/sites", { key: app.key })
    expect(sites.json.items.map((site: Json) => [site.groupId, site.name])).toEqual([[made.json.id, "Harbour"]])
  })

  it("create a charger in a group and answer its id, ignoring other fields", async () => {
    const groupId = await aGroup()
    const made = await ask("POST", `/charger/add/CP:1/${groupId}`, { body: { chargerName: "Left", sockets: 2 } })
    expect([made.status, made.json]).toEqual([200, { chargerId: "CP:1" }])
    const charger = await app.ask("GET", "/cpo/v2/chargers/CP:1", { key: app.key })
    expect([charger.json.name, charger.json.securityProfile]).toEqual(["Left", 0])
  })

  it("answer a charger with exactly product.md's fields and with the same values as v2", async () => {
    await ask("POST", `/charger/add/CP-1/${await aGroup()}`, { body: { chargerName: "Left" } })
    // Memory knows when the charger was last seen, for the connection that the database has.
    app.world.chargers.set("CP-1", { ...app.world.chargers.get("CP-1")!, epoch: 1 })
    app.world.seen.set("CP-1", { epoch: 1, lastSeen: Date.UTC(2026, 4, 20), lastMessage: "[2]", ended: undefined })
    const { json, status } = await ask("GET", "/charger/CP-1")
    expect(status).toBe(200)
    expect(Object.keys(json).toSorted()).toEqual(
      [
        "chargerId",
        "chargerName",
        "firmwareVersion",
        "manufacturer",
        "serialNumber",
        "chargerModel",
        "amountOfSockets",
        "lastSeen",
        "lastMessage",
        "activeConnection",
        "locationInfo",
        "pushIntegrationEnabled",
        "chargerSpecificMessageStructure",
        "chargerConfigurations",
        "sockets"
      ].toSorted()
    )
    expect([json.lastSeen, json.lastMessage, json.activeConnection]).toEqual(["2026-05-20T00:00:00.000Z", "[2]", true])
    const v2 = await app.ask("GET", "/cpo/v2/chargers/CP-1", { key: app.key })
    expect(v2.json).toMatchObject(json)
  })

  it("answer the same statistics as v2", async () => {
    const v2 = await app.ask("GET", "/cpo/v2/statistics", { key: app.key })
    expect((await ask("GET", "/statistics")).json).toEqual(v2.json)
  })
})

describe("bad input", () => {
  it("is refused with 400 for a charger id that a URL cannot carry", async () => {
    const groupId = await aGroup()
    for (const id of ["a%20b", "a%2Fb", "%00", "ä", "x".repeat(49), "%2E%2E%20"]) {
      expect(said(await ask("POST", `/charger/add/${id}/${groupId}`, { body: { chargerName: "A" } }))).toEqual(
        error(400, "invalid_charger_id")
      )
    }
  })

  it("is refused with 400 for a group id that is not an integer and 404 for a group of no or another organisation", async () => {
    for (const id of ["one", "1.5", "-1", "99999999999", "NaN"]) {
      expect(said(await ask("POST", `/charger/add/CP-1/${id}`, { body: { chargerName: "A" } }))).toEqual(
        error(400, "invalid_group_id")
      )
    }
    expect(said(await ask("POST", "/charger/add/CP-1/4711", { body: { chargerName: "A" } }))).toEqual(
      error(404, "group_not_found")
    )
    const other = await app.organise()
    const groupId = await aGroup()
    const answer = await ask("POST", `/charger/add/CP-1/${groupId}`, { body: { chargerName: "A" } }, other)
    expect(said(answer)).toEqual(error(404, "group_not_found"))
  })

  it("is refused with 400 without a name or with a body that is not a JSON object", async () => {
    const groupId = await aGroup()
    for (const asked of [{ body: {} }, { body: { chargerName: "" } }, { body: [] }, { raw: "{" }, { raw: "" }]) {
      expect(said(await ask("POST", `/charger/add/CP-1/${groupId}`, asked))).toEqual(error(400, "invalid_body"))
    }
    expect(said(await ask("POST", "/group/add", { body: { name: 1 } }))).toEqual(error(400, "invalid_body"))
  })

  it("is refused with 409 for an id in use, 404 for an unknown charger or path, and 405 for a wrong method", async () => {
    const groupId = await aGroup()
    await ask("POST", `/charger/add/CP-1/${groupId}`, { body: { chargerName: "A" } })
    expect(said(await ask("POST", `/charger/add/CP-1/${groupId}`, { body: { chargerName: "A" } }))).toEqual(
      error(409, "charger_id_in_use")
    )
    expect(said(await ask("GET", "/charger/CP-2"))).toEqual(error(404, "not_found"))
    expect(said(await ask("GET", "/nothing"))).toEqual(error(404, "unknown_path"))
    const answer = await ask("DELETE", "/charger/CP-1")
    expect(said(answer)).toEqual(error(405, "method_not_allowed"))
    expect(answer.headers.get("allow")).toBe("GET, HEAD")
  })

  it("is refused with 415 for a form and 413 for more than 1 MiB", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    expect(said(await ask("POST", "/group/add", { raw: "name=A", headers }))).toEqual(
      error(415, "unsupported_media_type")
    )
    expect(said(await ask("POST", "/group/add", { raw: `"${"x".repeat(1_048_576)}"` }))).toEqual(
      error(413, "payload_too_large")
    )
  })
})

describe("the pair of code and clientId", () => {
  it("is required completely and exactly once", async () => {
    const { clientId, code } = app.own
    for (const query of [
      "",
      `?code=${code}`,
      `?clientId=${clientId}`,
      `?code=${code}x&clientId=${clientId}`,
      `?code=${code}&clientId=${clientId}x`,
      `?code=${code}&code=${code}&clientId=${clientId}`,
      `?code=&clientId=`
    ]) {
      expect(said(await app.ask("GET", `/api/statistics${query}`))).toEqual(error(401, "unauthorized"))
    }
  })

  it("is refused if its parts belong to different organisations", async () => {
    const other = await app.organise()
    expect(said(await app.ask("GET", `/api/statistics?code=${app.own.code}&clientId=${other.clientId}`))).toEqual(
      error(401, "unauthorized")
    )
  })

  it("works from a network that has sent too many wrong ones, which get 429 with Retry-After", async () => {
    const networkOf = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
      headers["x-test-network"] ?? ""
    app = await fakeApp({ v1: { networkOf, wrong: wrongCredentials(3) } })
    const wrong = (network: string) =>
      app.ask("GET", `/api/statistics?code=wrong&clientId=${app.own.clientId}`, {
        headers: { "x-test-network": network }
      })
    const statuses: Array<number> = []
    for (let n = 0; n < 4; n++) statuses.push((await wrong("one")).status)
    expect(statuses).toEqual([401, 401, 401, 429])
    const refused = await wrong("one")
    expect(said(refused)).toEqual(error(429, "too_many_wrong_keys"))
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await wrong("another")).status).toBe(401)
    expect((await ask("GET", "/statistics", { headers: { "x-test-network": "one" } })).status).toBe(200)
  })

  it("cannot be replaced by a REST v2 key", async () => {
    expect(said(await app.ask("GET", `/api/statistics?code=${app.key}&clientId=${app.own.clientId}`))).toEqual(
      error(401, "unauthorized")
    )
    expect(said(await app.ask("GET", "/api/statistics", { key: app.key }))).toEqual(error(401, "unauthorized"))
  })

  it("is refused over plain HTTP with a hint, and accepted where plain HTTP is allowed", async () => {
    const headers = { "x-test-plain": "yes" }
    const refused = await ask("GET", "/statistics", { headers })
    expect(said(refused)).toEqual(error(403, "https_required"))
    expect(refused.json.error.message).toContain("V1_ALLOW_HTTP")
    // Nothing else in the request is examined before that, not even whether the pair is known.
    expect(said(await app.ask("GET", "/api/statistics", { headers }))).toEqual(error(403, "https_required"))
    expect(said(await app.ask("GET", "/api/nothing", { headers }))).toEqual(error(403, "https_required"))

    const lenient = await fakeApp({ allowHttp: true })
    const { clientId, code } = lenient.own
    const answer = await lenient.ask("GET", `/api/statistics?code=${code}&clientId=${clientId}`, { headers })
    expect(answer.status).toBe(200)
  })

  it("is never logged, not even on an internal error", async () => {
    app.logged.length = 0
    app.world.defect = new Error("boom")
    const failed = await ask("GET", "/statistics")
    app.world.defect = undefined
    expect(said(failed)).toEqual(error(500, "internal_error"))
    expect(app.logged.filter((line) => line.includes("boom"))).toHaveLength(1)
    for (const secret of [app.own.code, app.own.clientId]) expect(app.logged.join()).not.toContain(secret)
  })
})

it("answers 503 with Retry-After while storage is unavailable and names no host", async () => {
  app.world.unavailable = "down"
  const answer = await ask("GET", "/statistics")
  expect(said(answer)).toEqual(error(503, "unavailable"))
  expect(answer.headers.get("retry-after")).toBe("5")
  expect(answer.text).not.toContain("secret-host")
})

it("serves its OpenAPI document without keys, also over plain HTTP", async () => {
  const { json, status } = await app.ask("GET", "/api/swagger.json", { headers: { "x-test-plain": "yes" } })
  expect([status, json.openapi, json.servers]).toEqual([200, "3.1.0", [{ url: "https://cpo.example" }]])
  expect(Object.keys(json.paths)).toEqual([
    "/api/group/add",
    "/api/charger/add/{chargerId}/{groupId}",
    "/api/charger/{chargerId}",
    "/api/statistics"
  ])
  const operations = Object.values<Json>(json.paths).flatMap((item) => Object.values<Json>(item))
  expect(operations.every((operation) => "code" in operation.security[0] && "clientId" in operation.security[0])).toBe(
    true
  )
})
