/** Fetching partners' tokens, from partners that answer correctly and incorrectly. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Conflict, NotFound } from "../../../src/domain/Errors.ts"
import type { ClientInfo } from "../../../src/domain/roaming/ClientInfo.ts"
import { sameParty } from "../../../src/domain/values/PartyId.ts"
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

const page = (response: ServerResponse, data: unknown, link?: string, headers: Record<string, string> = {}) =>
  response
    .writeHead(200, { ...(link === undefined ? {} : { link: `<${link}>; rel="next"` }), ...headers })
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

/** What hubs report is stored in `reported`. No one else has the parties. */
const hubClients = (reported: Array<ClientInfo>) =>
  Layer.mock(HubClients, {
    put: (_, __, info) => Effect.sync(() => reported.push(info) > 0),
    get: (_, __, party) => {
      const found = reported.find((one) => sameParty(one, party))
      return found === undefined ? new NotFound({ kind: "client", id: "" }) : Effect.succeed(found)
    },
    holder: () => Effect.undefined
  })

/** A hub that offers tokens and the list of the parties behind it. */
const hub = (): Partner => {
  const { connection, ...one } = partner()
  const party = { countryCode: "DE", partyId: "HUB" }
  return {
    ...one,
    expected: { ...party, roles: ["HUB"] },
    connection: {
      ...connection!,
      parties: [{ ...party, role: "HUB", businessDetails: { name: "Hub" } }],
      endpoints: [...connection!.endpoints, { module: "hubclientinfo", role: "SENDER", url: `${base}/hubclientinfo` }]
    }
  }
}

const client = (partyId: string, more: object = {}) => ({
  country_code: "DE",
  party_id: partyId,
  role: "EMSP",
  status: "CONNECTED",
  last_updated: "2026-11-20T08:30:00Z",
  ...more
})

/** Fetches once, as if due. Returns the stored tokens, how it ended and when it is due again. */
const fetchOnce = (
  more: Partial<DuePull> = {},
  options = {},
  { of = partner(), pagesKept = Number.POSITIVE_INFINITY, tokensMax = 1_000 } = {}
) => {
  const reported: Array<ClientInfo> = []
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
      Layer.mock(Partners, { theirToken: () => Effect.succeed(token), get: () => Effect.succeed(of) })
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
    Layer.provide(hubClients(reported)),
    Layer.provide(Layer.mock(Parties, { list: () => Effect.succeed([ours]) })),
    Layer.provide(client),
    Layer.provide(Layer.mock(Exchanges, { record: () => {} })),
    Layer.provide(partners),
    Layer.provide(StoredSecrets.layer(Redacted.make("0123456789abcdef0123456789abcdef")))
  )
  const run = Effect.gen(function* () {
    expect(yield* (yield* TokenFetcher).fetchDue).toBe(true)
    const [{ after, end }] = ends as [(typeof ends)[0]]
    return { kept, end, after, reported }
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
    expect(end).toMatchObject({
      _tag: "Pulled",
      taken: 2,
      unreadable: 3,
      problem: "1 token of parties that are not the partner's, 2 tokens that cannot be read"
    })
  })

  it("reads on by offset if there is no link, and the total says that there is more", async () => {
    const all = Array.from({ length: 5 }, (_, n) => card(`t${n}`))
    answer = ({ searchParams }, response) => {
      const offset = Number(searchParams.get("offset") ?? 0)
      page(response, all.slice(offset, offset + 2), undefined, { "x-total-count": "5", "x-limit": "2" })
    }
    const { end, kept } = await fetchOnce()
    expect(heard).toEqual(["/tokens?limit=100", "/tokens?limit=100&offset=2", "/tokens?limit=100&offset=4"])
    expect(kept).toEqual(["t0", "t1", "t2", "t3", "t4"])
    expect(end).toMatchObject({ _tag: "Pulled", taken: 5, problem: undefined })
  })

  it.each([
    ["repeats its first page", () => [card("a"), card("b")]],
    ["has nothing there", (offset: number) => (offset === 0 ? [card("a"), card("b")] : [])]
  ])("is incomplete if a list without links %s at an offset, and is repeated", async (_, data) => {
    answer = ({ searchParams }, response) =>
      void page(response, data(Number(searchParams.get("offset") ?? 0)), undefined, { "x-total-count": "250" })
    const { end, kept } = await fetchOnce()
    expect(end).toEqual({
      _tag: "Failed",
      problem: "the list is incomplete: 2 of 250 objects, and neither a Link nor an offset leads to the others"
    })
    expect([kept, heard.length]).toEqual([["a", "b"], 2])
  })

  it("believes the last link, and an empty list, whatever the total is", async () => {
    const total = { "x-total-count": "250" }
    answer = ({ search }, response) =>
      void page(response, [card(search)], search.includes("more") ? undefined : "?more=1", total)
    expect((await fetchOnce()).end).toMatchObject({ _tag: "Pulled", taken: 2 })
    answer = (_, response) => void page(response, [], undefined, total)
    expect((await fetchOnce()).end).toMatchObject({ _tag: "Pulled", taken: 0 })
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

describe("fetching a hub's tokens", () => {
  it("reads the parties behind it first, from every page, and accepts their tokens only", async () => {
    answer = ({ pathname, search }, response) => {
      if (pathname === "/tokens") {
        page(
          response,
          ["AAA", "BBB", "CCC", "CCC"].map((party_id, n) => card(`t${n}`, { party_id }))
        )
      } else if (search.includes("more")) page(response, [client("BBB"), { party_id: 7 }])
      else page(response, [client("AAA"), client("CPO", { role: "CPO" })], `${base}/hubclientinfo?more=1`)
    }
    const { end, kept, reported } = await fetchOnce({}, {}, { of: hub() })
    expect(heard).toEqual(["/hubclientinfo?limit=100", "/hubclientinfo?more=1", "/tokens?limit=100"])
    expect(reported.map(({ partyId, role }) => `${partyId} ${role}`)).toEqual(["AAA EMSP", "CPO CPO", "BBB EMSP"])
    expect(kept).toEqual(["t0", "t1"])
    // The next fetch asks for everything again: the dropped tokens do not change when the hub reports their party.
    expect(end).toMatchObject({
      taken: 2,
      unreadable: 2,
      from: undefined,
      problem: "2 tokens of parties the hub has not reported"
    })
  })

  it("fetches them even if the list of parties cannot be read, and says so", async () => {
    answer = ({ pathname }, response) => {
      if (pathname === "/tokens") page(response, [])
      else response.writeHead(500).end("{}")
    }
    const { end } = await fetchOnce({}, {}, { of: hub() })
    expect(end).toMatchObject({
      _tag: "Pulled",
      problem: "the hub's list of parties could not be read: HTTP 500"
    })
  })

  it("does not read the list of a partner that was not invited as a hub, and works without tokens", async () => {
    answer = (_, response) => void page(response, [])
    const { connection, ...one } = hub()
    await fetchOnce({}, {}, { of: { ...one, connection, expected: undefined } })
    expect(heard).toEqual(["/tokens?limit=100"])
    heard = []
    const endpoints = connection!.endpoints.filter(({ module }) => module !== "tokens")
    const { end } = await fetchOnce({}, {}, { of: { ...one, connection: { ...connection!, endpoints } } })
    expect(heard).toEqual(["/hubclientinfo?limit=100"])
    expect(end).toMatchObject({ _tag: "Pulled", taken: 0, problem: undefined })
  })
})
