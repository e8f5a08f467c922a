/** With TLS, people use https only: what the plain port answers to browsers, and what browsers learn over TLS. */
import { createServer } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { isConsole } from "../../src/http/console/Files.ts"
import { plainPort } from "../../src/main/PlainPort.ts"
import { fakeApp } from "../support/restApp.ts"

const answersPlain = plainPort({
  publicUrl: "https://charging.example:8443",
  isSecure: ({ headers }) => headers["x-test-secure"] === "yes",
  isConsole
})
const server = createServer((request, response) => {
  const path = (request.url ?? "").split("?", 1)[0] ?? ""
  if (!answersPlain(request, response, path)) response.end("served")
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

/** The whole answer to a request, as it went over the wire. */
const heard = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => void (text += String(chunk)))
    socket.on("close", () => resolve(text))
    const all = { Host: "charging.example", Connection: "close", ...headers }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`)
  })

describe("a request over plain http", () => {
  it.each(["/", "/sign-in", "/chargers/CP-1?tab=log", "/reset", "/a/index.js", "/theme.js"])(
    "for %s of the console leads to its https address",
    async (path) => {
      const answer = await heard("GET", path)
      expect(answer).toMatch(/^HTTP\/1\.1 308 /)
      expect(answer).toContain(`\r\nlocation: https://charging.example:8443${path}\r\n`)
    }
  )

  it.each([
    "/cpo/v2/sites",
    "/ocpi/versions",
    "/api/charger/CP-1",
    "/metrics",
    "/ocpp/CP-1",
    "/files/up/token",
    "/chargersx"
  ])("for %s is served", async (path) => {
    expect(await heard("GET", path)).toMatch(/^HTTP\/1\.1 200 [^]*served$/)
  })
})

describe("an answer over TLS", () => {
  it("instructs browsers to use nothing else, unless the host is an address or localhost", async () => {
    const secure = { "x-test-secure": "yes" }
    expect(await heard("GET", "/sign-in", secure)).toMatch(/\r\nstrict-transport-security: max-age=15552000\r\n/i)
    for (const Host of ["localhost:8443", "10.1.2.3", "[::1]:8443", "demo.localhost"]) {
      expect(await heard("GET", "/", { ...secure, Host }), Host).not.toMatch(/strict-transport/i)
    }
    expect(await heard("GET", "/cpo/v2/sites")).not.toMatch(/strict-transport/i)
  })
})

describe("over plain http, where the service has TLS", () => {
  let app: Awaited<ReturnType<typeof fakeApp>> | undefined
  afterEach(() => app?.close())

  it("no one can sign in and no cookie counts, and keys work", async () => {
    app = await fakeApp({ v2: { isUnencrypted: ({ headers }) => headers["x-test-plain"] === "yes" } })
    const { ask, key } = app
    const plain = { "x-test-plain": "yes", "sec-fetch-site": "same-origin" }
    const body = { email: "a@example.com", password: "a long password" }
    for (const path of [
      "sign-ins",
      "sign-ins/passkey-challenges",
      "sign-ins/passkeys",
      "invitations/accept",
      "set-up"
    ]) {
      const answer = await ask("POST", `/cpo/v2/${path}`, { headers: plain, body })
      expect([answer.status, answer.json?.code], path).toEqual([403, "https_required"])
    }
    const cookie = { ...plain, cookie: `__Host-voltlane=${"a".repeat(43)}` }
    const known = await ask("GET", "/cpo/v2/me", { headers: cookie })
    expect([known.status, known.json.code]).toEqual([403, "https_required"])
    expect((await ask("GET", "/cpo/v2/sites", { key, headers: plain })).status).toBe(200)
  })
})
