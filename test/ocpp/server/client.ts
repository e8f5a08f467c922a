/** The charger's side: real websocket clients, and handwritten upgrade requests that a client library would not send. */
import { connect as connectTcp, type Server, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import { type ClientOptions, WebSocket } from "ws"

export interface AttemptOptions extends ClientOptions {
  readonly protocols?: ReadonlyArray<string>
  readonly user?: string
  readonly password?: string | Uint8Array
  readonly secure?: boolean
}

/** A connected charger. */
export class Client {
  readonly ws: WebSocket
  readonly received: Array<string> = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  private waiters: Array<() => void> = []

  constructor(ws: WebSocket) {
    this.ws = ws
    ws.on("message", (data: Buffer) => {
      this.received.push(data.toString())
      this.wake()
    })
    ws.on("error", () => {})
    this.closed = new Promise((resolve) => {
      ws.on("close", (code, reason) => {
        resolve({ code, reason: reason.toString() })
        this.wake()
      })
    })
  }

  send(frame: string | Buffer | ReadonlyArray<unknown>): void {
    this.ws.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }

  /** The next frame that has not been taken yet. */
  async next(): Promise<unknown> {
    await until(() => this.received.length > 0 || this.ws.readyState === WebSocket.CLOSED, "a frame")
    const frame = this.received.shift()
    if (frame === undefined) throw new Error("the server closed the connection instead of answering")
    return JSON.parse(frame)
  }

  /** Sends a CALL and answers the frame that comes next. */
  call(action: string, payload: unknown = {}, id = "1"): Promise<unknown> {
    this.send([2, id, action, payload])
    return this.next()
  }

  private wake(): void {
    const { waiters } = this
    this.waiters = []
    for (const waiter of waiters) waiter()
  }
}

/** A safety limit: anything that happens by itself has happened long before, even on a busy machine. */
const vainMillis = 30_000

/** Waits until something that happens by itself has happened. */
export const until = async (isDone: () => boolean, what: string): Promise<void> => {
  const end = performance.now() + vainMillis
  while (!isDone()) {
    if (performance.now() > end) throw new Error(`waited ${vainMillis / 1000} seconds in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Waits a while for anything that must not happen; use `until` for what must happen. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

/** One iteration of the event loop. Deno reads no sockets before it runs `setImmediate` callbacks, only before timers. */
const turn = (): Promise<void> =>
  new Promise((resolve) => void ("Deno" in globalThis ? setTimeout(resolve, 2) : setImmediate(resolve)))

/**
 * Iterations of the event loop, each of which reads what has arrived: a message and its answer take two or three, since both ends are in
 * this process.
 */
export const eventLoopIterations = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await turn()
}

/** Resolves once `server` has accepted so many more connections. Call it before they are made. */
export const connectionsTo = (server: { readonly http: Server }, count: number): Promise<void> =>
  new Promise((resolve) => {
    let left = count
    const connected = (): void => {
      if (--left > 0) return
      server.http.off("connection", connected)
      resolve()
    }
    server.http.on("connection", connected)
  })

export type Outcome =
  | { readonly status: 101; readonly client: Client; readonly protocol: string }
  | {
      readonly status: number
      readonly client: undefined
      readonly body: string
      readonly headers: Readonly<Record<string, unknown>>
    }

const basic = (user: string, password: string | Uint8Array): string =>
  `Basic ${Buffer.concat([Buffer.from(`${user}:`), Buffer.from(password)]).toString("base64")}`

/** Requests an upgrade at `path`; the user name is the path's last part unless it is given. */
export const attempt = (port: number, path: string, options: AttemptOptions = {}): Promise<Outcome> => {
  const { password, protocols = ["ocpp1.6"], secure = false, user = path.split("/").at(-1) ?? "", ...rest } = options
  const headers = { ...(password === undefined ? {} : { authorization: basic(user, password) }), ...rest.headers }
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(`${secure ? "wss" : "ws"}://127.0.0.1:${port}${path}`, [...protocols], {
      ...rest,
      headers
    })
    const client = new Client(ws)
    ws.once("open", () => {
      onTestFinished(() => ws.terminate())
      resolve({ status: 101, client, protocol: ws.protocol })
    })
    ws.once("error", reject)
    ws.once("unexpected-response", (_request, response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => (body += chunk.toString()))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, client: undefined, body, headers: response.headers })
      )
    })
  })
}

/** Connects, or fails the test. */
export const connect = async (port: number, chargerId: string, options: AttemptOptions = {}): Promise<Client> => {
  const outcome = await attempt(port, `/ocpp/${encodeURIComponent(chargerId)}`, { user: chargerId, ...options })
  if (outcome.client === undefined) throw new Error(`${chargerId} was refused: ${outcome.status} ${outcome.body}`)
  return outcome.client
}

/** Sends `request` and returns the answer once the server closes or has switched protocols, or `millis` are over. */
export const raw = (port: number, request: string, millis = vainMillis): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectTcp(port, "127.0.0.1", () => socket.write(request))
    let answer = ""
    const timer = setTimeout(() => socket.destroy(), millis)
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
      if (/^HTTP\/1\.1 101 [^]*\r\n\r\n/.test(answer)) socket.destroy()
    })
    socket.on("error", reject)
    socket.on("close", () => {
      clearTimeout(timer)
      resolve(answer)
    })
  })

/** A handwritten upgrade request: `lines` are added to the handshake's headers, or replace them by name. */
export const upgradeRequest = (target: string, lines: Readonly<Record<string, string | undefined>> = {}): string => {
  const all: Record<string, string | undefined> = {
    Host: "127.0.0.1",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "ocpp1.6",
    ...lines
  }
  const text = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return `GET ${target} HTTP/1.1\r\n${text.join("\r\n")}\r\n\r\n`
}

/** The TCP socket of a client. */
export const socketOf = ({ ws }: Client): Socket => (ws as unknown as { readonly _socket: Socket })._socket
