/**
 * The only listeners on a charger's websocket. The same five functions serve every connection and find its owner on the
 * socket itself, since closures for each connection would take most of the memory of an idle charger.
 */
import { type RawData, WebSocket } from "ws"

/** What the websocket reports to its connection. */
export interface SocketOwner {
  readonly message: (data: RawData, isBinary: boolean) => void
  /** The charger sent a ping; `ws` has answered it. */
  readonly pinged: () => void
  readonly ponged: () => void
  /** The charger broke a rule of websockets; `ws` is closing with a suitable code. `code` is the name that `ws` has for the rule. */
  readonly failed: (code: string) => void
  readonly closed: (code: number, reason: string) => void
}

export class ChargerWebSocket extends WebSocket {
  private owner: SocketOwner | undefined = undefined

  /** Reports all events of the socket to `owner`, for its whole life. */
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
