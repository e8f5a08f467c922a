/**
 * The sockets that the service listens on: http, and also https if there is a certificate. Both serve the same routes
 * and pass their upgrades to the OCPP server. Paths are normalised here, before they are routed.
 */
import * as Http from "node:http"
import * as Https from "node:https"
import { NodeHttpServer } from "@effect/platform-node"
import { Data, Effect, Layer, Metric, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { AnswerEnd, type OnAnswerEnd } from "../http/AnswerEnd.ts"
import { normalisePath, pathOf } from "../http/RawUrl.ts"
import { CredentialsProved } from "../domain/operator/WrongCredentials.ts"
import { ThreadTime } from "../domain/values/ThreadTime.ts"
import { problemType, timeoutDocument } from "../http/v2/requests/Problem.ts"
import { recordRequest } from "../http/ops/Metrics.ts"
import { DescriptionText } from "../http/v2/OpenApiDocument.ts"
import { ReadyAnswers } from "../http/Ready.ts"
import { descriptionText } from "./DescriptionThread.ts"
import { Handshakes, type HandshakesOptions, handshakesRefused } from "./Handshakes.ts"
import { oneAtATime } from "./OneAtATime.ts"
import { readyBytes } from "./ReadyBytes.ts"
import { Strangers, type StrangersOptions } from "./Strangers.ts"
import { plainPort, type PlainPortOptions } from "./PlainPort.ts"
import { type UnreadOptions, watchUnread } from "./UnreadAnswers.ts"

export interface ListenerOptions extends UnreadOptions {
  /** Without it, callers without credentials may use as much as they want. */
  readonly strangers?: StrangersOptions
  /** Without it, any number of TLS handshakes may begin at once. */
  readonly handshakes?: HandshakesOptions
  /** Without it both ports serve the same. */
  readonly plainPort?: PlainPortOptions | undefined
  readonly host: string
  /** Undefined closes plain http. */
  readonly port: number | undefined
  readonly tls: { readonly port: number; readonly options: Https.ServerOptions } | undefined
  /** Port of a plain http listener that serves only metrics; undefined opens none. */
  readonly metricsPort?: number | undefined
  /** How long an idle connection stays open, ms; default: Node's. */
  readonly keepAliveMillis?: number
  /** How long the headers of a request may take to arrive, ms. `requestTimeoutMillis`: the same for the whole request. */
  readonly headersTimeoutMillis: number
  readonly requestTimeoutMillis: number
  /**
   * The same for requests whose bodies are files, which may come over a charger's modem. The routes that receive them
   * detect a stalled transfer themselves.
   */
  readonly transferTimeoutMillis: number
}

/** A listener cannot be opened; the message is the one line that the operator sees. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly variable: string
  readonly message: string
}> {}

export interface Listener {
  readonly server: Http.Server | Https.Server
  readonly secure: boolean
  readonly port: number
}

/** Requests whose bodies are files. */
const isTransfer = (method: string | undefined, path: string): boolean =>
  path.startsWith("/files/up/") || (method === "POST" && path === "/cpo/v2/files")

/**
 * Ends a connection whose request takes too long to arrive (slow-loris). Node has one limit for all requests, which
 * must be that of files. This enforces the shorter limit for all others, as Node would.
 */
const within = (request: Http.IncomingMessage, millis: number): void => {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers
  if (request.complete || ((length === undefined || length === "0") && encoding === undefined)) return
  const timer = setTimeout(() => {
    if (request.complete) return
    const document = timeoutDocument(pathOf(request.url ?? "/"))
    const about =
      document === undefined ? "" : `Content-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(document)}\r\n`
    request.socket.write(`HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n${about}\r\n${document ?? ""}`)
    request.destroy()
  }, millis)
  request.once("close", () => clearTimeout(timer))
}

export const unreadAnswers = Metric.counter("http_unread_answers_total", {
  description: "Answers whose connection was closed because the client did not read them",
  incremental: true
})

/** Requests of one connection. A partner at its highest rate opens a new one every minute. */
const maxRequestsPerSocket = 10_000

const isUnknownExpectation = ({ headers: { expect } }: Http.IncomingMessage): boolean =>
  expect !== undefined && expect.toLowerCase() !== "100-continue"

const refuseExpectation = (response: Http.ServerResponse): void => {
  response.writeHead(417, { connection: "close", "content-length": 0 })
  response.end()
}

type Handler = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

const listen = (server: Http.Server | Https.Server, variable: string, port: number, host: string) =>
  Effect.callback<number, ListenFailed>((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
        const message = `${host} is not an address of this machine`
        return resume(Effect.fail(new ListenFailed({ variable: "HOST", message })))
      }
      const why =
        error.code === "EADDRINUSE"
          ? "is in use by another process"
          : error.code === "EACCES"
            ? "requires more privileges"
            : error.message
      resume(Effect.fail(new ListenFailed({ variable, message: `${host}:${port} ${why}; choose another ${variable}` })))
    })
    server.listen({ port, host, backlog: 4096 }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** Checks that the ports are free before anything slow begins, so that one in use is reported at once. */
export const preflight = (options: ListenerOptions): Effect.Effect<void, ListenFailed> => {
  const probe = (variable: string, port: number) => {
    const server = Http.createServer()
    return Effect.andThen(
      listen(server, variable, port, options.host),
      Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    )
  }
  const ports = { PORT: options.port, TLS_PORT: options.tls?.port, METRICS_PORT: options.metricsPort }
  return Effect.forEach(
    Object.entries(ports),
    ([variable, port]) => (port === undefined ? Effect.void : probe(variable, port)),
    { discard: true }
  )
}

/**
 * Stops accepting connections and closes idle ones. Running requests are answered; after 5 seconds their connections
 * are closed too.
 */
const stop = (server: Http.Server | Https.Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  }).pipe(
    Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.sync(() => server.closeAllConnections()) })
  )

/** A request handler for Node, over the routes' layer. */
const handlerOf = <E, R>(routes: Layer.Layer<never, E, R>) =>
  Effect.gen(function* () {
    // Requests run in a scope of their own that is closed after the listeners. In the surrounding scope they would be
    // interrupted first of all.
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const { as } = yield* ThreadTime
    return yield* as("", NodeHttpServer.makeHandler(yield* HttpRouter.toHttpEffect(routes), { scope }))
  })

/** Opens the listener on `metricsPort`, if it is set. */
export const openMetrics = <E, R>(options: ListenerOptions, routes: Layer.Layer<never, E, R>) =>
  Effect.gen(function* () {
    const { headersTimeoutMillis, host, metricsPort, requestTimeoutMillis } = options
    if (metricsPort === undefined) return undefined
    const handle = yield* handlerOf(routes)
    const limits = { headersTimeout: headersTimeoutMillis, requestTimeout: requestTimeoutMillis, maxHeaderSize: 16_384 }
    const server = Http.createServer(limits)
    oneAtATime(server, "connection", handle)
    yield* Effect.addFinalizer(() => stop(server))
    return yield* listen(server, "METRICS_PORT", metricsPort, host)
  })

const limitsOf = ({
  headersTimeoutMillis,
  keepAliveMillis,
  transferTimeoutMillis
}: ListenerOptions): Http.ServerOptions => ({
  ...(keepAliveMillis === undefined ? {} : { keepAliveTimeout: keepAliveMillis }),
  headersTimeout: headersTimeoutMillis,
  requestTimeout: transferTimeoutMillis,
  maxHeaderSize: 16_384
})

/** A server whose handshakes are limited. */
const secureServer = (
  { handshakes, headersTimeoutMillis }: ListenerOptions,
  options: Https.ServerOptions,
  refused: () => void
): Https.Server => {
  const server = Https.createServer({ handshakeTimeout: headersTimeoutMillis, ...options })
  if (handshakes !== undefined) new Handshakes(handshakes, refused).limit(server)
  return server
}

/** Opens the listeners over the routes' layer; they are closed with the scope. */
export const open = <E, R>(options: ListenerOptions, routes: Layer.Layer<never, E, R>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const record = Effect.runForkWith(context)
    const waiting = new WeakMap<object, Array<() => void>>()
    const onAnswerEnd: OnAnswerEnd = (source, ended) => {
      const others = waiting.get(source)
      // The connection has closed meanwhile.
      if (others === undefined) ended()
      else others.push(ended)
    }
    const answers = watchUnread(options, () => record(Metric.update(unreadAnswers, 1)))
    yield* Effect.addFinalizer(() => Effect.sync(answers.stop))
    const ready = readyBytes()
    const strangers =
      options.strangers === undefined
        ? undefined
        : new Strangers(options.strangers, (metric) => record(Metric.update(metric, 1)))
    const offered = Layer.mergeAll(
      Layer.succeed(AnswerEnd, onAnswerEnd),
      Layer.succeed(ReadyAnswers, ready.offer),
      Layer.succeed(CredentialsProved, (source) => {
        if (source instanceof Http.IncomingMessage) strangers?.prove(source, pathOf(source.url ?? "/"))
      }),
      Layer.succeed(DescriptionText, descriptionText)
    )
    const handle = yield* handlerOf(Layer.provide(routes, offered))

    const answersPlain = options.plainPort === undefined ? () => false : plainPort(options.plainPort)

    const onRequest: Handler = (request, response) => {
      const arrived = performance.now()
      request.url = normalisePath(request.url ?? "/")
      const path = pathOf(request.url)
      const bound = () => within(request, options.requestTimeoutMillis)
      // A transfer that is answered before it has arrived completely was refused, and its sender may be unknown: from
      // then on the shorter limit applies.
      if (isTransfer(request.method, path)) response.once("finish", bound)
      else bound()
      const answer = ready.find(request, path)
      waiting.set(request, [])
      answers.watch(response)
      response.once("close", () => {
        for (const ended of waiting.get(request) ?? []) ended()
        waiting.delete(request)
        record(recordRequest(request.method ?? "", path, response.statusCode, (performance.now() - arrived) / 1000))
      })
      if (answersPlain(request, response, path)) return
      const proceed = () => {
        if (isUnknownExpectation(request)) return refuseExpectation(response)
        if (answer === undefined) handle(request, response)
        else ready.send(answer, request, response)
      }
      if (strangers === undefined) proceed()
      else strangers.admit(request, response, path, answer?.plain.length, proceed)
    }

    const limits = limitsOf(options)
    /** The last answer closes the connection. */
    const bounded = <S extends Http.Server>(server: S): S => Object.assign(server, { maxRequestsPerSocket })
    const listeners: Array<Listener> = []
    if (options.port !== undefined) {
      const server = bounded(Http.createServer(limits))
      oneAtATime(server, "connection", onRequest)
      yield* Effect.addFinalizer(() => stop(server))
      listeners.push({ server, secure: false, port: yield* listen(server, "PORT", options.port, options.host) })
    }
    if (options.tls !== undefined) {
      const refused = () => record(Metric.update(handshakesRefused, 1))
      const server = bounded(secureServer(options, { ...limits, ...options.tls.options }, refused))
      oneAtATime(server, "secureConnection", onRequest)
      yield* Effect.addFinalizer(() => stop(server))
      listeners.push({ server, secure: true, port: yield* listen(server, "TLS_PORT", options.tls.port, options.host) })
    }
    return listeners
  })
