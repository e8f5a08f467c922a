/** Bodies of up to a mebibyte that are made of brackets or of unknown fields: refused before they are parsed, on every face. */
import { afterEach, expect, it } from "vitest"
import { fakeApp } from "../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>> | undefined
afterEach(() => app?.close())

const bodies = {
  "brackets that never close": "[".repeat(900_000),
  "nested arrays": "[".repeat(400_000) + "]".repeat(400_000),
  "empty objects": `[${Array.from({ length: 300_000 }, () => "{}").join(",")}]`,
  "unknown fields": `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":1`).join(",")}}`
}

it.each(Object.entries(bodies))("%s are refused at once", async (_, raw) => {
  app = await fakeApp({ allowHttp: true })
  const began = performance.now()
  const v2 = await app.ask("POST", "/cpo/v2/sites", { key: app.key, raw })
  const took = performance.now() - began
  expect([v2.status, v2.json.code]).toEqual([413, "payload_too_large"])
  expect(v2.json.detail).toContain("32 levels")
  const v1 = await app.ask("POST", `/api/group/add?clientId=${app.own.clientId}&code=${app.own.code}`, { raw })
  expect(v1.status).toBe(413)
  // Parsing and refusing one took 80 ms and more before; a busy machine gets some room.
  expect(took).toBeLessThan(60)
})
