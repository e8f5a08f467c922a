/**
 * One simulated charger: a websocket, at most one CALL outstanding (OCPP-J 1.6 §4.1.1), and an answer to every CALL of
 * the server. It uses callbacks and no promise per message, since the generator shares the machine with the servers.
 */
import { WebSocket } from "ws"
import { answerToServer, boot, Meter } from "./frames.ts"

/** Chargers in the field wait 30 to 60 s for an answer. */
const ANSWER_LIMIT_MS = 30_000
const HANDSHAKE_LIMIT_MS = 30_000

/** `frame` is the CALLRESULT. It is undefined for a CALLERROR, a lost socket or a timeout; `problem` says which. */
export type OnAnswer = (frame: string | undefined, problem: string) => void

interface Pending {
  readonly prefix: string
  readonly sentAt: number
  readonly onAnswer: OnAnswer
}

let lastMessageId = 0

export class Charger {
  readonly id: string
  readonly idTag: string
  readonly meter = new Meter()
  serverCalls = 0
  private readonly url: string
  private readonly headers: Record<string, string>
  private socket: WebSocket | undefined
  private pending: Pending | undefined

  constructor(id: string, idTag: string, url: string, password: string | undefined) {
    this.id = id
    this.idTag = idTag
    this.url = `${url}/${id}`
    this.headers =
      password === undefined ? {} : { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}` }
  }

  get busy(): boolean {
    return this.pending !== undefined
  }

  get online(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  /** Opens the socket and boots. `done` gets undefined once the boot is accepted, otherwise what went wrong. */
  connect(done: (problem: string | undefined) => void): void {
    const socket = new WebSocket(this.url, ["ocpp1.6"], {
      headers: this.headers,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      handshakeTimeout: HANDSHAKE_LIMIT_MS
    })
    this.socket = socket
    let finished = false
    const finish = (problem: string | undefined): void => {
      if (finished) return
      finished = true
      done(problem)
    }
    socket.on("open", () =>
      this.call("BootNotification", boot, (frame, problem) => {
        if (frame === undefined) finish(`boot: ${problem}`)
        else finish(frame.includes(`"Accepted"`) ? undefined : `boot not accepted: ${frame}`)
      })
    )
    socket.on("message", (data: Buffer) => this.receive(socket, data.toString()))
    socket.on("error", (error) => finish(`dial: ${error.message}`))
    socket.on("close", (code) => {
      if (this.socket === socket) this.settle(undefined, `socket closed with ${code}`)
      finish(`closed with ${code}`)
    })
  }

  /** Sends one CALL. The caller must make sure that none is outstanding. */
  call(action: string, payload: string, onAnswer: OnAnswer): void {
    const id = `${++lastMessageId}`
    this.pending = { prefix: `[3,"${id}"`, sentAt: performance.now(), onAnswer }
    if (!this.online) queueMicrotask(() => this.settle(undefined, "offline"))
    else this.socket?.send(`[2,"${id}","${action}",${payload}]`)
  }

  /** Cuts the connection without a closing handshake, as a power failure at a gateway does. */
  cut(): void {
    const socket = this.socket
    this.socket = undefined
    this.settle(undefined, "cut")
    socket?.terminate()
  }

  /** Gives up a CALL that has waited too long; its late answer is ignored. */
  expire(now: number): void {
    if (this.pending !== undefined && now - this.pending.sentAt > ANSWER_LIMIT_MS)
      this.settle(undefined, "no answer in 30 s")
  }

  private receive(socket: WebSocket, frame: string): void {
    if (frame.startsWith("[2,")) {
      this.serverCalls++
      socket.send(answerToServer(frame))
    } else if (this.pending !== undefined && frame.startsWith(this.pending.prefix)) this.settle(frame, "")
    else this.settle(undefined, `unexpected frame: ${frame.slice(0, 200)}`)
  }

  private settle(frame: string | undefined, problem: string): void {
    const pending = this.pending
    this.pending = undefined
    pending?.onAnswer(frame, problem)
  }
}
