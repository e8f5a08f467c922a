/**
 * What holds on every route of REST v2, including future ones: HEAD, OPTIONS, 304 and 412, problem documents for refusals, and that all of this is
 * declared. The routes come from the OpenAPI document, and the requests from the recipes of the test that separates organisations.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { aFakeSession } from "../../support/fakeSessions.ts"
import { type Answer, fakeApp, type Json } from "../../support/restApp.ts"
import { makeOwned, type Owned, requestsOf } from "../../support/tenantWalk.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let document: Json
let owned: Owned
let requests: ReturnType<typeof requestsOf>

const charger = (made: { readonly chargerId: string; readonly siteId: string }) =>
  Promise.resolve(aFakeSession(app.world, { ...made, organisationId: app.own.organisationId, tokenUid: "A card" }))

beforeAll(async () => {
  app = await fakeApp()
  document = (await app.ask("GET", "/cpo/swagger.json")).json
  owned = await makeOwned(app.ask, app.own, charger)
  requests = requestsOf(document, owned)
  return () => app.close()
})

const ask = (method: string, path: string, headers: Record<string, string> = {}, raw?: string) =>
  app.ask(method, path, { key: app.key, headers, ...(raw === undefined ? {} : { raw }) })

const declared = (operation: { readonly method: string; readonly path: string }): Json =>
  document.paths[operation.path.replace(/^\/cpo/, "")][operation.method.toLowerCase()]

/** Whether the document declares a problem document for this status. */
const isDeclared = (operation: { readonly method: string; readonly path: string }, status: number): boolean =>
  declared(operation).responses[status]?.content?.["application/problem+json"] !== undefined

const problem = ({ headers, json, status }: Answer) => [status, headers.get("content-type"), json?.code]
const type = "application/problem+json"

/** The operation whose answer depends on the current time. */
const ofThisMoment = "charging-profiles.composite"

const reads = () => requests.filter(({ operation }) => operation.method === "GET")

describe("every route with GET", () => {
  it("answers HEAD with the headers of GET and no body", async () => {
    expect(reads().length).toBeGreaterThan(30)
    for (const { operation, path } of reads()) {
      const [get, head] = [await ask("GET", path), await ask("HEAD", path)]
      const summaryOf = ({ headers, status }: Answer) => [
        status,
        headers.get("content-type"),
        operation.operationId === ofThisMoment ? headers.has("etag") : headers.get("etag")
      ]
      expect([operation.operationId, ...summaryOf(head), head.text]).toEqual([
        operation.operationId,
        ...summaryOf(get),
        ""
      ])
    }
  })

  it("has an ETag if it answers one object, answers 304 to If-None-Match, and declares both", async () => {
    let tagged = 0
    for (const { operation, path } of reads()) {
      const { headers, status } = await ask("GET", path)
      const isOne =
        status === 200 &&
        /^application\/json(?:;|$)/.test(headers.get("content-type") ?? "") &&
        !operation.query.includes("cursor")
      const etag = headers.get("etag")
      expect([operation.operationId, etag !== null]).toEqual([operation.operationId, isOne])
      if (etag === null) continue
      if (operation.operationId === ofThisMoment) continue
      tagged++
      expect([operation.operationId, etag]).toEqual([operation.operationId, expect.stringMatching(/^"[\w.-]+"$/)])
      const known = await ask("GET", path, { "if-none-match": `"other", W/${etag}` })
      expect([operation.operationId, known.status, known.text, known.headers.get("etag")]).toEqual([
        operation.operationId,
        304,
        "",
        etag
      ])
      expect((await ask("GET", path, { "if-none-match": '"other"' })).status).toBe(200)
      const { parameters, responses } = declared(operation)
      expect([operation.operationId, responses[200].headers.etag, responses[304]]).toEqual([
        operation.operationId,
        expect.anything(),
        expect.anything()
      ])
      expect(parameters.map((one: Json) => one.name)).toContain("if-none-match")
    }
    expect(tagged).toBeGreaterThan(10)
  })
})

describe("every route that changes an object", () => {
  it("answers 412 to a stale ETag, changes nothing, and declares the 412", async () => {
    const changes = requests.filter(({ operation }) => /^(?:PUT|PATCH|DELETE)$/.test(operation.method))
    expect(changes.length).toBeGreaterThan(15)
    const itemOf = (path: string): Json => document.paths[path.replace(/^\/cpo/, "")]
    for (const { asked, operation, path } of changes) {
      const isRead = itemOf(operation.path).get !== undefined
      const before = await ask("GET", path)
      const headers = { ...asked.headers, "if-match": '"stale"' }
      const answer = await app.ask(operation.method, path, { ...asked, key: app.key, headers })
      // A missing object is 404, as without a condition. An object that cannot be read has no ETag.
      const wanted = isRead && before.status === 404 ? [404, type, "not_found"] : [412, type, "precondition_failed"]
      expect([operation.operationId, ...problem(answer)]).toEqual([operation.operationId, ...wanted])
      const after = await ask("GET", path)
      expect([operation.operationId, after.status, after.text]).toEqual([
        operation.operationId,
        before.status,
        before.text
      ])
      expect([operation.operationId, isDeclared(operation, 412)]).toEqual([operation.operationId, isRead])
    }
  })

  it("accepts the current ETag, also in the form of a compressed answer", async () => {
    const path = `/cpo/v2/sites/${owned.siteId}`
    const etag = async () => (await ask("GET", path)).headers.get("etag") ?? ""
    const change = async (tag: string) =>
      (await app.ask("PATCH", path, { key: app.key, body: { city: tag }, headers: { "if-match": tag } })).status
    const first = await etag()
    expect(await change(first)).toBe(200)
    expect(await change(first)).toBe(412)
    expect(await change((await etag()).replace(/"$/, '-gzip"'))).toBe(200)
    expect(await change("*")).toBe(200)
  })

  it("refuses If-Match with a key that may not read the object, instead of ignoring the condition", async () => {
    const { json } = await app.ask("POST", "/cpo/v2/api-keys", {
      key: app.key,
      body: { name: "writes", permissions: ["sites:write"] }
    })
    const path = `/cpo/v2/sites/${owned.siteId}`
    const headers = { "if-match": (await ask("GET", path)).headers.get("etag") ?? "" }
    const answer = await app.ask("PATCH", path, { key: json.key, body: { city: "Oslo" }, headers })
    expect([answer.status, answer.json.requiredPermissions]).toEqual([403, ["sites:read"]])
  })

  it("accepts a charger's ETag although the charger has reported something since", async () => {
    const path = `/cpo/v2/chargers/${owned.chargerId}`
    const { headers } = await ask("GET", path)
    const current = app.world.chargers.get(owned.chargerId)!
    app.world.chargers.set(owned.chargerId, { ...current, lastSeen: 1, lastMessage: "[2]", connected: true })
    expect((await ask("GET", path)).headers.get("etag")).not.toBe(headers.get("etag"))
    const rename = (name: string) =>
      app.ask("PATCH", path, { key: app.key, body: { name }, headers: { "if-match": headers.get("etag") ?? "" } })
    expect((await rename("Renamed")).status).toBe(200)
    expect((await rename("Renamed again")).status).toBe(412)
  })
})

describe("every route", () => {
  it("answers OPTIONS with its methods, without a key", async () => {
    for (const { operation, path } of requests) {
      const answer = await app.ask("OPTIONS", path)
      const allow = (answer.headers.get("allow") ?? "").split(", ")
      expect([operation.operationId, answer.status, answer.text]).toEqual([operation.operationId, 204, ""])
      expect(allow).toEqual(expect.arrayContaining([operation.method, "OPTIONS"]))
      const patches = answer.headers.get("accept-patch")?.split(", ").toSorted()
      expect([operation.operationId, patches]).toEqual([
        operation.operationId,
        allow.includes("PATCH") ? ["application/json", "application/merge-patch+json"] : undefined
      ])
    }
  })

  it("declares 405, 429 and 500 as problem documents, and 408, 413 and 415 where it takes a body", () => {
    for (const { operation } of requests) {
      const wanted = [400, 401, 403, 405, 429, 500, 503, ...(operation.hasBody ? [408, 413, 415] : [])]
      const lacking = wanted.filter((status) => !isDeclared(operation, status))
      expect([operation.operationId, lacking]).toEqual([operation.operationId, []])
    }
  })

  it("with a body answers a problem document to a wrong media type and to a body that is too large", async () => {
    const taking = requests.filter(({ operation }) => operation.hasBody)
    expect(taking.length).toBeGreaterThan(20)
    for (const { operation, path } of taking) {
      for (const given of ["text/plain", "application/json-patch+json", "application/x-www-form-urlencoded"]) {
        const answer = await ask(operation.method, path, { "content-type": given }, "{}")
        expect([operation.operationId, given, ...problem(answer)]).toEqual([
          operation.operationId,
          given,
          415,
          type,
          "unsupported_media_type"
        ])
      }
      if (operation.operationId === "files.store") continue
      const large = await ask(operation.method, path, { "content-type": "application/json" }, "[".repeat(1_048_577))
      expect([operation.operationId, ...problem(large)]).toEqual([
        operation.operationId,
        413,
        type,
        "payload_too_large"
      ])
    }
  })

  it("with PATCH accepts and declares application/merge-patch+json", async () => {
    const patched = requests.filter(({ operation }) => operation.method === "PATCH")
    expect(patched.length).toBeGreaterThan(4)
    for (const { asked, operation, path } of patched) {
      const send = (given: string) => ask("PATCH", path, { "content-type": given }, JSON.stringify(asked.body))
      const [plain, merge] = [await send("application/json"), await send("application/merge-patch+json; charset=utf-8")]
      expect([operation.operationId, merge.status]).toEqual([operation.operationId, plain.status])
      const { content } = declared(operation).requestBody
      expect([operation.operationId, content["application/merge-patch+json"]]).toEqual([
        operation.operationId,
        content["application/json"]
      ])
    }
  })

  it("answers 405 with Allow for other methods", async () => {
    for (const { operation, path } of requests) {
      const answer = await ask("PROPFIND", path)
      expect([operation.operationId, ...problem(answer)]).toEqual([
        operation.operationId,
        405,
        type,
        "method_not_allowed"
      ])
      expect(answer.headers.get("allow")?.split(", ")).toContain(operation.method)
    }
  })
})
