/** How many requests a key and how many wrong keys a network may send: what is counted, what is answered, and who is never refused. */
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { afterEach, describe, expect, it } from "vitest"
import { Allowances } from "../../../src/http/Allowances.ts"
import { type Answer, fakeApp } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>> | undefined
afterEach(() => app?.close())

const limited = async (requestsPerMinute: number, wrongKeysPerMinute: number) =>
  (app = await fakeApp({
    v2: {
      rateLimits: { requestsPerMinute, wrongKeysPerMinute, networkOf: ({ headers }) => headers["x-test-network"] ?? "" }
    }
  }))

const sites = "/cpo/v2/sites"
const summaryOf = ({ headers, json, status }: Answer) => [status, headers.get("content-type"), json.code]

describe("a key", () => {
  it("that sends too many requests is refused with a problem document and Retry-After, and other keys are not", async () => {
    const { ask, key, organise } = await limited(3, 0)
    const answers: Array<Answer> = []
    for (let n = 0; n < 4; n++) answers.push(await ask("GET", sites, { key }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    const last = answers[3]!
    expect(summaryOf(last)).toEqual([429, "application/problem+json", "too_many_requests"])
    expect(last.headers.get("ratelimit")).toBe('"requests";r=0;t=60')
    expect(last.headers.get("ratelimit-policy")).toBe('"requests";q=3;w=60')
    // One more request is allowed after a third of a minute.
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(15)
    expect(last.json.retryAfterSeconds).toBe(Number(last.headers.get("retry-after")))
    const other = await organise()
    expect((await ask("GET", sites, { key: other.key })).status).toBe(200)
  })

  it("gets its remaining allowance with every answer, also with errors", async () => {
    const { ask, key } = await limited(10, 0)
    const left: Array<string | null> = []
    for (const path of [sites, `${sites}/none`, "/cpo/v2/chargers?limit=0"]) {
      const { headers } = await ask("GET", path, { key })
      left.push(headers.get("ratelimit"))
      expect(headers.get("ratelimit-policy")).toBe('"requests";q=10;w=60')
    }
    expect(left).toEqual(['"requests";r=9;t=6', '"requests";r=8;t=12', '"requests";r=7;t=18'])
  })

  it("is charged once for a change that also reads the current state", async () => {
    const { ask, key } = await limited(10, 0)
    const body = { name: "A site" }
    const made = await ask("POST", sites, { key, body })
    const { headers } = await ask("PATCH", `${sites}/${made.json.id}`, {
      key,
      body,
      headers: { "if-match": '"stale"' }
    })
    expect(headers.get("ratelimit")).toMatch(/^"requests";r=8;/)
  })

  it("has no limit and no headers if the limit is 0", async () => {
    const { ask, key } = await limited(0, 0)
    const { headers, status } = await ask("GET", sites, { key })
    expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([200, null, null])
  })
})

describe("wrong keys", () => {
  it("are refused with 401, then with 429 per network, while a correct key from there still works", async () => {
    const { ask, key } = await limited(0, 2)
    const from = (network: string) => ({ headers: { "x-test-network": network } })
    const wrong = (network: string) => ask("GET", sites, { key: "vl_wrong", ...from(network) })
    expect([(await wrong("a")).status, (await wrong("a")).status]).toEqual([401, 401])
    const refused = await wrong("a")
    expect(summaryOf(refused)).toEqual([429, "application/problem+json", "too_many_wrong_keys"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(25)
    expect((await wrong("b")).status).toBe(401)
    expect((await ask("GET", sites, { key, ...from("a") })).status).toBe(200)
    // A request without a key does not count as a guess.
    expect((await ask("GET", sites, from("a"))).status).toBe(401)
  })
})

it("counts refused requests by reason, starting from 0", async () => {
  const counted = async () =>
    [
      ...(await Effect.runPromise(PrometheusMetrics.format())).matchAll(
        /^api_requests_limited_total\{why="(\w+)"\} (\d+)$/gm
      )
    ]
      .map(([, why, count]) => [why, Number(count)] as const)
      .toSorted()
  const { ask, key } = await limited(1, 1)
  const before = await counted()
  expect(before.map(([why]) => why)).toEqual(["requests_of_key", "wrong_keys_of_network"])
  await ask("GET", sites, { key })
  await ask("GET", sites, { key })
  for (let n = 0; n < 3; n++) await ask("GET", sites, { key: "vl_wrong" })
  expect((await counted()).map(([, count], i) => count - before[i]![1])).toEqual([1, 2])
})

describe("allowances", () => {
  it("refill evenly, up to the maximum", () => {
    const three = new Allowances(3)
    const takes = (at: ReadonlyArray<number>) => at.map((now) => three.take("a", now).isAllowed)
    expect(takes([0, 0, 0, 0, 19_000, 20_000, 20_001])).toEqual([true, true, true, false, false, true, false])
    expect(takes([10_000_000, 10_000_000, 10_000_000, 10_000_000])).toEqual([true, true, true, false])
  })

  it("are kept for 10,000 names, and the one unused for longest is forgotten", () => {
    const one = new Allowances(1)
    one.take("first", 0)
    for (let n = 0; n < 9_999; n++) one.take(`n${n}`, 0)
    expect([one.size, one.take("first", 0).isAllowed]).toEqual([10_000, false])
    one.take("new", 0)
    expect([one.size, one.take("first", 0).isAllowed, one.take("n0", 0).isAllowed]).toEqual([10_000, false, true])
  })
})

it("A body counts as one more request per 16 KiB, and later requests pay for an excess", async () => {
  const { ask, key } = await limited(10, 0)
  const body = { name: "x".repeat(100_000) }
  expect((await ask("POST", sites, { key, body })).status).toBe(400)
  const next = await ask("GET", sites, { key })
  expect(next.headers.get("ratelimit")).toMatch(/^"requests";r=2;/)
  await ask("POST", sites, { key, body })
  expect((await ask("GET", sites, { key })).status).toBe(429)
})
