/** Cross-origin requests: only pages of origins that the operator has configured may call REST v2 and read its answers. */
import { afterEach, describe, expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>> | undefined
afterEach(() => app?.close())

const opened = async (...corsOrigins: ReadonlyArray<string>) => (app = await fakeApp({ v2: { corsOrigins } }))

const ours = "https://console.example"
const sites = "/cpo/v2/sites"
const preflight = (origin: string) => ({
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "x-api-key,content-type"
  }
})
const grants = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

describe("with configured origins", () => {
  it("allows a page of one to send every request of the path and read the headers that programs need", async () => {
    const { ask, key } = await opened(ours, "http://localhost:5173")
    const allowed = await ask("OPTIONS", sites, preflight(ours))
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, ours])
    expect(allowed.headers.get("access-control-allow-methods")).toContain("POST")
    for (const name of ["x-api-key", "content-type", "idempotency-key", "if-match", "if-none-match"])
      expect(allowed.headers.get("access-control-allow-headers")?.split(", ")).toContain(name)
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull()
    const { headers } = await ask("GET", sites, { key, headers: { origin: "http://localhost:5173" } })
    expect(headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
    expect(headers.get("vary")?.split(", ")).toEqual(expect.arrayContaining(["Origin", "Accept-Encoding"]))
    for (const name of ["etag", "link", "ratelimit", "ratelimit-policy", "retry-after", "location"])
      expect(headers.get("access-control-expose-headers")?.split(", ")).toContain(name)
  })

  it("lets such a page read refusals too", async () => {
    const { ask } = await opened(ours)
    for (const path of [sites, "/cpo/v2/none"]) {
      const { headers } = await ask("GET", path, { headers: { origin: ours } })
      expect(headers.get("access-control-allow-origin")).toBe(ours)
    }
  })

  it.each(["https://evil.example", "https://console.example.evil.example", "http://console.example", "null"])(
    "grants nothing to a page of %s",
    async (origin) => {
      const { ask, key } = await opened(ours)
      expect(grants((await ask("OPTIONS", sites, preflight(origin))).headers)).toEqual([])
      const { headers } = await ask("GET", sites, { key, headers: { origin } })
      // Without Vary, an answer cached by address alone would be given to a page that is allowed to read it.
      expect([grants(headers), headers.get("vary")]).toEqual([[], expect.stringContaining("Origin")])
    }
  )

  it("grants nothing in REST v1", async () => {
    const { ask } = await opened(ours)
    expect(grants((await ask("GET", "/api/statistics", { headers: { origin: ours } })).headers)).toEqual([])
  })
})

it("allows every page if the origins are *", async () => {
  const { ask, key } = await opened("*")
  const { headers } = await ask("GET", sites, { key, headers: { origin: "https://any.example" } })
  expect(headers.get("access-control-allow-origin")).toBe("*")
})

it("allows no page without configured origins", async () => {
  const { ask, key } = await opened()
  expect(grants((await ask("OPTIONS", sites, preflight(ours))).headers)).toEqual([])
  const { headers } = await ask("GET", sites, { key, headers: { origin: ours } })
  expect([grants(headers), headers.get("vary")?.includes("Origin") ?? false]).toEqual([[], false])
})
