/** Connections that stay open between calls: fewer handshakes, and no other visible difference. */
import { assert, beforeEach, afterEach, describe, it } from "@effect/vitest"
import { createServer, type Server } from "node:http"
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net"
import { Effect } from "effect"
import { call, type Call, type CallOptions } from "../../src/outbound/HttpCall.ts"
import { keptConnections } from "../../src/outbound/KeptConnections.ts"

const limits: CallOptions = { allowPrivate: true, timeoutMillis: 2_000, maxResponseBytes: 1_000 }
const keeping = (over: Partial<CallOptions> = {}) => {
  const all = { ...limits, ...over }
  return Effect.map(keptConnections({ ...all, idleMillis: 1_000, maxPerPlace: 2 }), (kept) => ({ ...all, kept }))
}
const options = keeping()

describe("a kept connection", () => {
  let partner: Server
  let connections = 0
  const url = (path: string) => `http://127.0.0.1:${(partner.address() as AddressInfo).port}${path}`
  const put: Omit<Call, "url"> = { method: "PUT", headers: {}, body: "{}" }

  beforeEach(async () => {
    connections = 0
    partner = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        if (request.url === "/silent") return undefined
        if (request.url === "/large") return response.end("x".repeat(5_000))
        if (request.url === "/last") response.setHeader("connection", "close")
        return response.end(request.method)
      })
    })
    partner.on("connection", () => connections++)
    await new Promise<void>((resolve) => partner.listen(0, "127.0.0.1", resolve))
  })
  afterEach(() => {
    partner.closeAllConnections()
    partner.close()
  })

  it.live("serves one call after the other", () =>
    Effect.gen(function* () {
      const kept = yield* options
      for (const method of ["PUT", "PATCH", "DELETE", "GET", "PUT", "PATCH", "DELETE", "GET"] as const) {
        const body = method.startsWith("P") ? "{}" : undefined
        const answer = yield* call({ ...put, method, body, url: url("/") }, kept)
        assert.deepStrictEqual([answer.status, answer.body], [200, method])
      }
      // A call at the very end of an answer may find its connection still in use.
      assert.isAtMost(connections, 2)
    })
  )

  it.live("serves no POST, which must not be repeated", () =>
    Effect.gen(function* () {
      const kept = yield* options
      yield* call({ ...put, url: url("/") }, kept)
      for (let n = 0; n < 2; n++) yield* call({ ...put, method: "POST", url: url("/") }, kept)
      assert.strictEqual(connections, 3)
    })
  )

  it.live("is not used again when its answer was cut off or the server asks to close it", () =>
    Effect.gen(function* () {
      const kept = yield* options
      assert.strictEqual((yield* Effect.flip(call({ ...put, url: url("/large") }, kept))).kind, "too-large")
      yield* call({ ...put, url: url("/last") }, kept)
      yield* call({ ...put, url: url("/") }, kept)
      assert.strictEqual(connections, 3)
    })
  )

  it.live("is subject to the same checks of addresses", () =>
    Effect.gen(function* () {
      const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }])
      const strict = yield* keeping({ resolve, allowPrivate: false })
      const named = url("/").replace("127.0.0.1", "partner.example").replace("http:", "https:")
      const error = yield* Effect.flip(call({ ...put, url: named }, strict))
      assert.strictEqual(error.kind, "forbidden")
      assert.strictEqual(connections, 0)
    })
  )

  it.live("is not waited for longer than the time limit of a call", () =>
    Effect.gen(function* () {
      const kept = yield* keeping({ timeoutMillis: 200 })
      const kinds = yield* Effect.forEach(
        [1, 2, 3, 4, 5],
        () => Effect.map(Effect.flip(call({ ...put, url: url("/silent") }, kept)), ({ kind }) => kind),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(kinds, ["timeout", "timeout", "timeout", "timeout", "timeout"])
      assert.strictEqual((yield* call({ ...put, url: url("/") }, kept)).body, "PUT")
    })
  )

  it.live("is replaced if the server closes it just as the next call is sent", () =>
    Effect.gen(function* () {
      const kept = yield* options
      const sockets: Array<Socket> = []
      let calls = 0
      // Answers the first call of each connection, and closes it at the second.
      const rude = createTcpServer((socket) => {
        sockets.push(socket)
        let heard = 0
        socket.on("error", () => undefined)
        socket.on("data", () => {
          calls++
          if (++heard === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
          else socket.destroy()
        })
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve)))
      const there = `http://127.0.0.1:${(rude.address() as AddressInfo).port}/`
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* call({ ...put, url: there }, kept)).body, "ok")
      assert.isAtLeast(sockets.length, 2)
      assert.isAtMost(calls, 5)
      for (const socket of sockets) socket.destroy()
      rude.close()
    })
  )

  it.live("ends with its scope", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(options, (kept) => call({ ...put, url: url("/") }, kept)))
      const open = () => new Promise<number>((resolve) => partner.getConnections((_, count) => resolve(count)))
      for (let n = 0; n < 100 && (yield* Effect.promise(open)) > 0; n++) yield* Effect.sleep("10 millis")
      assert.strictEqual(yield* Effect.promise(open), 0)
    })
  )
})
