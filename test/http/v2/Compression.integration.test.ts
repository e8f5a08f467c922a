/** Compression of answers on the wire, from the runtime's own listener: what is compressed, what is not, and that events are not delayed. */
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { World } from "../../cases/World.ts"

const world = new World()

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** A request whose answer is not decoded. `until` ends it before the end of its body. */
const raw = (path: string, headers: Record<string, string>, until?: (body: string) => boolean): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const url = new URL(path, world.rest.base.replace(/\/cpo.*$/, ""))
    const asking = request(url, { headers: { "x-api-key": world.organisation.apiKey, ...headers } }, (answer) => {
      const chunks: Array<Buffer> = []
      const done = () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        if (until?.(Buffer.concat(chunks).toString()) !== true) return
        done()
        asking.destroy()
      })
      answer.on("end", done)
    })
    asking.on("error", reject)
    asking.end()
  })

const sites = "/cpo/v2/sites?limit=50"

beforeAll(async () => {
  for (let n = 0; n < 8; n++) await world.post("sites", { name: `A site with a long name, ${n}` })
})

describe("an answer of more than 1 KiB", () => {
  it("is the same in Brotli, gzip and uncompressed, and names its encoding", async () => {
    const plain = await raw(sites, {})
    expect(plain.body.length).toBeGreaterThan(1024)
    const [br, gzip] = [
      await raw(sites, { "accept-encoding": "gzip, br" }),
      await raw(sites, { "accept-encoding": "gzip" })
    ]
    expect([plain, br, gzip].map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "br", "gzip"])
    for (const { headers } of [plain, br, gzip]) expect(headers["vary"]).toMatch(/accept-encoding/i)
    expect(brotliDecompressSync(br.body).toString()).toBe(plain.body.toString())
    expect(gunzipSync(gzip.body).toString()).toBe(plain.body.toString())
    expect(br.body.length).toBeLessThan(plain.body.length / 2)
  })

  it.each(["identity", "br;q=0, gzip;q=0", "zstd", "nonsense"])("is not compressed for %s", async (accepted) => {
    const { headers } = await raw(sites, { "accept-encoding": accepted })
    expect(headers["content-encoding"]).toBeUndefined()
  })

  it("has a strong ETag for each encoding, which is recognised later", async () => {
    const path = "/cpo/swagger.json"
    expect((await raw(path, { "accept-encoding": "br" })).headers["content-encoding"]).toBe("br")
    const template = {
      keys: Array.from({ length: 60 }, (_, n) => ({ key: `SomeKeyWithALongName${n}`, value: "x" }))
    }
    const base = "/cpo/v2/configuration-template"
    const put = await world.rest.request("PUT", "configuration-template", template)
    expect(put.status).toBe(200)
    const { headers } = await raw(base, { "accept-encoding": "gzip" })
    expect(headers["etag"]).toMatch(/^"[\w.-]+-gzip"$/)
    const again = await raw(base, { "accept-encoding": "gzip", "if-none-match": String(headers["etag"]) })
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  it("is compressed while it is streamed", async () => {
    const path = "/cpo/v2/exports/cdrs.csv"
    const [plain, gzip] = [await raw(path, {}), await raw(path, { "accept-encoding": "gzip" })]
    expect(gzip.headers["content-encoding"]).toBe("gzip")
    expect(gunzipSync(gzip.body).toString()).toBe(plain.body.toString())
  })
})

it("leaves short answers uncompressed", async () => {
  const { body, headers } = await raw("/cpo/v2/statistics", { "accept-encoding": "br, gzip" })
  expect([body.length < 1024, headers["content-encoding"]]).toEqual([true, undefined])
})

it("does not compress or delay events", async () => {
  const { body, headers } = await raw(
    "/cpo/v2/events",
    { "accept-encoding": "br, gzip", accept: "text/event-stream" },
    (text) => text.includes(": connected")
  )
  expect([headers["content-encoding"], headers["content-type"]]).toEqual([undefined, "text/event-stream"])
  expect(body.toString()).toContain("retry:")
})
