/** One websocket by hand, for tests about connections themselves: dialled once, with any credentials, and never again by itself. */
import { WebSocket } from "ws"

/** A socket that the service has accepted. */
export class Connection {
  readonly socket: WebSocket
  /** The close code, once it is closed. */
  code: number | undefined
  private lastId = 0
  private readonly waiting = new Map<string, (answer: unknown) => void>()

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on("message", (data: Buffer) => {
      const frame: unknown = JSON.parse(data.toString())
      if (!Array.isArray(frame)) return
      const parts: ReadonlyArray<unknown> = frame
      // A minimal charger: it answers every CALL of the service with NotImplemented.
      if (parts[0] === 2) return socket.send(JSON.stringify([4, parts[1], "NotImplemented", "", {}]))
      this.waiting.get(String(parts[1]))?.(parts[2])
    })
    socket.on("close", (code) => {
      this.code = code
      for (const resume of this.waiting.values()) resume(undefined)
    })
  }

  get open(): boolean {
    return this.socket.readyState === WebSocket.OPEN
  }

  /** Sends a CALL; returns the answer, or undefined if the socket closed first. */
  call(action: string, payload: unknown): Promise<unknown> {
    if (!this.open) return Promise.resolve(undefined)
    const id = `d${++this.lastId}`
    return new Promise((resolve) => {
      this.waiting.set(id, (answer) => {
        this.waiting.delete(id)
        resolve(answer)
      })
      this.socket.send(JSON.stringify([2, id, action, payload]))
    })
  }

  /** True if the service answers this socket's heartbeat. */
  async alive(): Promise<boolean> {
    return (await this.call("Heartbeat", {})) !== undefined
  }
}

/**
 * Dials once. Returns the connection, or the HTTP status of the refusal (0 if the connection broke). `from` is the source address: all of 127.0.0.0/8
 * is this machine, and each /24 of it is another network to the service.
 */
export const dial = (
  ocppUrl: string,
  id: string,
  password?: string,
  from = "127.0.0.1"
): Promise<Connection | number> =>
  new Promise((resolve) => {
    const headers =
      password === undefined ? {} : { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}` }
    const socket = new WebSocket(`${ocppUrl}/${encodeURIComponent(id)}`, ["ocpp1.6"], {
      headers,
      localAddress: from,
      perMessageDeflate: false,
      handshakeTimeout: 30_000
    })
    const connection = new Connection(socket)
    socket.once("open", () => resolve(connection))
    socket.on("error", (error) => resolve(Number(/server response: (\d+)/.exec(error.message)?.[1] ?? 0)))
  })
