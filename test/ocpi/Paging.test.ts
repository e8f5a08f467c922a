import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { windowOf } from "../../src/domain/values/Window.ts"
import { pageReply, readWindow } from "../../src/ocpi/modules/Paging.ts"
import { refusalOf, type Refused } from "../../src/ocpi/protocol/Status.ts"
import { factsOf } from "../../src/ocpi/protocol/Version.ts"

const read = (query: string) => Effect.runSync(Effect.result(readWindow({ query: new URLSearchParams(query) })))
const windowFrom = (query: string) => Effect.runSync(readWindow({ query: new URLSearchParams(query) }))
const at = (text: string) => Date.parse(text)

describe("the window of a query", () => {
  it("is the first fifty items by default", () => {
    expect(windowFrom("")).toEqual({ from: undefined, to: undefined, offset: 0, limit: 50 })
  })

  it.each([
    ["limit=7", 7],
    ["limit=100", 100],
    ["limit=5000", 100],
    ["limit=", 50]
  ])("of %s has %i items", (query, limit) => {
    expect(windowFrom(query).limit).toBe(limit)
  })

  it.each([
    ["2026-11-20T08:30:00Z", "2026-11-20T08:30:00Z"],
    ["2026-11-20T08:30:00", "2026-11-20T08:30:00Z"],
    ["2026-11-20T08:30:00.123456789z", "2026-11-20T08:30:00.123Z"],
    ["2026-11-20T09:30:00%2B01:00", "2026-11-20T08:30:00Z"],
    ["2026-11-20T09:30:00+01:00", "2026-11-20T08:30:00Z"],
    ["2026-11-20", "2026-11-20T00:00:00Z"]
  ])("reads the date %s", (text, means) => {
    expect(windowFrom(`date_from=${text}&date_to=${text}`)).toMatchObject({ from: at(means), to: at(means) })
  })

  it.each(["offset=x", "offset=-1", "offset=1.5", "limit=0", "limit=ten", "date_from=yesterday", "date_to=2026-02-30"])(
    "refuses %s as HTTP 400 with 2001",
    (query) => {
      const refused = read(query)
      expect(refused._tag).toBe("Failure")
      const { reason } = (refused as { readonly failure: Refused }).failure
      expect(refusalOf(reason, 2004)).toMatchObject({ http: 400, status: 2001 })
    }
  )
})

describe("a page", () => {
  const items = Array.from({ length: 120 }, (_, i) => i)
  const page = (query: string, version: "2.1.1" | "2.2.1" = "2.2.1") => {
    const exchange = { facts: factsOf(version), query: new URLSearchParams(query) }
    const window = windowFrom(query)
    const place = { base: "https://roaming.example/ocpi", module: "locations" } as const
    return Effect.runSync(pageReply(exchange, place, window, windowOf(items, window), (item) => `#${item}`))
  }

  it("never states a smaller total than its own position and length, even if items were added after counting", () => {
    const exchange = { facts: factsOf("2.2.1"), query: new URLSearchParams("offset=3") }
    const place = { base: "https://roaming.example/ocpi", module: "cdrs" } as const
    const reply = Effect.runSync(
      pageReply(exchange, place, windowFrom("offset=3"), { items: [1, 2], total: 3 }, String)
    )
    expect(reply.headers?.["x-total-count"]).toBe("5")
    const beyond = Effect.runSync(pageReply(exchange, place, windowFrom("offset=9"), { items: [], total: 3 }, String))
    expect(beyond.headers?.["x-total-count"]).toBe("3")
  })

  it("has the total count, the maximum limit, and a link to the next page with every filter", () => {
    const reply = page("date_from=2026-01-01T00:00:00Z&offset=10&limit=20&date_to=2027-01-01T00:00:00Z")
    expect(reply.data).toEqual(items.slice(10, 30).map((item) => `#${item}`))
    expect(reply.headers?.["x-total-count"]).toBe("120")
    expect(reply.headers?.["x-limit"]).toBe("100")
    const link = /^<(.*)>; rel="next"$/.exec(reply.headers?.["link"] ?? "")?.[1] ?? ""
    const next = new URL(link)
    expect(next.origin + next.pathname).toBe("https://roaming.example/ocpi/2.2.1/locations")
    expect(Object.fromEntries(next.searchParams)).toEqual({
      date_from: "2026-01-01T00:00:00Z",
      date_to: "2027-01-01T00:00:00Z",
      offset: "30",
      limit: "20"
    })
  })

  it("leads to all items exactly once, and the last page has no Link", () => {
    const seen: Array<unknown> = []
    let query: string | undefined = "limit=50"
    let pages = 0
    while (query !== undefined) {
      const { data, headers } = page(query, "2.1.1")
      seen.push(...(data as ReadonlyArray<unknown>))
      pages++
      query =
        headers?.["link"] === undefined ? undefined : /^<.*\/2\.1\.1\/cpo\/locations\?(.*)>/.exec(headers["link"])?.[1]
    }
    expect(pages).toBe(3)
    expect(seen).toEqual(items.map((item) => `#${item}`))
  })

  it("links with our limit if the requested one is larger", () => {
    expect(page("limit=1000").headers?.["link"]).toContain("?limit=100&offset=100>")
  })

  it("is empty after the end, and has no Link", () => {
    const { data, headers } = page("offset=120")
    expect(data).toEqual([])
    expect(headers).toEqual({ "x-total-count": "120", "x-limit": "100" })
  })
})
