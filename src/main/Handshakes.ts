/**
 * How many TLS handshakes may begin in a second, from one network and in all. A handshake takes most of a millisecond of the main thread before the
 * client has said who it is. Connections over the limit wait until it is their turn; what waits too long is closed. So chargers that all reconnect
 * after an outage are let in one after the other, and a stranger who does nothing but connect leaves half of the thread to others.
 */
import type { Server } from "node:https"
import type { Socket } from "node:net"
import { Metric } from "effect"
import { Buckets } from "../domain/values/Buckets.ts"

export interface HandshakesOptions {
  readonly perSecond: number
  readonly perNetworkPerSecond: number
  /** How long a connection may wait, and how many may, from one network and in all. */
  readonly waitMillis: number
  readonly waitingPerNetwork: number
  readonly waiting: number
  /** The network of an address; undefined if it is a trusted proxy, whose connections are those of many. */
  readonly networkOf: (address: string | undefined) => string | undefined
}

const lookEveryMillis = 25
const namesMax = 10_000
const everybody = "all"
const proxies = "trusted proxies"

export const handshakesRefused = Metric.counter("tls_handshakes_refused_total", {
  description:
    "Connections that were closed before their TLS handshake, because their network or all together began too many",
  incremental: true
})

interface Held {
  readonly socket: Socket
  readonly network: string
  readonly until: number
}

export class Handshakes {
  private readonly options: HandshakesOptions
  private readonly refused: () => void
  private readonly networks: Buckets
  private readonly all: Buckets
  private held: Array<Held> = []
  private readonly heldOf = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(options: HandshakesOptions, refused: () => void) {
    this.options = options
    this.refused = refused
    this.networks = new Buckets(options.perNetworkPerSecond, 1000, namesMax)
    this.all = new Buckets(options.perSecond, 1000, 1)
  }

  /** Lets the server's connections begin their handshakes one after the other. On Deno handshakes run outside the main thread, and nothing is limited. */
  limit(server: Server): void {
    const [begin] = server.listeners("connection")
    if (begin === undefined) return
    server.removeAllListeners("connection")
    server.on("connection", (socket: Socket) => this.admit(socket, (admitted) => void begin.call(server, admitted)))
  }

  private admit(socket: Socket, begin: (socket: Socket) => void): void {
    const { networkOf, waiting, waitingPerNetwork, waitMillis } = this.options
    const network = networkOf(socket.remoteAddress)
    const name = network ?? proxies
    const now = performance.now()
    const waitingHere = this.heldOf.get(name) ?? 0
    if (waitingHere === 0 && this.take(name, now)) return begin(socket)
    if (this.held.length >= waiting || (network !== undefined && waitingHere >= waitingPerNetwork)) {
      this.refused()
      return void socket.destroy()
    }
    // Without a listener an error of the connection would end the process.
    socket.on("error", () => undefined)
    this.held.push({ socket, network: name, until: now + waitMillis })
    this.heldOf.set(name, waitingHere + 1)
    this.timer ??= setInterval(() => this.look(begin), lookEveryMillis).unref()
  }

  private take(network: string, now: number): boolean {
    if (!this.all.has(everybody, now)) return false
    if (network !== proxies && !this.networks.take(network, now)) return false
    return this.all.take(everybody, now)
  }

  private look(begin: (socket: Socket) => void): void {
    const now = performance.now()
    const usedUp = new Set<string>()
    const left: Array<Held> = []
    for (const one of this.held) {
      if (one.socket.destroyed) this.release(one)
      else if (now > one.until) {
        this.release(one)
        this.refused()
        one.socket.destroy()
      } else if (!usedUp.has(one.network) && this.take(one.network, now)) {
        this.release(one)
        begin(one.socket)
      } else {
        usedUp.add(one.network)
        left.push(one)
      }
    }
    this.held = left
    if (left.length > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  private release({ network }: Held): void {
    const left = (this.heldOf.get(network) ?? 1) - 1
    if (left > 0) this.heldOf.set(network, left)
    else this.heldOf.delete(network)
  }
}
