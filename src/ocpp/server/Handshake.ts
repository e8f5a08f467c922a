/**
 * One upgrade request between its arrival and its answer. It is answered exactly once, whichever comes first: the admission, a refusal,
 * the deadline, or the client that went away.
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

  /** `onSettled` is called once, when the request needs no answer any more. */
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

  /** True when no answer is awaited any more. */
  get isSettled(): boolean {
    return this.settled
  }

  /** Answers with a refusal. A client that does not even read that is cut after `lingerMillis`. False when it was settled already. */
  refuse(refusal: Refusal, lingerMillis: number): boolean {
    if (!this.settle()) return false
    this.socket.setTimeout(lingerMillis, () => this.socket.destroy())
    writeRefusal(this.duplex, refusal)
    return true
  }

  /** Hands the socket to `upgrade`, which answers 101. False when it was settled already. */
  upgrade(upgrade: (socket: Duplex) => void): boolean {
    if (!this.settle()) return false
    upgrade(this.duplex)
    // The websocket listens by now, or the socket has been destroyed and may still report an error.
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
