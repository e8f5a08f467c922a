/**
 * One HTTP call to somebody whom we do not trust: the name is resolved by us and the connection goes to the very address that was looked at, no
 * redirect is followed, and what comes back is bounded in time and size (T16, T31).
 */
import type { LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import { request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http"
import { request as requestHttps } from "node:https"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { Data, Effect } from "effect"
import { destinationOf, type DestinationOptions, isPublicAddress } from "./Destination.ts"
import type { KeptConnections } from "./KeptConnections.ts"

/** The call was not answered. `message` may be shown to an operator. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  /** `forbidden` was never sent; `unreachable`, `timeout` and `broken` may have been heard by the other side; `too-large` was answered. */
  readonly kind: "forbidden" | "unreachable" | "timeout" | "broken" | "too-large"
  readonly message: string
}> {}

export interface CallOptions extends DestinationOptions {
  /** From the dial to the last byte. */
  readonly timeoutMillis: number
  readonly maxResponseBytes: number
  /** How names are resolved; the system's way if not said. */
  readonly resolve?: typeof resolveName | undefined
  /** Connections that are left open for the next call to the same place; without them each call has one of its own. */
  readonly kept?: KeptConnections | undefined
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Answered {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** All addresses of a name. */
const resolveName = (hostname: string): Promise<ReadonlyArray<LookupAddress>> => lookup(hostname, { all: true })

/** Resolves a name, and refuses it when any of its addresses is not public: which one is dialled would be a matter of luck. */
const guardedLookup =
  ({ allowPrivate, resolve = resolveName }: CallOptions): LookupFunction =>
  (hostname, options, callback) => {
    const taken = (addresses: ReadonlyArray<LookupAddress>): void => {
      const closed = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses
      if (closed !== undefined) callback(new ClosedAddress(hostname, closed.address), "")
      else if (first === undefined) callback(new Error(`${hostname} has no address`), "")
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    resolve(hostname).then(taken, (error: Error) => callback(error, ""))
  }

class ClosedAddress extends Error {
  constructor(hostname: string, address: string) {
    super(`${hostname} is ${address}, which is no address of the public internet`)
  }
}

const failureOf = (error: Error, sent: boolean): CallFailed => {
  if (error instanceof ClosedAddress) return new CallFailed({ kind: "forbidden", message: error.message })
  return new CallFailed({ kind: sent ? "broken" : "unreachable", message: error.message || error.name })
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
    )
  )

/** A connection that was left open had been closed by the other side when the call went out on it. */
class ClosedMeanwhile extends Data.TaggedError("ClosedMeanwhile")<{}> {}

/**
 * Makes the call. Whatever the status, it is an answer; redirects are answers too. A POST never goes over a connection that was used before: if the
 * other side closes it at that moment, nobody knows whether the call was heard, and a second one may be a second deed. All others are made again.
 */
export const call = (what: Call, options: CallOptions): Effect.Effect<Answered, CallFailed> => {
  const alone = Effect.catchTag(callOnce(what, { ...options, kept: undefined }), "ClosedMeanwhile", closed)
  if (options.kept === undefined || what.method === "POST") return alone
  return Effect.catchTag(callOnce(what, options), "ClosedMeanwhile", () => alone)
}

const closed = () => Effect.fail(new CallFailed({ kind: "broken", message: "the connection was closed" }))

const requestTo = (url: URL, { body, headers, method }: Call, options: CallOptions, signal: AbortSignal) => {
  const settings: RequestOptions = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
    lookup: guardedLookup(options),
    agent: options.kept?.agentOf(url) ?? false,
    signal
  }
  return (url.protocol === "https:" ? requestHttps : requestHttp)(url, settings)
}

/** The last look is at what the connection has become, since an address in the URL is never looked up. */
const lookedAt = (url: URL, socket: Socket, { allowPrivate }: CallOptions): CallFailed | undefined => {
  const address = socket.remoteAddress ?? ""
  if (allowPrivate || isIP(address) === 0 || isPublicAddress(address)) return undefined
  return failureOf(new ClosedAddress(url.hostname, address), false)
}

const callOnce = (what: Call, options: CallOptions): Effect.Effect<Answered, CallFailed | ClosedMeanwhile> =>
  Effect.callback((resume, signal) => {
    const destination = destinationOf(what.url, options)
    if (destination._tag === "Forbidden") {
      return resume(Effect.fail(new CallFailed({ kind: "forbidden", message: destination.why })))
    }
    const { url } = destination
    const { kept, maxResponseBytes, timeoutMillis } = options
    let progress: "dialling" | "connected" | "answering" | "done" = "dialling"
    const end = (result: Effect.Effect<Answered, CallFailed | ClosedMeanwhile>, isWhole = false): void => {
      if (progress === "done") return
      progress = "done"
      clearTimeout(timer)
      // The connection of a whole answer stays where it is kept.
      if (!isWhole || kept === undefined) request.destroy()
      resume(result)
    }
    const fail = (kind: CallFailed["kind"], message: string): void => {
      if (progress !== "done") end(Effect.fail(new CallFailed({ kind, message })))
    }
    const timer = setTimeout(() => fail("timeout", `no whole answer within ${timeoutMillis} ms`), timeoutMillis)
    const request = requestTo(url, what, options, signal)
    request.on("response", (response) => {
      progress = progress === "done" ? progress : "answering"
      const chunks: Array<Buffer> = []
      let size = 0
      response.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size <= maxResponseBytes) chunks.push(chunk)
        else fail("too-large", `the answer has more than ${maxResponseBytes} bytes`)
      })
      response.on("end", () => {
        if (!response.complete) return
        const answered = { status: response.statusCode ?? 0, headers: headersOf(response) }
        end(Effect.succeed({ ...answered, body: Buffer.concat(chunks).toString("utf8") }), true)
      })
      response.on("close", () => fail("broken", "the answer broke off"))
    })
    request.on("socket", (socket: Socket) => {
      const connected = () => {
        progress = progress === "dialling" ? "connected" : progress
        const failure = lookedAt(url, socket, options)
        if (failure !== undefined) end(Effect.fail(failure))
      }
      if (socket.connecting) socket.once("connect", connected)
      else connected()
    })
    request.on("error", (error) => {
      if (request.reusedSocket && progress === "connected") end(Effect.fail(new ClosedMeanwhile()))
      else end(Effect.fail(failureOf(error, progress !== "dialling")))
    })
    request.end(what.body)
  })
