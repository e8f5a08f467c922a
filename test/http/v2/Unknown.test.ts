/**
 * No route of REST v2 ignores unknown names (docs/decisions/0008). The test walks every endpoint of the API, so that future ones are tested
 * automatically.
 */
import { Context, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "../../../src/http/v2/Api.ts"
import { StreamedBody } from "../../../src/http/v2/requests/Middleware.ts"
import { type Answer, type Asked, fakeApp, type Json } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App

beforeAll(async () => {
  app = await fakeApp()
  await post("sites", { name: "A site" })
})
afterAll(() => app.close())

/** A valid value for every path parameter that names a record, which no record has. */
const unusedId = "01900000-0000-7000-8000-ffffffffffff"

/** The path with a valid value for each parameter: the first of its literals, or an id that no record has. */
const filled = (path: string, params: SchemaAST.AST | undefined): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const encoded = params === undefined ? undefined : SchemaAST.toEncoded(params)
    const type =
      encoded?._tag === "Objects" ? encoded.propertySignatures.find((one) => one.name === name)?.type : undefined
    const first = type?._tag === "Union" ? type.types[0] : type
    return first?._tag === "Literal" ? String(first.literal) : unusedId
  })

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  /** The possible objects in its JSON body, each with its `type` if it is one of several. Empty if it takes no JSON. */
  readonly bodies: ReadonlyArray<Json>
  readonly isStreamed: boolean
}

const namesOf = (ast: SchemaAST.AST | undefined): ReadonlyArray<string> => {
  const encoded = ast === undefined ? undefined : SchemaAST.toEncoded(ast)
  return encoded?._tag === "Objects" ? encoded.propertySignatures.map(({ name }) => String(name)) : []
}

const objectsOf = (ast: SchemaAST.AST): ReadonlyArray<Json> => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag === "Union") return encoded.types.flatMap(objectsOf)
  if (encoded._tag !== "Objects") return []
  return [
    Object.fromEntries(
      encoded.propertySignatures.flatMap(({ name, type }) =>
        type._tag === "Literal" && name === "type" ? [[name, type.literal]] : []
      )
    )
  ]
}

const routes: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
    const isStreamed = Context.getOrUndefined(endpoint.annotations, StreamedBody) !== undefined
    routes.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: filled(endpoint.path, endpoint.params?.ast),
      query: namesOf(endpoint.query?.ast),
      bodies: isStreamed ? [] : payloads.flatMap((schema) => objectsOf(schema.ast)),
      isStreamed
    })
  }
})

const streamed = { raw: "bytes", headers: { "content-type": "application/octet-stream" } }

const ask = ({ isStreamed, method, path }: Route, query = "", asked: Asked = isStreamed ? streamed : {}) =>
  app.ask(method, `${path}${query}`, { key: app.key, ...asked })

/** The error at one place of a request. Undefined if the request was not refused for it. */
const saidOf = ({ json, status }: Answer, pointer: string): string | undefined =>
  status === 400 && json.code === "invalid_input"
    ? json.errors.find((one: Json) => one.pointer === pointer)?.detail
    : undefined

const unknown = expect.stringMatching(/^Is not a known name/)

const sendsBody = ({ method }: Route): boolean => method !== "GET"

describe("every route", () => {
  it("refuses an unknown query parameter", async () => {
    expect(routes.length).toBeGreaterThan(80)
    for (const route of routes) {
      const answer = await ask(route, "?notKnownHere=1")
      expect([route.name, saidOf(answer, "/notKnownHere")]).toEqual([route.name, unknown])
    }
  })

  it("names the known parameter that was probably meant", async () => {
    for (const route of routes) {
      for (const name of route.query) {
        const answer = await ask(route, `?${name.slice(0, -1)}=1`)
        const wanted = expect.stringMatching(new RegExp(`^Is not a known name\\. Known names: ${name}(?:,|$)`))
        expect([route.name, name, saidOf(answer, `/${name.slice(0, -1)}`)]).toEqual([route.name, name, wanted])
      }
    }
  })

  it("refuses a parameter that is given more than once, with the same value or another", async () => {
    for (const route of routes) {
      for (const name of route.query) {
        for (const query of [`?${name}=1&${name}=1`, `?${name}=1&${name}=2&${name}=3`]) {
          const said = saidOf(await ask(route, query), `/${name}`)
          expect([route.name, query, said]).toEqual([route.name, query, "Must be given only once"])
        }
      }
    }
  })

  it("refuses an unknown field in every kind of body", async () => {
    const withBody = routes.filter(({ bodies }) => bodies.length > 0)
    expect(withBody.flatMap(({ bodies }) => bodies).length).toBeGreaterThan(40)
    for (const route of withBody) {
      for (const body of route.bodies) {
        const answer = await ask(route, "", { body: { ...body, notKnownHere: 1, "a/b~c": 1 } })
        expect([route.name, saidOf(answer, "/notKnownHere")]).toEqual([route.name, unknown])
        expect([route.name, saidOf(answer, "/a~1b~0c")]).toEqual([route.name, unknown])
      }
    }
  })

  it("refuses a body if it takes none, and accepts an empty one", async () => {
    const without = routes.filter((route) => sendsBody(route) && route.bodies.length === 0 && !route.isStreamed)
    expect(without.length).toBeGreaterThan(15)
    for (const route of without) {
      const answer = await ask(route, "", { body: { notKnownHere: 1 } })
      expect([route.name, saidOf(answer, "/notKnownHere")]).toEqual([route.name, unknown])
      for (const body of [[1], "text", 1]) {
        expect([route.name, saidOf(await ask(route, "", { body }), "")]).toEqual([
          route.name,
          "Must be empty: this operation takes no body"
        ])
      }
      for (const asked of [{}, { raw: "" }, { body: {} }, { body: null }]) {
        expect([route.name, (await ask(route, "", asked)).status]).not.toEqual([route.name, 400])
      }
    }
  })
})

const post = (path: string, body: Json) => app.ask("POST", `/cpo/v2/${path}`, { key: app.key, body })

describe("an unknown name", () => {
  it("does not create a key with all permissions when the permissions field is misspelt", async () => {
    const answer = await post("api-keys", { name: "A reader", permission: ["chargers:read"] })
    expect(saidOf(answer, "/permission")).toBe(
      "Is not a known name. Known names: permissions, expiresAt, name, networks"
    )
    expect((await app.ask("GET", "/cpo/v2/api-keys", { key: app.key })).text).not.toContain("A reader")
  })

  it("is found at any depth", async () => {
    const week = { weekday: 1, periodBegin: "08:00", periodEnd: "18:00", perodEnd: "19:00" }
    const image = { url: "https://a.example/1.png", category: "ENTRANCE", type: "png", hight: 5 }
    const site = {
      name: "A",
      openingHours: { twentyfourseven: false, regularHours: [week] },
      operator: { name: "O", logo: image }
    }
    const answer = await post("sites", site)
    expect([
      saidOf(answer, "/openingHours/regularHours/0/perodEnd"),
      saidOf(answer, "/operator/logo/hight"),
      answer.json.errors.length
    ]).toEqual([
      expect.stringMatching(/^Is not a known name\. Known names: periodEnd,/),
      expect.stringMatching(/^Is not a known name\. Known names: height,/),
      2
    ])
  })

  it("is reported together with all other errors", async () => {
    const answer = await app.ask("GET", "/cpo/v2/sessions?limit=0&tokenUuid=A&status=ACTIVE&status=ACTIVE", {
      key: app.key
    })
    expect(answer.json.errors.map((one: Json) => one.pointer).toSorted()).toEqual(["/limit", "/status", "/tokenUuid"])
  })

  it("is reported for fields that the service assigns, except in a tariff, which is accepted as it was read", async () => {
    await post("chargers", { name: "A charger", chargerId: "CP-1" })
    const renamed = await app.ask("PATCH", "/cpo/v2/chargers/CP-1", {
      key: app.key,
      body: { chargerId: "CP-2", name: "New" }
    })
    expect(saidOf(renamed, "/chargerId")).toEqual(unknown)
    expect((await app.ask("GET", "/cpo/v2/chargers/CP-1", { key: app.key })).json.name).toBe("A charger")
    const body = { currency: "EUR", elements: [{ priceComponents: [{ type: "FLAT", price: 1, stepSize: 1 }] }] }
    const tariff = await post("tariffs", body)
    expect((await post("tariffs", tariff.json)).status).toBe(201)
  })

  it("is reported only with a valid key, and without the value that was sent", async () => {
    expect((await app.ask("GET", "/cpo/v2/sites?hunter=hunter2")).status).toBe(401)
    const answer = await post("chargers", { name: "A", chargerId: "B", pasword: "hunter2 hunter2" })
    expect([saidOf(answer, "/pasword"), answer.text.includes("hunter2")]).toEqual([unknown, false])
  })
})
