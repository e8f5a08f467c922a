/**
 * One upgrade request from its arrival to its answer. It is settled exactly once, by whichever comes first: the
 * admission, a refusal, the deadline, or the client's disconnection.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type Refusal, writeRefusal } from "./Refusals.ts"
import type { Origin } from "./RemoteAddress.ts"

export class Handshake {
  readonly request: IncomingMessage
  readonly head: Buffer
  readonly origin: Origin
  /** ms epoch. */
  readonly at: number
  private readonly duplex: Duplex
  private readonly onSettled: (handshake: Handshake) => void
  private settled = false

  /** `onSettled` is called once, when the request needs no more answer. */
  constructor(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    origin: Origin,
    at: number,
    onSettled: (handshake: Handshake) => void
  ) {
    this.request = request
    this.duplex = socket
    this.head = head
    this.origin = origin
    this.at = at
    this.onSettled = onSettled
    socket.on("error", this.onError)
    socket.on("close", this.onClose)
  }

  /** The TCP or TLS socket. */
  get socket(): Socket {
    return this.request.socket
  }

  /** True if the request needs no more answer. */
  get isSettled(): boolean {
    return this.settled
  }

  /**
   * Answers with a refusal. The connection of a client that does not read it is cut after `lingerMillis`. False if it
   * was settled already.
   */
  refuse(refusal: Refusal, lingerMillis: number): boolean {
    if (!this.settle()) return false
    this.socket.setTimeout(lingerMillis, () => this.socket.destroy())
    writeRefusal(this.duplex, refusal)
    return true
  }

  /** Passes the socket to `upgrade`, which answers 101. False if it was settled already. */
  upgrade(upgrade: (socket: Duplex) => void): boolean {
    if (!this.settle()) return false
    upgrade(this.duplex)
    // The websocket has its own listeners now. A destroyed socket may still report an error.
    if (!this.duplex.destroyed) this.duplex.off("error", this.onError)
    this.duplex.off("close", this.onClose)
    return true
  }

  private settle(): boolean {
    if (this.settled) return false
    this.settled = true
    this.onSettled(this)
    return true
  }

  private readonly onError = (): void => {
    this.duplex.destroy()
  }

  private readonly onClose = (): void => {
    this.settle()
  }
}
