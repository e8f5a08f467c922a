/** Request bodies that come too slowly end their connection, except those of files, which may come over modems. */
import { connect } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Exit, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, it } from "vitest"
import { open } from "../../src/main/Listeners.ts"

const options = {
  host: "127.0.0.1",
  port: 0,
  tls: undefined,
  headersTimeoutMillis: 10_000,
  requestTimeoutMillis: 300,
  transferTimeoutMillis: 60_000,
  unreadAnswerMillis: 60_000,
  slowestReaderBytesPerSecond: 8192
}

const reading = HttpRouter.use((router) =>
  Effect.forEach(["/files/up/:token", "/cpo/v2/files", "/cpo/v2/sites"] as const, (path) =>
    router.add(
      "POST",
      path,
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) =>
        Effect.map(Effect.orDie(text), (body) => HttpServerResponse.text(`read ${body}`))
      )
    )
  )
)

/** Sends a request whose last bytes come after `after` ms; returns the first line of the answer. */
const slowly = async (port: number, path: string, after: number): Promise<string> =>
  (await heardOf(port, path, after)).split("\r\n", 1)[0] ?? ""

/** The same with the whole answer. */
const heardOf = (port: number, path: string, after: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let heard = ""
    socket.on("data", (chunk) => {
      heard += String(chunk)
      if (heard.startsWith("HTTP/1.1 200")) socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(heard))
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nbegun`)
    setTimeout(() => socket.write("ended"), after).unref()
  })

const refusing = HttpRouter.use((router) =>
  router.add("POST", "/files/up/:token", Effect.succeed(HttpServerResponse.text("no", { status: 404 })))
)

it("answers running requests when it stops", async () => {
  const asked = { isThere: false }
  const slow = HttpRouter.use((router) =>
    router.add(
      "GET",
      "/cpo/v2/sites",
      Effect.suspend(() => {
        asked.isThere = true
        return Effect.as(Effect.sleep(300), HttpServerResponse.text("answered"))
      })
    )
  )
  const scope = Effect.runSync(Scope.make())
  const opened = open(options, slow).pipe(Effect.provide(NodeHttpServer.layerHttpServices), Scope.provide(scope))
  const [listener] = await Effect.runPromise(opened)
  const answer = fetch(`http://127.0.0.1:${listener?.port ?? 0}/cpo/v2/sites`, { headers: { connection: "close" } })
  while (!asked.isThere) await new Promise((resolve) => setTimeout(resolve, 5))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  const response = await answer
  expect([response.status, await response.text()]).toEqual([200, "answered"])
})

it("does not wait for the rest of a file that it has refused", async () => {
  const asked = Effect.gen(function* () {
    const [listener] = yield* open(options, refusing)
    return yield* Effect.promise(async () => {
      const since = performance.now()
      const line = await slowly(listener?.port ?? 0, "/files/up/unknown", 40_000)
      return [line, performance.now() - since < 30_000]
    })
  })
  const result = await Effect.runPromise(Effect.scoped(asked.pipe(Effect.provide(NodeHttpServer.layerHttpServices))))
  expect(result).toEqual(["HTTP/1.1 404 Not Found", true])
})

it("ends a slow JSON request, and waits for a slow upload of a file", async () => {
  const asked = Effect.gen(function* () {
    const [listener] = yield* open(options, reading)
    const port = listener?.port ?? 0
    const paths = ["/cpo/v2/sites", "/files/up/token", "/cpo/v2/files"]
    return yield* Effect.promise(() => Promise.all(paths.map((path) => slowly(port, path, 900))))
  })
  const lines = await Effect.runPromise(Effect.scoped(asked.pipe(Effect.provide(NodeHttpServer.layerHttpServices))))
  expect(lines).toEqual(["HTTP/1.1 408 Request Timeout", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK"])
})

it("answers a too slow request to REST v2 with a problem document", async () => {
  const asked = Effect.gen(function* () {
    const [listener] = yield* open(options, reading)
    return yield* Effect.promise(() => heardOf(listener?.port ?? 0, "/cpo/v2/sites?x=1", 40_000))
  })
  const heard = await Effect.runPromise(Effect.scoped(asked.pipe(Effect.provide(NodeHttpServer.layerHttpServices))))
  const [head = "", body = ""] = heard.split("\r\n\r\n")
  expect(head.split("\r\n")).toEqual([
    "HTTP/1.1 408 Request Timeout",
    "Connection: close",
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`
  ])
  expect(JSON.parse(body)).toMatchObject({ status: 408, code: "request_timeout", instance: "/cpo/v2/sites" })
})

it("handles at most a few of a thousand requests whose client has left, and ends the one in hand", async () => {
  const seen = { begun: 0, interrupted: 0 }
  const slow = HttpRouter.use((router) =>
    router.add(
      "GET",
      "/metrics",
      Effect.suspend(() => {
        seen.begun += 1
        return Effect.as(Effect.sleep(5_000), HttpServerResponse.text("late"))
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => void (seen.interrupted += 1))))
    )
  )
  const asked = Effect.gen(function* () {
    const [listener] = yield* open(options, slow)
    return yield* Effect.promise(async () => {
      const socket = connect(listener?.port ?? 0, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000))
      while (seen.begun === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      socket.destroy()
      while (seen.interrupted === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      // Another client's request is answered after everything that the first has caused.
      await fetch(`http://127.0.0.1:${listener?.port ?? 0}/nothing`)
    })
  })
  await Effect.runPromise(Effect.scoped(asked.pipe(Effect.provide(NodeHttpServer.layerHttpServices))))
  expect(seen).toEqual({ begun: 1, interrupted: 1 })
})

it("keeps an idle connection as long as its setting says, and announces that time", async () => {
  const scope = Effect.runSync(Scope.make())
  const opened = open({ ...options, keepAliveMillis: 65_000 }, reading).pipe(
    Effect.provide(NodeHttpServer.layerHttpServices),
    Scope.provide(scope)
  )
  const [listener] = await Effect.runPromise(opened)
  const port = listener?.port ?? 0
  const answer = await fetch(`http://127.0.0.1:${port}/cpo/v2/sites`, { method: "POST", body: "x" })
  expect([await answer.text(), answer.headers.get("keep-alive")]).toEqual(["read x", "timeout=65, max=10000"])
  await Effect.runPromise(Scope.close(scope, Exit.void))
})
