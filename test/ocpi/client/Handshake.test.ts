/** Finding out where a partner's modules are, of one whose lists have more in them than modules. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { discover } from "../../../src/ocpi/client/Handshake.ts"

let endpoints: ReadonlyArray<unknown> = []
const server = createServer((request, response) => {
  const data = request.url === "/versions" ? [{ version: "2.2.1", url: `${base}/2.2.1` }] : { endpoints }
  response.writeHead(200).end(JSON.stringify({ data, status_code: 1000, timestamp: "2026-11-20T08:30:00Z" }))
})
let base = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

it("a module whose name no key of a log holds is none, and keeps nobody from the others", async () => {
  const url = "https://partner.example/module"
  const tokens = { identifier: "tokens", role: "SENDER", url }
  const long = { identifier: "\u4e00".repeat(256), role: "SENDER", url }
  const own = { identifier: "\u4e00".repeat(255), role: "SENDER", url }
  endpoints = [long, tokens, own, { identifier: "bad\0", role: "SENDER", url }, 7]
  const access = { token: "their-token", form: "Base64", isFixed: true } as const
  const options = { allowPrivate: true, timeoutMillis: 2_000, maxResponseBytes: 100_000, newId: () => "id" }
  const found = await Effect.runPromise(discover(`${base}/versions`, undefined, access, "story", options))
  expect("endpoints" in found && found.endpoints.map(({ module }) => module)).toEqual(["tokens", own.identifier])
})
