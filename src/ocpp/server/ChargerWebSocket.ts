/**
 * The one place that listens to a charger's websocket. The listeners are the same five functions for every connection and find their
 * owner on the socket itself, since closures per connection would be most of what an idle charger costs.
 */
import { type RawData, WebSocket } from "ws"

/** What the websocket reports to its connection. */
export interface SocketOwner {
  readonly message: (data: RawData, isBinary: boolean) => void
  /** A ping of the charger's own; `ws` has answered it. */
  readonly pinged: () => void
  readonly ponged: () => void
  /** A rule of websockets was broken; `ws` is closing with a fitting code. `code` is its name for the rule. */
  readonly failed: (code: string) => void
  readonly closed: (code: number, reason: string) => void
}

export class ChargerWebSocket extends WebSocket {
  private owner: SocketOwner | undefined = undefined

  /** Sends everything that happens to `owner`, for good. */
  listen(owner: SocketOwner): void {
    this.owner = owner
    this.on("message", onMessage)
    this.on("ping", onPing)
    this.on("pong", onPong)
    this.on("error", onError)
    this.on("close", onClose)
  }

  static ownerOf(ws: WebSocket): SocketOwner | undefined {
    return ws instanceof ChargerWebSocket ? ws.owner : undefined
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  ChargerWebSocket.ownerOf(this)?.message(data, isBinary)
}
function onPing(this: WebSocket): void {
  ChargerWebSocket.ownerOf(this)?.pinged()
}
function onPong(this: WebSocket): void {
  ChargerWebSocket.ownerOf(this)?.ponged()
}
function onError(this: WebSocket, error: Error): void {
  ChargerWebSocket.ownerOf(this)?.failed("code" in error ? String(error.code) : "")
}
function onClose(this: WebSocket, code: number, reason: Buffer): void {
  ChargerWebSocket.ownerOf(this)?.closed(code, reason.toString("utf8"))
}
