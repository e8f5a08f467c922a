/** Answers whose caller has stopped reading: they do not stay in memory, and a caller that reads slowly gets them whole. */
import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Exit, Metric, Context, Scope, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, it, onTestFinished } from "vitest"
import { AnswerEnd } from "../../src/http/AnswerEnd.ts"
import { open } from "../../src/main/Listeners.ts"
import { makeCertificates, noOpenssl } from "../ocpp/server/certificates.ts"

const MiB = 1024 * 1024

const options = {
  host: "127.0.0.1",
  port: 0,
  tls: undefined,
  headersTimeoutMillis: 10_000,
  requestTimeoutMillis: 10_000,
  transferTimeoutMillis: 60_000,
  unreadAnswerMillis: 1_500,
  slowestReaderBytesPerSecond: 8 * MiB
}

/** More than kernels buffer between a writer and a reader. */
const size = 24 * MiB
const piece = new Uint8Array(MiB)

const routes = (ends: { ended: number; gone: number }) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const onEnd = yield* AnswerEnd
      const whole = Effect.map(HttpServerRequest.HttpServerRequest, ({ source }) => {
        onEnd(source, () => void ends.gone++)
        return HttpServerResponse.uint8Array(new Uint8Array(size))
      })
      yield* router.add("GET", "/whole", whole)
      const ending = Stream.fromIterable(Array.from({ length: size / MiB }, () => piece)).pipe(
        Stream.rechunk(1),
        Stream.ensuring(Effect.sync(() => void ends.ended++))
      )
      yield* router.add("GET", "/stream", Effect.succeed(HttpServerResponse.stream(ending)))
      const late = Effect.as(Effect.sleep(2_000), HttpServerResponse.text("late"))
      yield* router.add("GET", "/late", late)
    })
  )

const missing = noOpenssl()

const serving = async (secure = false) => {
  const ends = { ended: 0, gone: 0 }
  const scope = Scope.makeUnsafe()
  const metrics: Metric.MetricRegistry = new Map()
  const [listener] = await Effect.runPromise(
    open(
      secure ? { ...options, port: undefined, tls: { port: 0, options: makeCertificates().server } } : options,
      routes(ends)
    ).pipe(
      Effect.provide(NodeHttpServer.layerHttpServices),
      Effect.provideService(Metric.MetricRegistry, metrics),
      Scope.provide(scope)
    )
  )
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const unread = (): number =>
    Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, metrics))
      .filter(({ id }) => id === "http_unread_answers_total")
      .reduce((sum, { state }) => sum + Number("count" in state ? state.count : 0), 0)
  return { port: listener?.port ?? 0, ends, unread }
}

const asking = (port: number, path: string, secure = false): Socket => {
  const socket = secure
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return socket
}

/** Resolves when the server has ended the connection. It goes on sending, which is not reading. */
const cutOff = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => socket.write("\r\n"), 50)
    socket.on("close", () => {
      clearInterval(timer)
      resolve()
    })
  })

const readsNothing = async (path: string, secure: boolean) => {
  const { ends, port, unread } = await serving(secure)
  const socket = asking(port, path, secure)
  socket.pause()
  await cutOff(socket)
  return { unread: unread(), ends }
}

const readsSlowly = async (path: string, secure: boolean) => {
  const { ends, port, unread } = await serving(secure)
  const socket = asking(port, path, secure)
  let read = 0
  let room = 0
  socket.on("data", (chunk) => {
    read += chunk.length
    if (read >= room) socket.pause()
  })
  const timer = setInterval(() => {
    room += 0.5 * MiB
    socket.resume()
  }, 50)
  await new Promise((resolve) => socket.on("close", resolve))
  clearInterval(timer)
  return { unread: unread(), ends, hasAll: read >= size }
}

it.each([
  ["/whole", { ended: 0, gone: 1 }],
  ["/stream", { ended: 1, gone: 0 }]
])("ends the connection of a caller that reads nothing of %s", async (path, ends) => {
  expect(await readsNothing(path, false)).toEqual({ unread: 1, ends })
})

it.each([
  ["/whole", { ended: 0, gone: 1 }],
  ["/stream", { ended: 1, gone: 0 }]
])("sends all of %s to a caller that reads slowly", async (path, ends) => {
  expect(await readsSlowly(path, false)).toEqual({ unread: 0, ends, hasAll: true })
})

// Deno takes the whole answer over TLS at once and keeps it in a buffer that cannot be observed.
it.skipIf("Deno" in globalThis || missing !== undefined)("does both over TLS", async () => {
  const ends = { ended: 0, gone: 1 }
  expect(await readsNothing("/whole", true)).toEqual({ unread: 1, ends })
  expect(await readsSlowly("/whole", true)).toEqual({ unread: 0, ends, hasAll: true })
})

it("waits for an answer that takes longer to make than it may remain unread", async () => {
  const { port, unread } = await serving()
  const answer = await fetch(`http://127.0.0.1:${port}/late`)
  expect(await answer.text()).toBe("late")
  expect(unread()).toBe(0)
})
