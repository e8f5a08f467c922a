/**
 * An OCPP 1.6J charger that shares no code with the service. It dials until it is accepted, boots, keeps a first-in-first-out queue of transaction
 * messages over every disconnect, and repeats each under a new message id until it has a CALLRESULT, as chargers in the field do (OCPP 1.6 §3.7.1,
 * §4.1.1). Any violation that it observes goes into `problems`.
 */
import { WebSocket } from "ws"
import { between, type Random } from "./Choice.ts"
import type { Tally } from "./History.ts"

export interface ChargerSettings {
  readonly id: string
  /** `ws://host:port/ocpp`, without the id. */
  readonly url: string
  readonly password?: string | undefined
  readonly random: Random
  /** Whether it boots at every connect or only at its first; both are common. */
  readonly boots: "once" | "always"
  /** How long it waits for an answer before it regards the message as lost, in ms. */
  readonly answerLimitMillis: number
  /** Shared by all chargers of a fleet. */
  readonly tally: Tally
}

/** A CALL to be sent. `payload` is called at each attempt, since the transaction id may become known in between. */
export interface Outgoing {
  readonly action: string
  readonly payload: () => unknown
  readonly onSent?: () => void
  /** Called for every CALLRESULT, also for one that arrives after the attempt timed out and the message was sent again. */
  readonly onResult?: (payload: Readonly<Record<string, unknown>>) => void
}

interface Pending {
  readonly messageId: string
  readonly message: Outgoing
  readonly queued: boolean
  readonly timer: NodeJS.Timeout
}

/** Chargers in the field wait for seconds to minutes; a test that kills the service every second cannot. */
const redialMillis = { first: 100, last: 3_000 }

/** OCPP's TransactionMessageRetryInterval times the attempt, shortened like the above. */
const retryMillis = { step: 100, last: 2_000 }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export class SimulatedCharger {
  readonly settings: ChargerSettings
  /** Violations by the service; empty if it behaves correctly. */
  readonly problems: Array<string> = []
  /** The close code of each socket that was open. */
  readonly closes: Array<number> = []
  /** Called when an open socket is closed, with the close code and the message id of a CALL that remains unanswered. */
  onClose: ((code: number, unanswered: string | undefined) => void) | undefined
  /** CALLRESULTs received. */
  acknowledged = 0
  private readonly queue: Array<Outgoing> = []
  private readonly asides: Array<Outgoing> = []
  /** Attempts that timed out without an answer: an answer that comes later still acknowledges the message. */
  private readonly inDoubt = new Map<string, Outgoing>()
  private socket: WebSocket | undefined
  private pending: Pending | undefined
  private redial: NodeJS.Timeout | undefined
  private resumeAt = 0
  private booted = false
  private wanted = false
  private ready = false
  private dials = 0
  private attempts = 0
  private messages = 0

  constructor(settings: ChargerSettings) {
    this.settings = settings
  }

  get id(): string {
    return this.settings.id
  }

  /** Connected and, if it has to boot, accepted. */
  get online(): boolean {
    return this.ready && this.socket?.readyState === WebSocket.OPEN
  }

  /** No message waits to be sent or answered. */
  get idle(): boolean {
    return this.queue.length === 0 && this.asides.length === 0 && this.pending === undefined
  }

  /** Transaction messages that are not acknowledged yet. */
  get backlog(): number {
    return this.queue.length
  }

  /** The action of the CALL that waits for its answer. */
  get waitingFor(): string | undefined {
    return this.pending?.message.action
  }

  /** The message id of the CALL that waits for its answer. */
  get waitingForId(): string | undefined {
    return this.pending?.messageId
  }

  /** Dials, and redials whenever the connection is lost, until `powerOff` or `stop`. */
  start(): void {
    if (this.wanted) return
    this.wanted = true
    this.dial()
  }

  /** Loss of power: no closing handshake, the queue stays (it is in flash), and the next start boots. */
  powerOff(): void {
    this.wanted = false
    this.booted = false
    clearTimeout(this.redial)
    this.socket?.terminate()
  }

  /** Loses the connection, and dials again at once. */
  dropLine(): void {
    this.socket?.terminate()
  }

  /** Closes with a handshake and waits for the end. */
  async stop(): Promise<void> {
    this.wanted = false
    clearTimeout(this.redial)
    const socket = this.socket
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    if (socket.readyState === WebSocket.OPEN) socket.close(1000)
    else socket.terminate()
    const timer = setTimeout(() => socket.terminate(), 2_000)
    await closed
    clearTimeout(timer)
  }

  /** Queues a transaction message: it is sent in order, and repeated until it is acknowledged. */
  enqueue(message: Outgoing): void {
    this.queue.push(message)
    this.pump()
  }

  /** Sends a message that is not repeated (a status, a heartbeat): it is dropped if the connection is lost. */
  mention(message: Outgoing): void {
    if (!this.online) return
    this.asides.push(message)
    this.pump()
  }

  private dial(): void {
    const { id, password, tally, url } = this.settings
    const headers =
      password === undefined ? {} : { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}` }
    const socket = new WebSocket(`${url}/${encodeURIComponent(id)}`, ["ocpp1.6"], {
      headers,
      perMessageDeflate: false,
      handshakeTimeout: 30_000
    })
    this.socket = socket
    this.ready = false
    let opened = false
    socket.on("open", () => {
      // It was switched off in the middle of the handshake.
      if (!this.wanted) return socket.terminate()
      opened = true
      this.dials = 0
      tally.add("connects")
      this.opened()
    })
    socket.on("message", (data: Buffer) => this.receive(socket, data.toString()))
    socket.on("error", (error) => {
      const status = /server response: (\d+)/.exec(error.message)?.[1]
      if (status !== undefined) tally.add(`refused ${status}`)
      else if (!opened) tally.add("unreachable")
    })
    socket.on("close", (code) => this.lost(socket, opened ? code : undefined))
  }

  private opened(): void {
    if (this.booted && this.settings.boots === "once") return this.becomeReady()
    const boot: Outgoing = {
      action: "BootNotification",
      payload: () => ({
        chargePointVendor: "Simulated",
        chargePointModel: "Fault",
        chargePointSerialNumber: `SN-${this.id}`,
        firmwareVersion: "1.0.0"
      }),
      onResult: (answer) => {
        if (typeof answer["currentTime"] !== "string" || !answer["currentTime"].endsWith("Z")) {
          this.problems.push(`boot was answered without a time in UTC: ${JSON.stringify(answer)}`)
        }
        if (answer["status"] !== "Accepted") {
          this.problems.push(`boot was answered ${String(answer["status"])}`)
          return
        }
        this.booted = true
        this.becomeReady()
      }
    }
    this.asides.unshift(boot)
    this.pump()
  }

  private becomeReady(): void {
    this.ready = true
    this.pump()
  }

  private lost(socket: WebSocket, code: number | undefined): void {
    if (socket !== this.socket) return
    this.ready = false
    const unanswered = this.waitingForId
    this.giveUp()
    this.inDoubt.clear()
    this.asides.length = 0
    if (code !== undefined) {
      this.closes.push(code)
      this.settings.tally.add(`closed ${code}`)
      this.onClose?.(code, unanswered)
    }
    if (!this.wanted) return
    const { first, last } = redialMillis
    const wait = Math.min(last, first * 2 ** this.dials++)
    this.redial = setTimeout(() => this.dial(), wait * (0.5 + this.settings.random()))
  }

  /** Sends the next CALL if none is outstanding and there is one to send. */
  private pump(): void {
    const socket = this.socket
    if (this.pending !== undefined || socket?.readyState !== WebSocket.OPEN) return
    const aside = this.asides[0]
    const queued = aside === undefined
    const message = aside ?? (this.ready && performance.now() >= this.resumeAt ? this.queue[0] : undefined)
    if (message === undefined) return
    if (!queued) this.asides.shift()
    // The counter restarts with each start of the charger, as in many real ones; the random part keeps ids unique over restarts.
    const messageId = `${++this.messages}-${between(this.settings.random, 0, 0xffffff).toString(36)}`
    const timer = setTimeout(() => {
      this.settings.tally.add(`unanswered ${message.action}`)
      this.giveUp()
      this.postpone()
    }, this.settings.answerLimitMillis)
    this.pending = { messageId, message, queued, timer }
    message.onSent?.()
    socket.send(JSON.stringify([2, messageId, message.action, message.payload()]))
  }

  /** The outstanding CALL got no answer. A queued message stays at the head of the queue and gets a new message id next time. */
  private giveUp(): void {
    const pending = this.pending
    if (pending === undefined) return
    clearTimeout(pending.timer)
    this.pending = undefined
    if (pending.queued) this.inDoubt.set(pending.messageId, pending.message)
  }

  private postpone(): void {
    const wait = Math.min(retryMillis.last, retryMillis.step * ++this.attempts)
    this.resumeAt = performance.now() + wait
    const socket = this.socket
    setTimeout(() => {
      if (socket !== this.socket) return
      // A boot that failed is repeated; until it is accepted nothing else may be sent.
      if (!this.ready && this.asides.length === 0 && this.pending === undefined) this.opened()
      else this.pump()
    }, wait + 1)
    this.pump()
  }

  private receive(socket: WebSocket, text: string): void {
    if (socket !== this.socket) return
    const frame: unknown = JSON.parse(text)
    if (!Array.isArray(frame)) return void this.problems.push(`no OCPP frame: ${text.slice(0, 200)}`)
    const parts: ReadonlyArray<unknown> = frame
    const messageId = String(parts[1])
    if (parts[0] === 2) return this.asked(socket, messageId, String(parts[2]), parts[3])
    if (parts[0] === 3 && isRecord(parts[2])) return this.result(messageId, parts[2])
    if (parts[0] === 4) return this.refused(messageId, String(parts[2]), String(parts[3]))
    this.problems.push(`neither CALL nor answer: ${text.slice(0, 200)}`)
  }

  private result(messageId: string, payload: Readonly<Record<string, unknown>>): void {
    this.acknowledged++
    const pending = this.pending
    if (pending?.messageId !== messageId) {
      const late = this.inDoubt.get(messageId)
      if (late === undefined) return void this.problems.push(`an answer to nothing: ${messageId}`)
      this.inDoubt.delete(messageId)
      this.settings.tally.add("late answers")
      return late.onResult?.(payload)
    }
    clearTimeout(pending.timer)
    this.pending = undefined
    this.attempts = 0
    if (pending.queued) this.queue.shift()
    pending.message.onResult?.(payload)
    this.pump()
  }

  private refused(messageId: string, code: string, description: string): void {
    const pending = this.pending
    if (pending?.messageId !== messageId) {
      if (!this.inDoubt.delete(messageId)) this.problems.push(`a CALLERROR to nothing: ${messageId}`)
      return
    }
    clearTimeout(pending.timer)
    this.pending = undefined
    this.settings.tally.add(`CALLERROR ${code}`)
    // Everything that this charger sends can be stored, so the only permitted CALLERROR is one for a problem of the service itself.
    if (code !== "InternalError") this.problems.push(`${pending.message.action} was answered ${code}: ${description}`)
    this.postpone()
  }

  /** Answers a CALL of the service as a simple charger does. */
  private asked(socket: WebSocket, messageId: string, action: string, payload: unknown): void {
    this.settings.tally.add(`asked ${action}`)
    const answer = (body: unknown) => socket.send(JSON.stringify([3, messageId, body]))
    switch (action) {
      case "GetConfiguration":
        return answer({
          configurationKey: [
            { key: "HeartbeatInterval", readonly: false, value: "300" },
            { key: "NumberOfConnectors", readonly: true, value: "2" }
          ],
          unknownKey: []
        })
      case "TriggerMessage": {
        answer({ status: "Accepted" })
        const requested = isRecord(payload) ? payload["requestedMessage"] : undefined
        if (requested === "BootNotification") this.booted = false
        return requested === "BootNotification" ? this.opened() : this.triggered(String(requested))
      }
      case "ChangeConfiguration":
      case "ChangeAvailability":
      case "Reset":
        return answer({ status: "Accepted" })
      default:
        return socket.send(JSON.stringify([4, messageId, "NotImplemented", "", {}]))
    }
  }

  private triggered(requested: string): void {
    if (requested === "StatusNotification") this.mention(status(0, "Available"))
    else if (requested === "Heartbeat") this.mention(heartbeat)
  }
}

export const heartbeat: Outgoing = { action: "Heartbeat", payload: () => ({}) }

export const status = (connectorId: number, value: string): Outgoing => ({
  action: "StatusNotification",
  payload: () => ({ connectorId, errorCode: "NoError", status: value, timestamp: new Date().toISOString() })
})
