/**
 * The charger's side of OCPP 1.6J: dials until it is admitted, sends one CALL at a time, keeps transaction messages in order until they are answered,
 * and passes the service's CALLs to its owner. It shares no code with the service.
 */
import { WebSocket } from "ws"

export type Payload = Readonly<Record<string, unknown>>

interface Message {
  readonly action: string
  readonly payload: () => Payload
  readonly answered?: ((answer: Payload) => void) | undefined
  /** Sent again until it is answered. */
  readonly isKept: boolean
}

export interface SocketOptions {
  readonly url: string
  readonly password: string
  /** Called when the connection is open, before waiting messages are sent. */
  readonly opened: () => void
  /** The payload that answers a CALL of the service; undefined if this charger does not know the action. */
  readonly asked: (action: string, payload: Payload) => Payload | undefined
}

const answerLimitMillis = 30_000
const redialMillis = { least: 500, most: 8_000 }

const isPayload = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export class Socket {
  private readonly options: SocketOptions
  private readonly first: Array<Message> = []
  private readonly queue: Array<Message> = []
  private socket: WebSocket | undefined
  private waiting: { readonly id: string; readonly message: Message; readonly timer: NodeJS.Timeout } | undefined
  private redial: NodeJS.Timeout | undefined
  private tries = 0
  private count = 0
  private isWanted = false

  constructor(options: SocketOptions) {
    this.options = options
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  /** The number of messages that are not answered yet. */
  get backlog(): number {
    return this.queue.length + this.first.length + (this.waiting === undefined ? 0 : 1)
  }

  start(): void {
    if (this.isWanted) return
    this.isWanted = true
    this.dial()
  }

  /** Cuts the connection without a closing handshake, as a loss of power or network does. Transaction messages stay queued. */
  cut(): void {
    this.isWanted = false
    clearTimeout(this.redial)
    this.socket?.terminate()
  }

  /** Queues a message ahead of all others, for a boot. It is dropped if the connection is lost. */
  begin(action: string, payload: () => Payload, answered?: (answer: Payload) => void): void {
    this.first.push({ action, payload, answered, isKept: false })
    this.pump()
  }

  /** `isKept`: a transaction message. Any other message is dropped if there is no connection. */
  send(action: string, payload: () => Payload, isKept = false, answered?: (answer: Payload) => void): void {
    if (!isKept && !this.isOpen) return
    this.queue.push({ action, payload, answered, isKept })
    this.pump()
  }

  private dial(): void {
    const { password, url } = this.options
    const id = decodeURIComponent(url.split("/").at(-1) ?? "")
    const socket = new WebSocket(url, ["ocpp1.6"], {
      headers: { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}` },
      perMessageDeflate: false,
      handshakeTimeout: 20_000
    })
    this.socket = socket
    socket.on("open", () => {
      this.tries = 0
      this.options.opened()
      this.pump()
    })
    socket.on("message", (data: Buffer) => this.hear(socket, data.toString()))
    socket.on("error", () => undefined)
    socket.on("close", () => this.lost(socket))
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return
    this.release()
    this.first.length = 0
    const kept = this.queue.filter(({ isKept }) => isKept)
    this.queue.splice(0, this.queue.length, ...kept)
    if (!this.isWanted) return
    const wait = Math.min(redialMillis.most, redialMillis.least * 2 ** this.tries++)
    this.redial = setTimeout(() => this.dial(), wait * (0.5 + Math.random()))
  }

  /** Puts the message that waits for its answer back at the head of its queue. */
  private release(): void {
    if (this.waiting === undefined) return
    clearTimeout(this.waiting.timer)
    const { message } = this.waiting
    this.waiting = undefined
    if (message.isKept) this.queue.unshift(message)
  }

  private pump(): void {
    if (this.waiting !== undefined || !this.isOpen) return
    const message = this.first.shift() ?? this.queue.shift()
    if (message === undefined) return
    const id = `${++this.count}-${Math.random().toString(36).slice(2, 8)}`
    const timer = setTimeout(() => this.socket?.terminate(), answerLimitMillis)
    this.waiting = { id, message, timer }
    this.socket?.send(JSON.stringify([2, id, message.action, message.payload()]))
  }

  private hear(socket: WebSocket, text: string): void {
    if (socket !== this.socket) return
    const frame: unknown = JSON.parse(text)
    if (!Array.isArray(frame)) return
    const [type, id, third, fourth] = frame as ReadonlyArray<unknown>
    if (type === 2) {
      const answer = this.options.asked(String(third), isPayload(fourth) ? fourth : {})
      const reply = answer === undefined ? [4, id, "NotImplemented", "", {}] : [3, id, answer]
      return socket.send(JSON.stringify(reply))
    }
    const { waiting } = this
    if (waiting === undefined || waiting.id !== id) return
    const { message, timer } = waiting
    clearTimeout(timer)
    if (type === 4 && message.isKept) {
      // The service could not store it: send it again in a moment.
      this.release()
      return void setTimeout(() => this.pump(), 1_000)
    }
    this.waiting = undefined
    if (type === 3 && isPayload(third)) message.answered?.(third)
    this.pump()
  }
}
