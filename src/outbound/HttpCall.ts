/**
 * One HTTP call to somebody whom we do not trust: the name is resolved by us and the connection goes to the very address that was looked at, no
 * redirect is followed, and what comes back is bounded in time and size (T16, T31).
 */
import type { LookupAddress } from "node:dns"
import { lookup } from "node:dns/promises"
import { request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http"
import { request as requestHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Data, Effect } from "effect"
import { destinationOf, type DestinationOptions, isPublicAddress } from "./Destination.ts"

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

/** Makes the call. Whatever the status, it is an answer; redirects are answers too. */
export const call = (
  { body, headers, method, url: text }: Call,
  options: CallOptions
): Effect.Effect<Answered, CallFailed> =>
  Effect.callback((resume, signal) => {
    const destination = destinationOf(text, options)
    if (destination._tag === "Forbidden") {
      return resume(Effect.fail(new CallFailed({ kind: "forbidden", message: destination.why })))
    }
    const { url } = destination
    const { allowPrivate, maxResponseBytes, timeoutMillis } = options
    const settings: RequestOptions = {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      lookup: guardedLookup(options),
      // A connection of its own: none is left open that was looked at for another name.
      agent: false,
      signal
    }
    let connected = false
    let done = false
    const end = (result: Effect.Effect<Answered, CallFailed>): void => {
      if (done) return
      done = true
      clearTimeout(timer)
      request.destroy()
      resume(result)
    }
    const timer = setTimeout(() => {
      const message = `no whole answer within ${timeoutMillis} ms`
      end(Effect.fail(new CallFailed({ kind: "timeout", message })))
    }, timeoutMillis)
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, settings, (response) => {
      const chunks: Array<Buffer> = []
      let size = 0
      response.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size <= maxResponseBytes) chunks.push(chunk)
        else {
          const message = `the answer has more than ${maxResponseBytes} bytes`
          end(Effect.fail(new CallFailed({ kind: "too-large", message })))
        }
      })
      response.on("end", () => {
        if (!response.complete) return
        const answered = { status: response.statusCode ?? 0, headers: headersOf(response) }
        end(Effect.succeed({ ...answered, body: Buffer.concat(chunks).toString("utf8") }))
      })
      response.on("close", () => end(Effect.fail(new CallFailed({ kind: "broken", message: "the answer broke off" }))))
    })
    request.on("socket", (socket) => {
      // An address in the URL is never looked up: the last look is at what the connection has become.
      socket.once("connect", () => {
        connected = true
        const address = socket.remoteAddress ?? ""
        if (!allowPrivate && isIP(address) !== 0 && !isPublicAddress(address)) {
          end(Effect.fail(failureOf(new ClosedAddress(url.hostname, address), false)))
        }
      })
    })
    request.on("error", (error) => end(Effect.fail(failureOf(error, connected))))
    request.end(body)
  })
