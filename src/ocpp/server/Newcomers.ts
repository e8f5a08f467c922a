/**
 * Sockets that have connected and not sent a request yet. A client that opens thousands of them and sends a byte a
 * minute (slowloris, CWE-400) loses them after some seconds, and the oldest one at once if there are too many. Honest
 * clients send their request as soon as they are connected.
 */
import type { IncomingMessage, Server } from "node:http"
import type { Server as SecureServer } from "node:https"
import type { Socket } from "node:net"

interface Newcomer {
  readonly socket: Socket
  readonly at: number
  /** The listener for its close. */
  readonly gone: () => void
}

/**
 * A TLS server reports the same connection first as the raw socket and then as the encrypted one; both have the same
 * addresses and ports.
 */
const endsOf = (socket: Socket): string =>
  `${socket.remoteAddress ?? ""} ${socket.remotePort ?? ""} ${socket.localPort ?? ""}`

export class Newcomers {
  private readonly waiting = new Map<string, Newcomer>()
  private readonly max: number
  private readonly patienceMillis: number
  private readonly now: () => number

  constructor(max: number, patienceMillis: number, now: () => number) {
    this.max = max
    this.patienceMillis = patienceMillis
    this.now = now
  }

  get size(): number {
    return this.waiting.size
  }

  /** Watches the connections of `server`, whose upgrades are reported by `spoke`. Returns a function that stops it. */
  watch(server: Server | SecureServer): () => void {
    const arrived = (socket: Socket): void => this.arrived(socket)
    const asked = (request: IncomingMessage): void => this.spoke(request.socket)
    server.on("connection", arrived)
    server.on("request", asked)
    return () => {
      server.off("connection", arrived)
      server.off("request", asked)
    }
  }

  /** Closes sockets that have been silent for too long. */
  sweep(): void {
    const now = this.now()
    for (const [ends, newcomer] of this.waiting) {
      if (now - newcomer.at < this.patienceMillis) return
      this.waiting.delete(ends)
      newcomer.socket.destroy()
    }
  }

  /** The socket has sent a complete request. */
  spoke(socket: Socket): void {
    const ends = endsOf(socket)
    const newcomer = this.waiting.get(ends)
    if (newcomer === undefined) return
    this.waiting.delete(ends)
    newcomer.socket.off("close", newcomer.gone)
  }

  private arrived(socket: Socket): void {
    if (this.waiting.size >= this.max) {
      const [ends, oldest] = this.waiting.entries().next().value!
      this.waiting.delete(ends)
      oldest.socket.destroy()
    }
    const ends = endsOf(socket)
    const newcomer: Newcomer = {
      socket,
      at: this.now(),
      // The same addresses and ports may belong to a newer socket by then.
      gone: () => void (this.waiting.get(ends) === newcomer && this.waiting.delete(ends))
    }
    this.waiting.set(ends, newcomer)
    socket.once("close", newcomer.gone)
  }
}
