/** The description of REST v2: what programs read, and what people read. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let document: Json

beforeAll(async () => {
  app = await fakeApp()
  document = (await app.ask("GET", "/cpo/swagger.json")).json
})
afterAll(() => app.close())

const operations = (): ReadonlyArray<Json> =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ ...operation, path, method }))
  )

it("is OpenAPI 3.1 with paths as product.md appends them to its base", () => {
  expect(document.openapi).toBe("3.1.0")
  expect(document.servers).toEqual([{ url: "https://cpo.example/cpo" }])
  for (const path of ["/v2/sites", "/v2/chargers", "/v2/chargers/{chargerId}"])
    expect(document.paths[path]).toBeDefined()
  expect(document.components.securitySchemes).toEqual({ apiKey: { type: "apiKey", name: "x-api-key", in: "header" } })
})

it("says 200 for creating a site or charger, 201 for other creations, 202 for commands, 204 for deletions and never 422", () => {
  const successes = Object.fromEntries(
    operations().map((operation) => [
      `${operation.method} ${operation.path}`,
      Object.keys(operation.responses).filter((status) => Number(status) < 300)
    ])
  )
  for (const [name, statuses] of Object.entries(successes)) {
    const wanted = name.startsWith("delete")
      ? "204"
      : /^post .*\/(?:commands|configuration\/apply)$/.test(name)
        ? "202"
        : name.startsWith("post") && !/\/(?:sites|chargers|preview|release|correct)$/.test(name)
          ? "201"
          : "200"
    expect([name, statuses]).toEqual([name, [wanted]])
  }
  expect(operations().some((operation) => "422" in operation.responses)).toBe(false)
})

it("says of every operation what it is, who may, and how it fails", () => {
  for (const operation of operations()) {
    expect(operation.summary, operation.operationId).toEqual(expect.any(String))
    expect(operation.security).toEqual([{ apiKey: [] }])
    for (const status of ["400", "401", "403", "503"]) {
      const content = operation.responses[status]?.content
      expect(Object.keys(content ?? {}), `${operation.operationId} ${status}`).toEqual(["application/problem+json"])
    }
  }
  const ofOne = operations().filter((operation) => operation.path.includes("{"))
  expect(ofOne.filter((operation) => operation.responses["404"] === undefined)).toEqual([])
})

it("names every schema that it refers to", () => {
  const referred = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1])
  )
  for (const name of referred) expect(document.components.schemas[name ?? ""], name).toBeDefined()
})

it("takes an Idempotency-Key on every POST, and bounds lists", () => {
  const parameters = (which: (operation: Json) => boolean): ReadonlyArray<ReadonlyArray<string>> =>
    operations()
      .filter(which)
      .map((operation) => operation.parameters.map((parameter: Json) => parameter.name))
  const ofPosts = parameters((operation) => operation.method === "post")
  expect(ofPosts.filter((names) => !names.includes("idempotency-key"))).toEqual([])
  const ofLists = parameters((operation) => operation.operationId.endsWith(".list"))
  expect(ofLists.filter((names) => !names.includes("limit") || !names.includes("cursor"))).toEqual([])
  expect([ofPosts.length > 4, ofLists.length > 4]).toEqual([true, true])
})

it("says what a filter of sessions is for, and what of a tariff is ignored", () => {
  const { parameters } = document.paths["/v2/sessions"].get
  for (const name of ["held", "needsCorrection"]) {
    const { schema } = parameters.find((parameter: Json) => parameter.name === name)
    expect(schema).toEqual({ type: "string", enum: ["true", "false"], description: expect.stringMatching(/^true: /) })
  }
  const { additionalProperties, properties } = document.components.schemas.NewTariff
  expect([additionalProperties, properties.lastUpdated.description]).toEqual([
    false,
    expect.stringContaining("ignored")
  ])
})

it("wants a body wherever one is read, but where all of it may be left out", () => {
  const without = operations().filter(({ requestBody }) => requestBody !== undefined && requestBody.required !== true)
  expect(without.map(({ path }) => path)).toEqual(["/v2/chargers/{chargerId}/configuration/apply"])
})

it("has a page for people that asks nobody else for anything", async () => {
  const root = await app.ask("GET", "/")
  expect([root.status, root.headers.get("location")]).toEqual([302, "/cpo/docs"])
  const page = await app.ask("GET", "/cpo/docs")
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect(page.headers.get("cache-control")).toBe("no-store")
  expect(page.text).toContain("https://cpo.example/cpo")
  expect(page.text).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="?https?:/i)
  // The second time from memory.
  expect((await app.ask("GET", "/cpo/docs")).text).toBe(page.text)
})
