/**
 * One request in hand per connection. Node's HTTP parser reports every request that a client has written (pipelining, RFC 9112 §9.3.2) as soon as
 * its bytes arrive, so a client that writes a thousand of them and leaves has a thousand handled. Here the parser gets the bytes of the next
 * request when the last answer has gone out. What a client writes meanwhile waits in its socket, and is dropped with it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Bytes of further requests that are kept before the socket is not read any more. Until then it is noticed at once when the client leaves. */
export const waitingBytesMax = 64 * 1024

/** A part of a body whose length is unknown. Its end, and a few small requests after it, may be within one part. */
const bodyPartBytes = 1024

/** Bytes without a request after which a connection is closed: twice the largest headers. Blank lines before a request are not headers for Node. */
const strayBytesMax = 32 * 1024

/** Refusals by the parser itself (an unknown `Expect`, for example) that are given before other connections have their turn. */
const partsAtOnce = 16

/** The shortest request with its empty line: `GET / HTTP/1.1`. */
const shortestRequest = 18

const headersEnd = Buffer.from("\r\n\r\n")
const nothing = Buffer.alloc(0)

const part = (of: unknown, name: string): unknown =>
  typeof of === "object" && of !== null ? (of as Readonly<Record<string, unknown>>)[name] : undefined

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The bytes of a request's body; undefined if they are not known in advance. */
const bodyLength = ({ headers }: IncomingMessage): number | undefined =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined

class Connection {
  private readonly socket: Socket
  private readonly parser: (bytes: Buffer) => void
  private readonly handle: Handler
  private waiting: Buffer = nothing
  /** How many bytes of `headersEnd` the parser has seen last. */
  private begunEnd = 0
  private strayBytes = 0
  /** The request whose answer has not gone out. */
  private inHand: Exchange | undefined
  /** The last request of which the parser has seen the headers, and how much of its body it has not seen. */
  private parsed: IncomingMessage | undefined
  private bodyLeft: number | undefined
  /** Requests that were parsed together with the end of a body of unknown length. */
  private readonly early: Array<Exchange> = []
  private isHeld = false
  private isDue = false

  constructor(socket: Socket, parser: (bytes: Buffer) => void, handle: Handler) {
    this.socket = socket
    this.parser = parser
    this.handle = handle
    const resume = socket.resume.bind(socket)
    // Node resumes the socket whenever a request is read.
    socket.resume = () => (this.isHeld ? socket : resume())
    socket.on("data", this.received)
    socket.on("close", this.drop)
  }

  /** The parser has read the headers of a request. */
  requested(request: IncomingMessage, response: ServerResponse): void {
    this.strayBytes = 0
    this.parsed = request
    this.bodyLeft = bodyLength(request)
    if (this.inHand === undefined) this.begin({ request, response })
    else this.early.push({ request, response })
  }

  private readonly received = (bytes: Buffer): void => {
    this.waiting = this.waiting.length === 0 ? bytes : Buffer.concat([this.waiting, bytes])
    this.advance()
  }

  private readonly drop = (): void => {
    this.waiting = nothing
    this.early.length = 0
  }

  private begin(exchange: Exchange): void {
    this.inHand = exchange
    exchange.response.once("close", () => {
      this.inHand = undefined
      this.later()
    })
    this.handle(exchange.request, exchange.response)
  }

  /** Continues after other connections have had their turn. */
  private later(): void {
    if (this.isDue || (this.early.length === 0 && this.waiting.length === 0)) return
    this.isDue = true
    setImmediate(() => {
      this.isDue = false
      const next = this.socket.destroyed ? undefined : this.early.shift()
      if (next === undefined) this.advance()
      else this.begin(next)
    })
  }

  private advance(): void {
    for (let parts = 0; this.waiting.length > 0; parts += 1) {
      if (this.socket.destroyed || !this.socket.writable) return this.drop()
      if (this.parsed?.complete === false) {
        this.parse(this.bodyPartLength())
        continue
      }
      if (this.inHand !== undefined || this.early.length > 0) return this.hold()
      if (this.isDue) return
      if (parts >= partsAtOnce) return this.later()
      if (this.strayBytes > strayBytesMax) return void this.socket.destroy()
      this.parse(this.headersLength())
    }
    this.release()
  }

  private parse(length: number): void {
    const bytes = this.waiting.subarray(0, length)
    this.waiting = this.waiting.subarray(length)
    this.strayBytes = this.parsed?.complete === false ? 0 : this.strayBytes + length
    if (length >= headersEnd.length) this.begunEnd = 0
    for (const byte of bytes.subarray(-headersEnd.length + 1)) {
      if (byte === headersEnd[this.begunEnd]) this.begunEnd = (this.begunEnd + 1) % headersEnd.length
      else this.begunEnd = byte === headersEnd[0] ? 1 : 0
    }
    if (this.bodyLeft !== undefined) this.bodyLeft -= length
    this.parser(bytes)
    // The socket was given to another protocol.
    if (part(this.socket, "parser") === null && !this.socket.destroyed) this.leave()
  }

  /** The bytes that the parser has not seen belong to the new protocol, unless earlier requests have not been answered. */
  private leave(): void {
    const { socket, waiting } = this
    this.drop()
    socket.off("data", this.received)
    socket.off("close", this.drop)
    Reflect.deleteProperty(socket, "resume")
    if (this.inHand !== undefined) socket.destroy()
    else if (waiting.length > 0) socket.unshift(waiting)
  }

  /** Up to and including the next end of headers. */
  private headersLength(): number {
    const { begunEnd, strayBytes, waiting } = this
    const rest = headersEnd.subarray(begunEnd)
    if (strayBytes > 0 && begunEnd > 0 && waiting.subarray(0, rest.length).equals(rest)) return rest.length
    const at = waiting.indexOf(headersEnd, strayBytes === 0 ? shortestRequest - headersEnd.length : 0)
    return at < 0 ? waiting.length : at + headersEnd.length
  }

  private bodyPartLength(): number {
    const { bodyLeft, waiting } = this
    if (bodyLeft !== undefined) return Math.min(Math.max(bodyLeft, 1), waiting.length)
    const at = waiting.indexOf(headersEnd, bodyPartBytes)
    return at < 0 ? waiting.length : at + headersEnd.length
  }

  /** Stops reading while more than enough is waiting. */
  private hold(): void {
    if (this.waiting.length < waitingBytesMax || this.isHeld) return
    this.isHeld = true
    this.socket.pause()
  }

  private release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.socket.resume()
  }
}

/**
 * Makes `handle` get the requests of `server`, those of each connection one at a time. `event` is the one with which the server gets a socket that
 * it reads requests from.
 */
export const oneAtATime = (
  server: Server | SecureServer,
  event: "connection" | "secureConnection",
  handle: Handler
): void => {
  const connections = new WeakMap<Socket, Connection>()
  // Otherwise the parser reads from the handle, past the socket.
  server.prependListener(event, (socket: Socket) => {
    const source = part(socket, "_handle")
    if (typeof source === "object" && source !== null) Object.assign(source, { _consumed: true })
  })
  server.on(event, (socket: Socket) => {
    const [parser] = socket.listeners("data")
    if (parser === undefined) return
    socket.removeAllListeners("data")
    connections.set(socket, new Connection(socket, (bytes) => void Reflect.apply(parser, socket, [bytes]), handle))
  })
  const requested: Handler = (request, response) => {
    const connection = connections.get(request.socket)
    if (connection === undefined) handle(request, response)
    else connection.requested(request, response)
  }
  server.on("request", requested)
  // Node would answer an expectation that it does not know by itself, outside all limits (RFC 9110 §10.1.1).
  server.on("checkExpectation", requested)
}
