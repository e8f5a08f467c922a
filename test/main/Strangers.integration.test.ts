/** What callers without credentials may use, who is not affected when they have used it up, and answers that are sent without being routed. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { WebSocket, WebSocketServer } from "ws"
import { expect, it } from "vitest"
import { CredentialsProved } from "../../src/domain/operator/WrongCredentials.ts"
import { ready, ReadyAnswers } from "../../src/http/Ready.ts"
import * as Metrics from "../../src/http/ops/Metrics.ts"
import { type Listener, open } from "../../src/main/Listeners.ts"

const strangers = {
  networkMillisPerSecond: 1,
  millisPerSecond: 2,
  connectionsPerNetwork: 100,
  connections: 100,
  checksCredentials: (path: string) => path.startsWith("/cpo/v2/"),
  originOf: ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => ({
    network: String(headers["x-test-network"]),
    isForwarded: headers["x-test-network"] === "proxied"
  })
}

const options = {
  host: "127.0.0.1",
  port: 0,
  tls: undefined,
  headersTimeoutMillis: 10_000,
  requestTimeoutMillis: 10_000,
  transferTimeoutMillis: 60_000,
  unreadAnswerMillis: 60_000,
  slowestReaderBytesPerSecond: 8192
}

const page = "A page. ".repeat(1_000)

/** Counts the requests that are routed. */
const served = (routed: Array<string>) =>
  Layer.merge(
    Metrics.routes,
    HttpRouter.use((router) =>
      Effect.gen(function* () {
        const offer = yield* ReadyAnswers
        offer("/page", ready(page, "text/plain"))
        const proved = yield* CredentialsProved
        const answer = (name: string) =>
          Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, source }) => {
            routed.push(name)
            if (headers["x-api-key"] === "right") proved(source)
            return HttpServerResponse.text(name)
          })
        yield* router.add("GET", "/cpo/v2/sites", answer("sites"))
        yield* router.add("GET", "/status", answer("status"))
        yield* router.add("GET", "/page", answer("page"))
      })
    )
  )

const withListener = (
  limits: Partial<typeof strangers>,
  use: (listener: Listener, routed: ReadonlyArray<string>) => Promise<void>
): Promise<void> => {
  const routed: Array<string> = []
  return Effect.gen(function* () {
    const [listener] = yield* open({ ...options, strangers: { ...strangers, ...limits } }, served(routed))
    if (listener !== undefined) yield* Effect.promise(() => use(listener, routed))
  }).pipe(Effect.provide(NodeHttpServer.layerHttpServices), Effect.scoped, Effect.runPromise)
}

const ask = (port: number, path: string, network: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-test-network": network, ...headers } })

/** The first refusal, and how many requests were answered before it. On a slow machine the shares are refilled meanwhile. */
const firstRefusal = async (port: number, networkOf: (n: number) => string) => {
  for (let answered = 0; ; answered++) {
    const refused = await ask(port, "/cpo/v2/sites", networkOf(answered))
    if (refused.status === 429) return { answered, refused }
  }
}

it("refuses strangers of a network that has used its share, and no one else", () =>
  withListener({}, async ({ port }) => {
    expect((await ask(port, "/cpo/v2/sites", "one", { "x-api-key": "right" })).status).toBe(200)
    const { answered, refused } = await firstRefusal(port, () => "one")
    expect(answered).toBeGreaterThanOrEqual(3)
    expect(refused.headers.get("content-type")).toBe("application/problem+json")
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ status: 429, code: "too_many_requests", instance: "/cpo/v2/sites" })
    expect((await ask(port, "/cpo/v2/sites", "one", { "x-api-key": "right" })).status).toBe(200)
    expect((await ask(port, "/metrics", "one")).status).toBe(200)
    expect((await ask(port, "/cpo/v2/sites", "other")).status).toBe(200)
  }))

it("counts requests with credentials until they have proved right, and then no more", () =>
  withListener({ networkMillisPerSecond: 100 }, async ({ port }) => {
    const asked = async (key: string, network: (n: number) => string) => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => ask(port, "/cpo/v2/sites", network(n), { "x-api-key": key }))
      )
      return answers.filter(({ status }) => status === 429).length
    }
    // All networks together have used their share of requests with credentials; that without is another.
    expect(await asked("wrong", (n) => `network ${n}`)).toBeGreaterThan(10)
    expect((await ask(port, "/cpo/v2/sites", "one")).status).toBe(200)
    await expect
      .poll(async () => (await ask(port, "/cpo/v2/sites", "one", { "x-api-key": "right" })).status, { timeout: 10_000 })
      .toBe(200)
    expect(await asked("right", () => "one")).toBe(0)
  }))

it("counts requests with an expectation that it does not know like others, and closes their connections", () =>
  withListener({}, async ({ port }, routed) => {
    const request = "GET /status HTTP/1.1\r\nHost: x\r\nX-Test-Network: one\r\nExpect: foo\r\n\r\n"
    const statuses: Array<string> = []
    for (let n = 0; n < 10; n++) {
      const socket = connect(port, "127.0.0.1")
      socket.write(request.repeat(3))
      let heard = ""
      socket.on("data", (chunk) => {
        heard += String(chunk)
        // Refusals of a stranger leave the connection open.
        if (heard.includes(" 429 ")) socket.destroy()
      })
      await once(socket, "close")
      statuses.push(...[...heard.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = ""]) => status).slice(0, 1))
    }
    expect(new Set(statuses)).toEqual(new Set(["417", "429"]))
    expect(routed).toEqual([])
  }))

it("counts requests to paths that check no credentials, whatever credentials they claim to have", () =>
  withListener({}, async ({ port }, routed) => {
    const invented = [{ "x-api-key": "invented" }, { cookie: "a=b" }, { authorization: "Token invented" }]
    const answers = await Promise.all(
      invented.flatMap((headers) => Array.from({ length: 10 }, () => ask(port, "/status", "one", headers)))
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10)
    expect(routed.length).toBe(statuses.filter((status) => status === 200).length)
    expect((await ask(port, "/cpo/v2/sites", "one", { "x-api-key": "right" })).status).toBe(200)
  }))

it("refuses strangers of every network when all together have used their share", () =>
  withListener({}, async ({ port }) => {
    const { answered } = await firstRefusal(port, (n) => `network ${n}`)
    expect(answered).toBeGreaterThanOrEqual(8)
    expect((await ask(port, "/cpo/v2/sites", "one more", { "x-api-key": "right" })).status).toBe(200)
    expect((await ask(port, "/metrics", "one more")).status).toBe(200)
  }))

it("bounds the connections of a network, but not of a proxy, and not websockets", () =>
  withListener({ connectionsPerNetwork: 2, networkMillisPerSecond: 100 }, async ({ port, server }) => {
    const sockets = new WebSocketServer({ noServer: true })
    server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, () => undefined))
    const opened: Array<{ readonly destroy: () => void }> = []
    const firstLine = async (network: string): Promise<string> => {
      const socket: Socket = connect(port, "127.0.0.1")
      opened.push(socket)
      socket.write(`GET /page HTTP/1.1\r\nHost: x\r\nX-Test-Network: ${network}\r\n\r\n`)
      const [answer] = await once(socket, "data")
      return String(answer).split("\r\n", 1)[0] ?? ""
    }
    for (let n = 0; n < 3; n++) {
      const charger = new WebSocket(`ws://127.0.0.1:${port}/ocpp/C`, { headers: { "x-test-network": "one" } })
      await once(charger, "open")
      opened.push({ destroy: () => charger.terminate() })
    }
    const lines = [await firstLine("one"), await firstLine("one"), await firstLine("one"), await firstLine("other")]
    expect(lines.map((line) => line.slice(9, 12))).toEqual(["200", "200", "503", "200"])
    for (let n = 0; n < 3; n++) expect(await firstLine("proxied")).toBe("HTTP/1.1 200 OK")
    for (const one of opened) one.destroy()
  }))

it("sends ready answers without routing them: whole, compressed, only their headers, or 304", () =>
  withListener({ networkMillisPerSecond: 100 }, async ({ port }, routed) => {
    const whole = await ask(port, "/page", "one", { "accept-encoding": "identity" })
    expect([whole.headers.get("content-length"), await whole.text()]).toEqual([`${page.length}`, page])
    for (const encoding of ["br", "gzip"]) {
      let packed = await ask(port, "/page", "one", { "accept-encoding": encoding })
      // It is compressed in the background.
      while (packed.headers.get("content-encoding") === null) {
        await packed.text()
        packed = await ask(port, "/page", "one", { "accept-encoding": encoding })
      }
      expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
        encoding,
        "Accept-Encoding"
      ])
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(200)
      expect(await packed.text()).toBe(page)
    }
    const etag = whole.headers.get("etag") ?? ""
    expect((await ask(port, "/page", "one", { "if-none-match": etag })).status).toBe(304)
    const head = await fetch(`http://127.0.0.1:${port}/page`, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" }
    })
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${page.length}`, ""])
    expect(routed).toEqual([])
  }))

it("makes the text of /metrics once a second, however often it is asked for", () =>
  withListener({ networkMillisPerSecond: 100 }, async ({ port }) => {
    const texts: Array<string> = []
    const since = performance.now()
    for (let n = 0; n < 20; n++) texts.push(await (await ask(port, "/metrics", "one")).text())
    expect(new Set(texts).size).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - since) / 1_000))
    expect(texts[0]).toContain("process_resident_memory_bytes")
  }))
