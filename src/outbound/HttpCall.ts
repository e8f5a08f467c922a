/**
 * One HTTP call to an untrusted server. We resolve the name ourselves and connect to exactly the address that was
 * checked. Redirects are not followed, and the answer is limited in time and size (T16, T31).
 */
import { isIP } from "node:net"
import { Data, Effect } from "effect"
import { Client, type Dispatcher } from "undici"
import { outsideText } from "../domain/values/OutsideText.ts"
import { decodeBody } from "./ContentCoding.ts"
import { destinationOf } from "./Destination.ts"
import { ClosedAddress, guardedConnector, type GuardOptions } from "./Guard.ts"

/** The call was not answered. `message` may be shown to an operator. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  /** `forbidden` was never sent. `unreachable`, `timeout` and `broken` may have reached the server. `too-large` was answered. */
  readonly kind: "forbidden" | "unreachable" | "timeout" | "broken" | "too-large"
  readonly message: string
}> {}

/** The connection was closed before any answer, as can happen with one that was kept open. */
class ClosedMeanwhile extends Data.TaggedError("ClosedMeanwhile")<{}> {}

export interface CallOptions extends GuardOptions {
  /** From the connection attempt to the last byte. */
  readonly timeoutMillis: number
  readonly maxResponseBytes: number
  /**
   * Connections that stay open between calls, guarded like those for a single call. Without it, each call opens a
   * connection of its own.
   */
  readonly kept?: Dispatcher | undefined
}

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface Call {
  readonly method: HttpMethod
  readonly url: string
  /** With `accept-encoding`, answers in those codings are unpacked; otherwise `identity` is asked for. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Answered {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The longest error message that is passed on. A certificate error names all the hosts of the certificate. */
const messageMax = 500

/**
 * A message without the IP addresses in it, and their ports. Those who give us a host name must not learn from our
 * errors which addresses it has in our network.
 */
const withoutAddresses = (message: string): string =>
  message
    .replaceAll(/\[[^\s\]]+\](?::\d+)?|[0-9a-f:.]*[.:][0-9a-f:.]+(?:%\w+)?/gi, (word) => {
      const host = /^\[([^\]]*)\]/.exec(word)?.[1] ?? word
      return isIP(host) !== 0 || isIP(host.replace(/:\d+$/, "")) !== 0 ? "" : word
    })
    .replaceAll(/ +(?=[ ,)]|$)/g, "")

const failureOf = (error: Error, sent: boolean): CallFailed => {
  if (error instanceof ClosedAddress) return new CallFailed({ kind: "forbidden", message: error.message })
  return new CallFailed({
    kind: sent ? "broken" : "unreachable",
    message: outsideText(withoutAddresses(error.message || error.name), messageMax)
  })
}

/** Error codes of a connection that was closed during a call. */
const closedCodes: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const wasClosed = (error: Error): boolean => "code" in error && closedCodes.has(error.code)

type Result = Effect.Effect<Answered, CallFailed | ClosedMeanwhile>

/** One call in progress: collects the answer within its limits, and ends once. */
class Flight implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private readonly headers: Record<string, string> = {}
  private readonly chunks: Array<Buffer> = []
  private size = 0
  private ended = false
  private readonly maxBytes: number
  private readonly isUnpacked: boolean
  private readonly resume: (result: Result) => void

  constructor(maxBytes: number, isUnpacked: boolean, resume: (result: Result) => void) {
    this.maxBytes = maxBytes
    this.isUnpacked = isUnpacked
    this.resume = resume
  }

  private end(result: () => Result): void {
    if (this.ended) return
    this.ended = true
    this.resume(result())
  }

  /** Ends the call from our side; what arrives later is dropped. */
  abandon(kind: CallFailed["kind"], message: string): void {
    this.end(() => Effect.fail(new CallFailed({ kind, message })))
    this.controller?.abort(new Error(message))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.ended) controller.abort(new Error("the call was abandoned"))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    // Informational responses (1xx) may precede the answer.
    if (status < 200) return
    this.status = status
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.headers[name] = typeof value === "string" ? value : value.join(", ")
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length
    if (this.size <= this.maxBytes) this.chunks.push(chunk)
    else this.abandon("too-large", `the answer has more than ${this.maxBytes} bytes`)
  }

  onResponseEnd(): void {
    const { chunks, headers, isUnpacked, maxBytes, status } = this
    decodeBody(Buffer.concat(chunks), isUnpacked ? headers["content-encoding"] : undefined, maxBytes, (read) =>
      this.end(() =>
        typeof read === "string" ? Effect.succeed({ status, headers, body: read }) : Effect.fail(new CallFailed(read))
      )
    )
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const isSent = this.controller !== undefined
    const isUnheard = isSent && this.status === 0 && wasClosed(error)
    this.end(() => Effect.fail(isUnheard ? new ClosedMeanwhile() : failureOf(error, isSent)))
  }
}

const callBy = (
  { body, headers, method }: Call,
  { origin, pathname, search }: URL,
  dispatcher: Dispatcher,
  { maxResponseBytes, timeoutMillis }: CallOptions
): Result =>
  Effect.callback((resume) => {
    const accepted = { "accept-encoding": "identity", ...headers }
    const flight = new Flight(maxResponseBytes, accepted["accept-encoding"] !== "identity", (result) => {
      clearTimeout(timer)
      resume(result)
    })
    const timer = setTimeout(
      () => flight.abandon("timeout", `no complete answer within ${timeoutMillis} ms`),
      timeoutMillis
    )
    const path = `${pathname}${search}`
    dispatcher.dispatch({ origin, path, method, headers: accepted, body: body ?? null }, flight)
    return Effect.sync(() => flight.abandon("broken", "it was cancelled"))
  })

/** Makes the call over a connection of its own, which is closed afterwards. */
const callAlone = (what: Call, url: URL, options: CallOptions): Effect.Effect<Answered, CallFailed> =>
  Effect.acquireUseRelease(
    Effect.sync(
      () =>
        new Client(url.origin, {
          connect: guardedConnector(options),
          pipelining: 0,
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (client) => callBy(what, url, client, options),
    (client) => Effect.sync(() => void client.destroy())
  ).pipe(
    Effect.catchTag("ClosedMeanwhile", () =>
      Effect.fail(new CallFailed({ kind: "broken", message: "the connection was closed without an answer" }))
    )
  )

/**
 * Makes the call. An answer with any status is a success, redirects included. A POST never uses a connection that was
 * used before: if the other side closes it at that moment, it is unknown whether the call arrived, and a second POST
 * might do the same thing twice. All other methods are retried once in that case.
 */
export const call = (what: Call, options: CallOptions): Effect.Effect<Answered, CallFailed> =>
  Effect.suspend(() => {
    const destination = destinationOf(what.url, options)
    if (destination._tag === "Forbidden") {
      return Effect.fail(new CallFailed({ kind: "forbidden", message: destination.why }))
    }
    const alone = callAlone(what, destination.url, options)
    if (options.kept === undefined || what.method === "POST") return alone
    return Effect.catchTag(callBy(what, destination.url, options.kept, options), "ClosedMeanwhile", () => alone)
  })
