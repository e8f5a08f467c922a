/** Discovery of a partner's modules: from details with invalid entries, and from partners that accept the token in one form only. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import type { PartnerEndpoint } from "../../../src/domain/roaming/Partner.ts"
import { discover } from "../../../src/ocpi/client/Handshake.ts"
import type { Access } from "../../../src/ocpi/client/OcpiClient.ts"

interface Refusal {
  readonly http: number
  readonly code?: number
}

let endpoints: ReadonlyArray<unknown> = []
/** The refusal for an Authorization header, or undefined to answer the request. */
let refusal: (authorization: string, url: string) => Refusal | undefined = () => undefined
let heard: Array<string> = []
const server = createServer((request, response) => {
  const { headers, url = "" } = request
  heard.push(`${url} ${headers.authorization ?? ""}`)
  const refused = refusal(headers.authorization ?? "", url)
  if (refused !== undefined) {
    const { code, http } = refused
    const body =
      code === undefined ? "default backend" : JSON.stringify({ status_code: code, timestamp: "2026-11-20T08:30:00Z" })
    return void response.writeHead(http).end(body)
  }
  const data = request.url === "/versions" ? [{ version: "2.2.1", url: detailsUrl ?? `${base}/2.2.1` }] : { endpoints }
  response.writeHead(200).end(JSON.stringify({ data, status_code: 1000, timestamp: "2026-11-20T08:30:00Z" }))
})
let base = ""
/** The URL of the details, as the list of versions gives it. */
let detailsUrl: string | undefined

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(() => {
  endpoints = [{ identifier: "credentials", url: "https://partner.example/credentials" }]
  refusal = () => undefined
  heard = []
  detailsUrl = undefined
})

const base64 = `Token ${Buffer.from("their-token").toString("base64")}`
const raw = "Token their-token"

const found = (form: Access["form"], isFixed = false) => {
  const access = { token: "their-token", form, isFixed }
  const options = { allowPrivate: true, timeoutMillis: 2_000, maxResponseBytes: 100_000, newId: () => "id" }
  return Effect.runPromise(Effect.result(discover(`${base}/versions`, undefined, access, "story", options)))
}

it("a module with a name that cannot be stored is skipped, without affecting the others", async () => {
  const url = "https://partner.example/module"
  const tokens = { identifier: "tokens", role: "SENDER", url }
  const long = { identifier: "\u4e00".repeat(256), role: "SENDER", url }
  const own = { identifier: "\u4e00".repeat(255), role: "SENDER", url }
  endpoints = [long, tokens, own, { identifier: "bad\0", role: "SENDER", url }, 7]
  const { success } = (await found("Base64", true)) as { readonly success: object }
  expect(
    "endpoints" in success && (success.endpoints as ReadonlyArray<PartnerEndpoint>).map(({ module }) => module)
  ).toEqual(["tokens", own.identifier])
})

it("relative URLs of the details and of modules are resolved against the address that names them", async () => {
  detailsUrl = "2.2.1"
  endpoints = [
    { identifier: "credentials", role: "SENDER", url: "/ocpi/2.2.1/credentials" },
    { identifier: "tokens", role: "SENDER", url: "tokens?tenant=7" },
    { identifier: "cdrs", role: "RECEIVER", url: "https://other.example/cdrs" },
    { identifier: "sessions", role: "RECEIVER", url: "http://" }
  ]
  expect(await found("Base64", true)).toMatchObject({
    success: {
      endpoints: [
        { module: "credentials", url: `${base}/ocpi/2.2.1/credentials` },
        { module: "tokens", url: `${base}/tokens?tenant=7` },
        { module: "cdrs", url: "https://other.example/cdrs" }
      ]
    }
  })
})

/** How partners answer a token in the form that they do not accept. */
const refusals: ReadonlyArray<Refusal> = [
  { http: 400, code: 2001 },
  { http: 401 },
  { http: 403 },
  { http: 404, code: 2000 },
  { http: 422 },
  { http: 200, code: 3000 },
  { http: 500, code: 3000 }
]

it.each(refusals)(
  "a partner that answers $http $code to one form of the token is asked with the other",
  async (one) => {
    for (const [first, second] of [
      ["Base64", "Raw"],
      ["Raw", "Base64"]
    ] as const) {
      const taken = second === "Raw" ? raw : base64
      refusal = (authorization) => (authorization === taken ? undefined : one)
      expect(await found(first), first).toMatchObject({ _tag: "Success", success: { version: "2.2.1", form: second } })
    }
  }
)

it("the details are asked for in the form that worked for the versions, and then in the other", async () => {
  refusal = (authorization, url) => ((url === "/versions") === (authorization === raw) ? undefined : { http: 404 })
  expect(await found("Base64")).toMatchObject({ _tag: "Success", success: { form: "Base64" } })
  expect(heard).toEqual([`/versions ${base64}`, `/versions ${raw}`, `/2.2.1 ${raw}`, `/2.2.1 ${base64}`])
})

it.each([
  [{ http: 404 }, { http: 401 }, 404],
  [{ http: 401 }, { http: 404 }, 404],
  [{ http: 401 }, { http: 401 }, 401]
])("of two refusals, %o and %o, the one that is not about the token is reported", async (first, second, http) => {
  refusal = (authorization) => (authorization === base64 ? first : second)
  expect(await found("Base64")).toMatchObject({ _tag: "Failure", failure: { http } })
  expect(heard).toHaveLength(2)
})

it.each([{ http: 500 }, { http: 503, code: 2000 }, { http: 200, code: 2001 }])(
  "a partner that answers %o is not asked again with the other form",
  async (one) => {
    refusal = () => one
    expect(await found("Base64")).toMatchObject({ _tag: "Failure", failure: { http: one.http } })
    expect(heard).toHaveLength(1)
  }
)

it("no other form is tried if an operator has set one", async () => {
  refusal = () => ({ http: 404 })
  expect(await found("Base64", true)).toMatchObject({ _tag: "Failure", failure: { http: 404 } })
  expect(heard).toHaveLength(1)
})
