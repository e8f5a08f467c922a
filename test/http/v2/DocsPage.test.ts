/** The documentation page: small, self-contained, found under any address, and allowed by a strict content security policy. */
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import { fakeApp } from "../../support/restApp.ts"

type App = Awaited<ReturnType<typeof fakeApp>>
let app: App
let html: string
let assets: ReadonlyArray<string>

/** The URL at which a browser finds a reference of the page that was opened at some address. */
const found = (reference: string, page: string): URL => new URL(reference, page)

beforeAll(async () => {
  app = await fakeApp()
  html = (await app.ask("GET", "/cpo/docs")).text
  const named = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, reference = ""]) => reference)
  const own = named.filter((reference) => /\.(?:js|css)$/.test(reference))
  const scripts = own.filter((reference) => reference.endsWith(".js"))
  const imported = await Promise.all(
    scripts.map(async (reference) => {
      const { text } = await app.ask("GET", found(reference, "https://any.example/cpo/docs").pathname)
      return [...text.matchAll(/ from "\.\/([^"]+)"/g)].map(([, name = ""]) => reference.replace(/[^/]+$/, name))
    })
  )
  assets = [...new Set([...own, ...imported.flat()])]
})
afterAll(() => app.close())

it("redirects an address with a trailing slash, behind any proxy prefix", async () => {
  const slash = await app.ask("GET", "/cpo/docs/")
  expect([slash.status, found(slash.headers.get("location") ?? "", "https://any.example/volt/cpo/docs/").href]).toEqual(
    [308, "https://any.example/volt/cpo/docs"]
  )
})

it("is served with a policy that forbids inline code, and contains none", async () => {
  const page = await app.ask("GET", "/cpo/docs")
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  const policy = page.headers.get("content-security-policy") ?? ""
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:/i)
  for (const asset of assets.filter((name) => name.endsWith(".js"))) {
    const { text } = await app.ask("GET", found(asset, "https://any.example/cpo/docs").pathname)
    expect(text, asset).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.style\b/
    )
  }
})

it("refers to its assets by relative addresses and loads nothing from elsewhere", async () => {
  expect(assets.length).toBe(5)
  const texts = await Promise.all(
    assets.map(async (asset) => {
      expect(asset).toMatch(/^docs\/[0-9a-f]{12}\/[a-z]+\.(?:js|css)$/)
      expect(found(asset, "https://any.example/volt/cpo/docs").pathname.startsWith("/volt/cpo/docs/")).toBe(true)
      const file = await app.ask("GET", `/cpo/${asset}`)
      const kind = asset.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
      expect([file.status, file.headers.get("content-type")]).toEqual([200, kind])
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(file.headers.get("x-content-type-options")).toBe("nosniff")
      return file.text
    })
  )
  for (const text of [html, ...texts]) expect(text).not.toMatch(/https?:\/\//)
  expect(texts.join("\n")).toContain('at: "swagger.json"')
})

it("has less than 300 kB when compressed, with the OpenAPI document that it shows", async () => {
  const paths = ["/cpo/docs", "/cpo/swagger.json", ...assets.map((asset) => `/cpo/${asset}`)]
  const texts = await Promise.all(paths.map(async (path) => (await app.ask("GET", path)).text))
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
  expect(bytes).toBeLessThan(300_000)
})

it("can use every operation's name as the end of an address", async () => {
  const { paths } = (await app.ask("GET", "/cpo/swagger.json")).json
  const names = Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId)
  )
  expect(names.filter((name) => encodeURIComponent(name) !== name)).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})
