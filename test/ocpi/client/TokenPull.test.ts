/** Fetching partners' tokens, from partners that answer correctly and incorrectly. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Conflict } from "../../../src/domain/Errors.ts"
import type { Partner } from "../../../src/domain/roaming/Partner.ts"
import type { CpoParty } from "../../../src/domain/roaming/Party.ts"
import { Exchanges } from "../../../src/domain/roaming/Exchanges.ts"
import { HubClients } from "../../../src/domain/roaming/HubClients.ts"
import { Parties } from "../../../src/domain/roaming/Parties.ts"
import { Partners } from "../../../src/domain/roaming/Partners.ts"
import { type DuePull, type PullEnd, RoamingTokens } from "../../../src/domain/token/RoamingTokens.ts"
import { Secrets } from "../../../src/domain/values/Secrets.ts"
import { TokenFetcher } from "../../../src/domain/roaming/TokenFetcher.ts"
import * as PartnerClient from "../../../src/ocpi/client/PartnerClient.ts"
import { defaultPullOptions, layer as pullLayer } from "../../../src/ocpi/client/TokenPull.ts"
import * as StoredSecrets from "../../../src/storage/operators/Secrets.ts"

let heard: Array<string> = []
let answer: (url: URL, response: ServerResponse) => void = () => {}
const server = createServer((request, response) => {
  heard.push(request.url ?? "")
  answer(new URL(request.url ?? "", base), response)
})
let base = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  heard = []
})

const card = (uid: string, more: object = {}) => ({
  country_code: "DE",
  party_id: "EMS",
  uid,
  type: "RFID",
  contract_id: `C-${uid}`,
  issuer: "Example",
  valid: true,
  whitelist: "ALLOWED",
  last_updated: "2026-11-20T08:30:00Z",
  ...more
})

const page = (response: ServerResponse, data: unknown, link?: string) =>
  response
    .writeHead(200, link === undefined ? {} : { link: `<${link}>; rel="next"` })
    .end(JSON.stringify({ data, status_code: 1000, timestamp: "2026-11-20T08:30:00Z" }))

const ours: CpoParty = {
  id: "party",
  organisationId: "o1",
  countryCode: "NL",
  partyId: "VLT",
  businessDetails: { name: "Voltlane" },
  isDefault: true,
  createdAt: 0
}

const partner = (): Partner => ({
  id: "p1",
  organisationId: "o1",
  name: "Example Mobility",
  status: "Registered",
  expected: undefined,
  switches: {},
  connection: {
    version: "2.2.1",
    versionsUrl: `${base}/versions`,
    tokenForm: "Base64",
    parties: [{ role: "EMSP", countryCode: "DE", partyId: "EMS", businessDetails: { name: "Example" } }],
    endpoints: [{ module: "tokens", role: "SENDER", url: `${base}/tokens` }],
    registeredAt: 0
  },
  createdAt: 0,
  updatedAt: 0
})

/** Fetches once, as if due. Returns the stored tokens, how it ended and when it is due again. */
const fetchOnce = (
  more: Partial<DuePull> = {},
  options = {},
  { pagesKept = Number.POSITIVE_INFINITY, tokensMax = 1_000 } = {}
) => {
  const kept: Array<string> = []
  const ends: Array<{ readonly end: PullEnd; readonly after: number }> = []
  const due: DuePull = {
    organisationId: "o1",
    partnerId: "p1",
    registeredAt: 0,
    from: undefined,
    failures: 0,
    ...more
  }
  let pages = 0
  const tokens = Layer.mock(RoamingTokens, {
    takeDuePull: () => Effect.succeed(due),
    keepPull: () => Effect.sync(() => ++pages <= pagesKept),
    endPull: (_, end, dueAt, now) => Effect.sync(() => void ends.push({ end, after: dueAt - now })),
    put: (_, all) =>
      Effect.suspend(() => {
        if (kept.length + all.length > tokensMax) return new Conflict({ code: "too_many_tokens", message: "too many" })
        kept.push(...all.map(({ uid }) => uid))
        return Effect.succeed(all.map(() => "Created" as const))
      })
  })
  const sealed = Effect.map(Secrets, (secrets) => secrets.seal("partner-token", "their-token"))
  const partners = Layer.unwrap(
    Effect.map(sealed, (token) =>
      Layer.mock(Partners, { theirToken: () => Effect.succeed(token), get: () => Effect.succeed(partner()) })
    )
  )
  const client = PartnerClient.layer({
    allowPrivate: true,
    timeoutMillis: 2_000,
    maxResponseBytes: 100_000,
    idleMillis: 1_000,
    maxPerPlace: 2
  })
  const services = pullLayer({ ...defaultPullOptions, ...options }).pipe(
    Layer.provide(tokens),
    Layer.provide(Layer.mock(HubClients, {})),
    Layer.provide(Layer.mock(Parties, { list: () => Effect.succeed([ours]) })),
    Layer.provide(client),
    Layer.provide(Layer.mock(Exchanges, { record: () => {} })),
    Layer.provide(partners),
    Layer.provide(StoredSecrets.layer(Redacted.make("0123456789abcdef0123456789abcdef")))
  )
  const run = Effect.gen(function* () {
    expect(yield* (yield* TokenFetcher).fetchDue).toBe(true)
    const [{ after, end }] = ends as [(typeof ends)[0]]
    return { kept, end, after }
  })
  return Effect.runPromise(Effect.provide(run, services))
}

const hour = 3_600_000

describe("fetching a partner's tokens", () => {
  it("reads every page, one after the other, and repeats this some hours later", async () => {
    answer = ({ searchParams }, response) => {
      const n = Number(searchParams.get("offset") ?? 0)
      page(response, [card(`a${n}`), card(`b${n}`)], n < 4 ? `${base}/tokens?offset=${n + 2}&limit=2` : undefined)
    }
    const { after, end, kept } = await fetchOnce()
    expect(heard).toEqual(["/tokens?limit=100", "/tokens?offset=2&limit=2", "/tokens?offset=4&limit=2"])
    expect(kept).toEqual(["a0", "b0", "a2", "b2", "a4", "b4"])
    expect(end).toMatchObject({ _tag: "Pulled", taken: 6, unreadable: 0 })
    expect(after).toBeGreaterThanOrEqual(4 * hour)
    expect(after).toBeLessThanOrEqual(5 * hour)
  })

  it("asks for changes since a few minutes before the last time", async () => {
    answer = (_, response) => void page(response, [])
    await fetchOnce({ from: Date.UTC(2026, 10, 20, 9) })
    expect(heard).toEqual(["/tokens?limit=100&date_from=2026-11-20T08%3A45%3A00Z"])
  })

  it.each([
    ["null", null],
    ["an object", {}],
    ["nothing", undefined]
  ])("reads %s as an empty list", async (_, data) => {
    answer = (__, response) => void page(response, data)
    expect((await fetchOnce()).end).toMatchObject({ _tag: "Pulled", taken: 0 })
  })

  it("stores the readable tokens of the partner's own parties", async () => {
    answer = (_, response) =>
      void page(response, [card("good"), { uid: "bad" }, 7, card("foreign", { party_id: "XYZ" }), card("too")])
    const { end, kept } = await fetchOnce()
    expect(kept).toEqual(["good", "too"])
    expect(end).toMatchObject({ _tag: "Pulled", taken: 2, unreadable: 3 })
  })

  it("follows a relative link, but no link to another host", async () => {
    answer = ({ search }, response) => page(response, [card("x")], search.includes("more") ? undefined : "?more=1")
    expect((await fetchOnce()).end).toMatchObject({ _tag: "Pulled", taken: 2 })
    heard = []
    answer = (_, response) => void page(response, [card("x")], "http://169.254.169.254/latest/meta-data")
    const { end, kept } = await fetchOnce()
    expect(end).toMatchObject({ _tag: "Failed", problem: expect.stringContaining("another host") })
    expect([kept, heard]).toEqual([["x"], ["/tokens?limit=100"]])
  })

  it.each([
    ["whose next page is itself", () => `${base}/tokens?limit=100`],
    ["that repeats in a circle", (url: URL) => `${base}/tokens?n=${(Number(url.searchParams.get("n") ?? 0) + 1) % 3}`]
  ])("stops at a list %s", async (_, next) => {
    answer = (url, response) => void page(response, [card("x")], next(url))
    expect((await fetchOnce()).end).toMatchObject({ _tag: "Failed", problem: expect.stringContaining("already") })
    expect(heard.length).toBeLessThan(6)
  })

  it("stops after the maximum number of pages", async () => {
    let n = 0
    answer = (_, response) => void page(response, [], `${base}/tokens?n=${n++}`)
    const { end } = await fetchOnce({}, { pagesMax: 20 })
    expect(end).toMatchObject({ _tag: "Failed", problem: expect.stringContaining("20 pages") })
    expect(heard).toHaveLength(20)
  })

  it("stops when the partner has too many tokens, and keeps those before the limit", async () => {
    let n = 0
    answer = (_, response) => void page(response, [card(`n${n}`)], `${base}/tokens?n=${n++}`)
    const { after, end, kept } = await fetchOnce({}, {}, { tokensMax: 3 })
    expect(end).toEqual({ _tag: "Failed", problem: "too many" })
    expect([kept, heard.length]).toEqual([["n0", "n1", "n2"], 4])
    expect(after).toBeGreaterThanOrEqual(60_000)
  })

  it("stops when the partner registers anew meanwhile, and stores nothing that arrives after that", async () => {
    let n = 0
    answer = (_, response) => void page(response, [card(`n${n}`)], `${base}/tokens?n=${n++}`)
    const { end, kept } = await fetchOnce({}, {}, { pagesKept: 2 })
    expect(end).toMatchObject({ _tag: "Failed", problem: expect.stringContaining("registered anew") })
    expect([kept, heard.length]).toEqual([["n0", "n1"], 3])
  })

  it("stops at a page that is too large", async () => {
    answer = (_, response) => {
      const more = () => void (response.destroyed || response.write("x".repeat(50_000), () => setImmediate(more)))
      response.writeHead(200)
      more()
    }
    const { end } = await fetchOnce()
    expect(end).toMatchObject({ _tag: "Failed", problem: expect.stringContaining("100000 bytes") })
  })

  it.each([
    ["an error", (response: ServerResponse) => void response.writeHead(500).end("{}")],
    ["no JSON", (response: ServerResponse) => void response.writeHead(200).end("<html>")],
    ["a single token", (response: ServerResponse) => void page(response, card("x"))],
    ["nothing", (response: ServerResponse) => void response.destroy()]
  ])("tries again soon after %s, with growing delays", async (_, fault) => {
    answer = (__, response) => fault(response)
    const first = await fetchOnce()
    expect([first.end._tag, first.kept]).toEqual(["Failed", []])
    expect(first.after).toBeGreaterThanOrEqual(60_000)
    expect(first.after).toBeLessThanOrEqual(75_000)
    const tenth = await fetchOnce({ failures: 9 })
    expect(tenth.after).toBeGreaterThanOrEqual(hour)
  })
})
