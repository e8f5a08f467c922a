import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Partner } from "../../../src/domain/roaming/Partner.ts"
import type { ExchangeRecord } from "../../../src/domain/roaming/ExchangeRecord.ts"
import { Exchanges } from "../../../src/domain/roaming/Exchanges.ts"
import { Partners } from "../../../src/domain/roaming/Partners.ts"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import * as StoredSecrets from "../../../src/storage/operators/Secrets.ts"
import * as PartnerClient from "../../../src/ocpi/client/PartnerClient.ts"

interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let heard: Array<Heard> = []
let logged: Array<ExchangeRecord> = []
let answers: Array<{
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: string | Buffer
}> = []
const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { headers, method = "", url = "" } = request
    heard.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") })
    const { body, headers: more, status } = answers.shift() ?? { status: 200, body: '{"status_code":1000}' }
    response.writeHead(status, more).end(body)
  })
})
let base = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  heard = []
  answers = []
  logged = []
})

const ours = { countryCode: "NL", partyId: "VLT" }
const theirs = { countryCode: "DE", partyId: "EMS" }

const partner = (over: Partial<Partner> = {}, version = "2.2.1"): Partner => ({
  id: "p1",
  organisationId: "o1",
  name: "Example Mobility",
  status: "Registered",
  switches: {},
  connection: {
    version,
    versionsUrl: `${base}/versions`,
    tokenForm: version === "2.1.1" ? "Raw" : "Base64",
    parties: [],
    endpoints: [
      { module: "tokens", role: "SENDER", url: `${base}/sender/tokens` },
      { module: "sessions", role: version === "2.1.1" ? undefined : "RECEIVER", url: `${base}/sessions/?tenant=7` }
    ],
    registeredAt: 0
  },
  createdAt: 0,
  updatedAt: 0,
  ...over
})

const sealedToken = Effect.map(Secrets, (secrets) => secrets.seal("partner-token", "their-token"))

const partners = Layer.unwrap(
  Effect.map(sealedToken, (sealed) => Layer.mock(Partners, { theirToken: () => Effect.succeed(sealed) }))
)

const layer = PartnerClient.layer({
  allowPrivate: true,
  timeoutMillis: 2_000,
  maxResponseBytes: 10_000,
  idleMillis: 1_000,
  maxPerPlace: 2
}).pipe(
  Layer.provide(partners),
  Layer.provide(Layer.mock(Exchanges, { record: (one) => void logged.push(one) })),
  Layer.provide(StoredSecrets.layer(Redacted.make("0123456789abcdef0123456789abcdef")))
)

const inTokens = { method: "GET", at: { module: "tokens", role: "SENDER" }, correlationId: "story" } as const

const call = (to: Partner, request: PartnerClient.PartnerRequest) =>
  Effect.runPromise(
    Effect.flatMap(PartnerClient.PartnerClient, (client) => client.call(to, request)).pipe(Effect.provide(layer))
  )

/** The previous token, as read by a caller that has been waiting since. */
const outdated = () =>
  Effect.runSync(
    Effect.provide(
      Effect.map(Secrets, (secrets) => secrets.seal("partner-token", "token-before")),
      StoredSecrets.layer(Redacted.make("0123456789abcdef0123456789abcdef"))
    )
  )

const failure = (to: Partner, request: PartnerClient.PartnerRequest) =>
  Effect.runPromise(
    Effect.flatMap(PartnerClient.PartnerClient, (client) => Effect.flip(client.call(to, request))).pipe(
      Effect.provide(layer)
    )
  )

describe("a call to a partner", () => {
  it("goes to its module with the token in the partner's form, the request ids and both parties", async () => {
    answers = [{ status: 200, body: '{"data":{"allowed":"ALLOWED"},"status_code":1000}' }]
    const at = { module: "tokens", role: "SENDER", path: ["A/B C", "authorize"], query: { type: "RFID" } } as const
    const { data } = await call(partner(), {
      method: "POST",
      at,
      body: { location_id: "L1" },
      correlationId: "story",
      from: ours,
      to: theirs
    })
    expect(data).toEqual({ allowed: "ALLOWED" })
    const [{ body, headers, method, url }] = heard as [Heard]
    expect({ method, url, body }).toEqual({
      method: "POST",
      url: "/sender/tokens/A%2FB%20C/authorize?type=RFID",
      body: '{"location_id":"L1"}'
    })
    expect(headers).toMatchObject({
      authorization: `Token ${Buffer.from("their-token").toString("base64")}`,
      "content-type": "application/json",
      "x-correlation-id": "story",
      "ocpi-from-country-code": "NL",
      "ocpi-from-party-id": "VLT",
      "ocpi-to-country-code": "DE",
      "ocpi-to-party-id": "EMS"
    })
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("has no parties in 2.1.1, sends the token raw, and finds a module without a role", async () => {
    const at = { module: "sessions", role: "RECEIVER", path: ["NL", "VLT", "s1"] } as const
    await call(partner({}, "2.1.1"), { method: "PUT", at, body: {}, correlationId: "c", from: ours, to: theirs })
    const [{ headers, url }] = heard as [Heard]
    expect(url).toBe("/sessions/NL/VLT/s1?tenant=7")
    expect(headers["authorization"]).toBe("Token their-token")
    expect(Object.keys(headers).filter((name) => name.startsWith("ocpi-"))).toEqual([])
  })

  it("has a new request id at each try and the same correlation id, and tries the other form of the token once", async () => {
    answers = [{ status: 401, body: "" }]
    await call(partner(), { method: "GET", at: { url: `${base}/page?x=1` }, correlationId: "c" })
    expect(heard.map(({ headers }) => headers["authorization"])).toEqual([
      `Token ${Buffer.from("their-token").toString("base64")}`,
      "Token their-token"
    ])
    expect(new Set(heard.map(({ headers }) => headers["x-request-id"])).size).toBe(2)
    expect(new Set(heard.map(({ headers }) => headers["x-correlation-id"])).size).toBe(1)
  })

  it("is made once if a registered partner refuses it for another reason than its token", async () => {
    answers = [{ status: 404, body: "" }]
    const failed = await failure(partner(), { method: "GET", at: { url: `${base}/` }, correlationId: "c" })
    expect(heard).toHaveLength(1)
    expect(failed).toMatchObject({ _tag: "PartnerFailed", http: 404 })
  })

  it("uses only the form of the token that an operator has set", async () => {
    answers = [{ status: 401, body: "" }]
    const failed = await failure(partner({ switches: { tokenForm: "Raw" } }), {
      method: "GET",
      at: { url: `${base}/` },
      correlationId: "c"
    })
    expect(heard).toHaveLength(1)
    expect(failed).toMatchObject({ _tag: "PartnerFailed", http: 401 })
  })

  it("reports when a busy partner wants to be asked again", async () => {
    answers = [{ status: 429, headers: { "retry-after": "17" }, body: "" }]
    const failed = await failure(partner(), { method: "GET", at: { url: `${base}/` }, correlationId: "c" })
    expect(failed).toMatchObject({ _tag: "PartnerFailed", http: 429, retryAfterMillis: 17_000 })
  })

  it.each([
    ["is suspended", { status: "Suspended" as const }],
    ["has taken its credentials back", { status: "Unregistered" as const, connection: undefined }]
  ])("is not made when the partner %s", async (_, over) => {
    const failed = await failure(partner(over), { method: "GET", at: { url: `${base}/` }, correlationId: "c" })
    expect(failed._tag).toBe("PartnerUnreached")
    expect(heard).toEqual([])
  })

  it("is not made to a module that the partner does not have", async () => {
    const at = { module: "cdrs", role: "RECEIVER" } as const
    const failed = await failure(partner(), { method: "POST", at, body: {}, correlationId: "c" })
    expect(failed._tag).toBe("PartnerUnreached")
    expect(heard).toEqual([])
  })

  it("is repeated with the current token if an outdated one was refused", async () => {
    const refused = { status: 401, body: "" }
    answers = [refused, refused]
    await call(partner(), { ...inTokens, sealedToken: outdated() })
    const tokens = heard.map(({ headers }) => headers.authorization)
    expect(new Set(tokens.slice(0, 2)).size).toBe(2)
    expect(tokens[2]).toBe(`Token ${Buffer.from("their-token").toString("base64")}`)
    expect(tokens).toHaveLength(3)
  })

  it("reads a wait that is given as a date", async () => {
    answers = [{ status: 429, headers: { "retry-after": new Date(Date.now() + 90_000).toUTCString() }, body: "" }]
    const failed = await failure(partner(), { method: "GET", at: { url: `${base}/` }, correlationId: "c" })
    expect(failed).toHaveProperty("retryAfterMillis", expect.closeTo(90_000, -4))
  })
})

describe("an answer of a partner", () => {
  const text = '{"data":[1],"status_code":1000}'
  const asked = { method: "GET", at: { module: "tokens", role: "SENDER" }, correlationId: "c" } as const

  it.each([
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(`\ufeff${text}`)],
    ["GZIP", gzipSync(`\ufeff${text}`)]
  ])("is read in the coding %s, with or without a byte order mark", async (coding, body) => {
    answers = [{ status: 200, headers: { "content-encoding": coding }, body }]
    expect((await call(partner(), asked)).data).toEqual([1])
    expect(heard[0]?.headers["accept-encoding"]).toBe("gzip, br")
    expect(logged[0]?.responseBody).toBe(text)
  })

  it("has a limit of its size when it is unpacked", async () => {
    const body = gzipSync(JSON.stringify({ data: "x".repeat(10_001), status_code: 1000 }))
    answers = [{ status: 200, headers: { "content-encoding": "gzip" }, body }]
    expect(await failure(partner(), asked)).toMatchObject({
      heard: true,
      message: "the answer has more than 10000 bytes when it is unpacked"
    })
  })

  it.each([
    ["zstd", 'the answer has the content coding "zstd", and only gzip, br were asked for'],
    ["gzip", "the compressed answer cannot be unpacked"]
  ])("that is said to be in %s and cannot be read fails with the reason", async (coding, message) => {
    answers = [{ status: 200, headers: { "content-encoding": coding }, body: text }]
    expect(await failure(partner(), asked)).toMatchObject({ heard: true, message })
  })
})

describe("a redirect", () => {
  const put = {
    method: "PUT",
    at: { module: "sessions", role: "RECEIVER", path: ["s1"] },
    body: { id: "s1" },
    correlationId: "c"
  } as const

  it.each([307, 308])("%s to the same server is followed with the method, the body and the token", async (status) => {
    answers = [{ status, headers: { location: "/sessions/s1/?tenant=7" }, body: "" }]
    await call(partner(), put)
    expect(heard.map(({ body, method, url }) => ({ body, method, url }))).toEqual([
      { body: '{"id":"s1"}', method: "PUT", url: "/sessions/s1?tenant=7" },
      { body: '{"id":"s1"}', method: "PUT", url: "/sessions/s1/?tenant=7" }
    ])
    expect(new Set(heard.map(({ headers }) => headers["authorization"])).size).toBe(1)
    const host = base.slice("http://".length)
    expect(logged.map(({ httpStatus, path }) => [httpStatus, path])).toEqual([
      [status, `${host}/sessions/s1?tenant=7`],
      [200, `${host}/sessions/s1/?tenant=7`]
    ])
  })

  it("is followed once, and a second one is named with its target", async () => {
    const loop = { status: 307, headers: { location: "/again" }, body: "" }
    answers = [loop, loop, loop]
    const message = `HTTP 307, a redirect to ${base}/again that is not followed`
    expect(await failure(partner(), put)).toMatchObject({ _tag: "PartnerFailed", http: 307, message })
    expect(heard).toHaveLength(2)
    expect(logged[1]?.error).toBe(message)
  })

  it.each([
    [307, "https://other.example/sessions/s1"],
    [308, "https://user:password@127.0.0.1/sessions"],
    [301, "/sessions/s1/"],
    [302, "/login"],
    [303, "/sessions/s1/"]
  ])("%s to %s is not followed, and the reason names the target", async (status, location) => {
    answers = [{ status, headers: { location }, body: "" }]
    const failed = await failure(partner(), put)
    const shown = new URL(location.replace(":password@", ":***@"), base).href
    expect(failed.message).toBe(`HTTP ${status}, a redirect to ${shown} that is not followed`)
    expect(heard).toHaveLength(1)
  })

  it("of a result's address shows nothing of it but the host", async () => {
    answers = [{ status: 302, headers: { location: "/secret-of-a-command" }, body: "" }]
    const at = { responseUrl: `${base}/secret-of-a-command?x=1` }
    const failed = await failure(partner(), { method: "POST", at, body: {}, correlationId: "c" })
    expect(failed.message).toBe(`HTTP 302, a redirect to ${base}/*** that is not followed`)
    expect(JSON.stringify(logged)).not.toContain("secret-of")
    answers = [{ status: 307, headers: { location: "/another-secret" }, body: "" }]
    await call(partner(), { method: "POST", at, body: {}, correlationId: "c" })
    expect(heard.at(-1)?.url).toBe("/another-secret")
    expect(JSON.stringify(logged)).not.toContain("another-secret")
  })
})
