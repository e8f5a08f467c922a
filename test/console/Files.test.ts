/** How the console's files are sent: compressed once, cached for good if their name has a hash, under a policy that lets no other script run. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import { policy, routes, sections } from "../../src/http/console/Files.ts"
import { builtConsole } from "./built.ts"

const serving = (folder: string, mapTiles?: string) => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    Layer.provide(routes(folder, mapTiles), HttpServer.layerServices),
    {
      disableLogger: true
    }
  )
  const ask = (path: string, headers: Record<string, string> = {}) =>
    handler(new Request(`https://cpo.example${path}`, { headers }))
  return { ask, dispose }
}

let app: ReturnType<typeof serving>
let html: string
let scripts: ReadonlyArray<string>
beforeAll(async () => {
  app = serving(builtConsole())
  html = await (await app.ask("/")).text()
  scripts = [...html.matchAll(/(?:src|href)="(\/a\/[^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path)
})
afterAll(() => app.dispose())

it("sends the document at / and at every page's address, since the console does its own routing", async () => {
  for (const path of ["/", ...sections.map((section) => `/${section}`), "/chargers/SE-1", "/settings/developer"]) {
    const answer = await app.ask(path)
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"])
    expect(await answer.text(), path).toBe(html)
    expect(answer.headers.get("cache-control")).toBe("no-cache")
  }
})

it("sends a policy that lets only the console's own files run, and a document that complies with it", async () => {
  const answer = await app.ask("/")
  expect(answer.headers.get("content-security-policy")).toBe(policy())
  expect(policy()).not.toMatch(/unsafe|\*|https?:/)
  expect(policy()).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/i)
})

it("allows images from the host of the street tiles, and nothing else from another host", async () => {
  const withTiles = serving(builtConsole(), "https://tiles.example:8443/street/{z}/{x}/{y}.png?key=ours")
  const header = (await withTiles.ask("/sites")).headers.get("content-security-policy") ?? ""
  expect(header).toBe(policy().replace("img-src 'self' data:", "img-src 'self' data: https://tiles.example:8443"))
  expect(header.match(/https?:[^ ;]*/g)).toEqual(["https://tiles.example:8443"])
  await withTiles.dispose()
})

it("sends brotli, gzip or plain as the browser accepts it, each with the same content", async () => {
  let large = 0
  for (const path of scripts) {
    const plain = await app.ask(path, { "accept-encoding": "identity" })
    const text = Buffer.from(await plain.arrayBuffer())
    // Smaller files gain nothing, and are not compressed.
    if (text.length < 512) continue
    large++
    expect(plain.headers.get("content-encoding"), path).toBe(null)
    const br = await app.ask(path, { "accept-encoding": "gzip, deflate, br" })
    expect(br.headers.get("content-encoding")).toBe("br")
    expect(brotliDecompressSync(Buffer.from(await br.arrayBuffer())).equals(text)).toBe(true)
    const gzip = await app.ask(path, { "accept-encoding": "gzip" })
    expect(gzip.headers.get("content-encoding")).toBe("gzip")
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).equals(text)).toBe(true)
    expect(gzip.headers.get("vary")).toBe("accept-encoding")
  }
  expect(large).toBeGreaterThan(1)
})

it("lets browsers cache files with a hash in their name for good, and answers 304 to a matching etag", async () => {
  const answer = await app.ask(scripts[0]!)
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
  const again = await app.ask(scripts[0]!, { "if-none-match": answer.headers.get("etag") ?? "" })
  expect([again.status, await again.text()]).toEqual([304, ""])
})

it("answers 404 for a missing file, and sends nothing from outside the folder", async () => {
  for (const path of ["/a/gone.js", "/a/../index.html", "/a/%2e%2e/index.html", "/a/..%2f..%2fpackage.json"]) {
    const answer = await app.ask(path)
    expect([path, answer.status === 404 || (await answer.text()) === html]).toEqual([path, true])
  }
  expect((await app.ask("/a/gone.js")).status).toBe(404)
})

it("says how to build the console if it was not built", async () => {
  const empty = serving(mkdtempSync(join(tmpdir(), "no-console-")))
  const answer = await empty.ask("/chargers")
  expect([answer.status, answer.headers.get("content-type")?.split(";", 1)[0]]).toEqual([200, "text/plain"])
  expect(await answer.text()).toContain('Run "npm run console"')
  await Effect.runPromise(Effect.promise(() => empty.dispose()))
})
