/**
 * One charger's connection: its websocket with the limits on it. It reads only while its mailbox has room, notices when
 * the other end is gone, and ends exactly once. The meaning of frames is left to `Conversation`.
 */
import { Effect } from "effect"
import { type RawData, WebSocket } from "ws"
import type { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import type { ConnectionOpening } from "../../domain/charger/ChargerDirectory.ts"
import type { ChargerLine, ChargerMailbox } from "../../domain/charger/ChargerInbox.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"
import { parseFrame } from "../rpc/Frame.ts"
import { beginsAsStop, shortenedStop } from "../rpc/LongStop.ts"
import type { ChargerWebSocket, SocketOwner } from "./ChargerWebSocket.ts"
import { Conversation, type TextSink } from "./Conversation.ts"
import { BadFrames, type FrameRate, type Overdrawn } from "./FrameRate.ts"
import { freshSigns, judge, sweepsIn } from "./Liveness.ts"
import type { CutReason } from "./Metrics.ts"
import type { SocketParts } from "./SocketParts.ts"

/** What a connection reports to the list that contains it. */
export interface SocketList {
  /** The socket sent too fast and is not read until `tryResume`. */
  readonly throttled: (socket: ChargerSocket) => void
  /** It has ended. */
  readonly ended: (socket: ChargerSocket) => void
}

const byActor = 1
const byRate = 2
/** A large frame of this charger waits for its turn. */
const byTurn = 4

/** Messages that follow may have been received too: the socket, its buffer and the websocket hold a piece of 64 KiB or two each. */
const readAheadMost = 256 * 1024

/** A charger that cannot answer pings has only this many for free later. */
const awaitedPongsMost = 4

/** So many bytes of a message show whether it begins as a StopTransaction. */
const stopStartBytes = 4_096

/** The code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const brokenOff = 1006

const plainText = { compress: false, binary: false, fin: true } as const

/** A close frame carries at most 123 bytes of reason (RFC 6455 §5.5). */
const closeReason = (reason: string): string => reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 120)

/** Codes that a close frame may carry (RFC 6455 §7.4). */
const isCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) || (code >= 3000 && code <= 4999)

const failures: Readonly<Record<string, CutReason>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: "too-big",
  WS_ERR_TOO_MANY_BUFFERED_PARTS: "fragments"
}

export class ChargerSocket implements SocketOwner, ChargerLine, TextSink {
  readonly chargerId: string
  readonly securityProfile: number
  readonly version: ProtocolVersion
  private readonly ws: ChargerWebSocket
  /** Bytes received on the TCP socket so far, to detect a message that never ends. */
  private readonly tcp: { readonly bytesRead: number }
  private readonly parts: SocketParts
  private readonly list: SocketList
  private readonly conversation: Conversation
  private readonly rate: FrameRate
  private readonly badFrames = new BadFrames()
  private readonly signs = freshSigns()
  /** Why the connection ends. Once it is set, further frames have no effect. */
  private ending: string | undefined
  private hasEnded = false
  private pausedBy = 0
  /** Frames that had been received before the socket was paused. */
  private backlog: Array<string> | undefined
  private backlogBytes = 0
  private isDraining = false
  private pingWaiters: Array<(isAlive: boolean) => void> | undefined
  private bytesSeen: number
  /** How much had been received when we last sent something. What was received before that cannot have waited for it. */
  private bytesAtSend = 0
  /** Our pings that have not been answered. */
  private awaitedPongs = 0
  /** Bytes that had arrived before the connection was a websocket, those that the rate was charged for since, and the messages' characters. */
  private readonly bytesBefore: number
  private bytesCounted = 0
  private characters = 0
  private slowSweeps = 0
  /** The bytes that had arrived when the last message was complete. */
  private bytesAtMessage: number
  /** This connection has a place among the long messages of all chargers. */
  private hasLongPlace = false
  private outboundSeen = 0
  private stalledSweeps = 0

  /** Connects websocket and mailbox; frames are accepted from now on. */
  constructor(
    ws: ChargerWebSocket,
    tcp: { readonly bytesRead: number },
    opening: ConnectionOpening,
    version: ProtocolVersion,
    attach: (line: ChargerLine) => ChargerMailbox,
    parts: SocketParts,
    list: SocketList
  ) {
    this.ws = ws
    this.tcp = tcp
    this.chargerId = opening.chargerId
    this.securityProfile = opening.securityProfile
    this.version = version
    this.parts = parts
    this.list = list
    this.bytesSeen = tcp.bytesRead
    this.bytesBefore = tcp.bytesRead
    this.bytesAtMessage = tcp.bytesRead
    this.rate = parts.rates.begin(opening.chargerId, parts.now())
    this.conversation = new Conversation(opening, version, parts, this)
    this.conversation.mailbox = attach(this)
    ws.listen(this)
    // A budget that its last connection overdrew is still overdrawn.
    if (!this.rate.hasRoom(parts.now())) this.throttle("bytes")
  }

  message(data: RawData, isBinary: boolean): void {
    this.heard()
    if (this.ending !== undefined) return this.parts.metrics.droppedFrame("closing")
    if (isBinary || !Buffer.isBuffer(data)) {
      this.parts.metrics.droppedFrame("binary")
      if (Buffer.isBuffer(data)) this.conversation.takeBinary(data, this.parts.now())
      return this.bad()
    }
    this.bytesAtMessage = this.tcp.bytesRead
    if (data.length > this.parts.limits.maxFrameBytes) {
      if (!beginsAsStop(data.toString("utf8", 0, stopStartBytes))) return this.tooLarge()
      if (!this.hasPlaceForLong()) return
    }
    const text = data.toString("utf8")
    if (this.pausedBy === 0 && this.backlog === undefined) return this.receive(text)
    this.backlog ??= []
    this.backlog.push(text)
    this.backlogBytes += text.length
    if (this.backlogBytes > this.parts.limits.maxBacklogBytes) this.cut("backlog", 1008, "too many messages at once")
  }

  pinged(): void {
    this.heard()
    this.unasked()
  }

  ponged(): void {
    this.signs.pongs = true
    this.heard()
    if (this.awaitedPongs > 0) this.awaitedPongs--
    else this.unasked()
  }

  /** Anything that is received shows that the charger is alive. */
  private heard(): void {
    this.signs.heard = true
    if (this.pingWaiters !== undefined) this.tellPingWaiters(true)
  }

  /** A ping, or a pong that we did not ask for, counts as a frame: each takes some microseconds, and a charger can send millions. */
  private unasked(): void {
    const overdrawn = this.rate.spend(1, this.newBytes(0), this.parts.now())
    // `ws` also reports what it had received before the socket was paused.
    if (overdrawn !== undefined && (this.pausedBy & byRate) === 0) this.throttle(overdrawn)
  }

  private ping(): void {
    if (this.awaitedPongs < awaitedPongsMost) this.awaitedPongs++
    this.ws.ping()
  }

  /**
   * The bytes that have arrived since the last call, of which `characters` are a message. They also include what is not part of any message's
   * text: the headers of its fragments, of which there may be many without content. The bytes of messages that have arrived at the same time
   * are not counted ahead, and those of compressed messages are counted decompressed.
   */
  private newBytes(characters: number): number {
    this.characters += characters
    const bytes = Math.max(this.characters, this.tcp.bytesRead - this.bytesBefore - readAheadMost) - this.bytesCounted
    if (bytes <= 0) return 0
    this.bytesCounted += bytes
    return bytes
  }

  /** A message is too large. It is noted before the connection ends. */
  private tooLarge(): void {
    this.conversation.tooLarge(this.parts.limits.maxFrameBytes, this.parts.now())
    this.cut("too-big", 1009, "the message is too large")
  }

  /** Ends the connection if too many long messages of other chargers are in memory; the charger sends its own again. */
  private hasPlaceForLong(): boolean {
    this.hasLongPlace ||= this.parts.longMessages.take(this.securityProfile > 0)
    if (!this.hasLongPlace) this.cut("too-big", 1013, "too many large messages at once: send it again")
    return this.hasLongPlace
  }

  private leaveLongPlace(): void {
    if (!this.hasLongPlace) return
    this.hasLongPlace = false
    this.parts.longMessages.release()
  }

  failed(code: string): void {
    const reason = failures[code] ?? "protocol"
    if (this.ending === undefined) {
      this.parts.metrics.cut(reason)
      if (reason === "too-big") this.conversation.tooLarge(this.parts.limits.maxFrameBytes, this.parts.now())
    }
    this.ending ??= `broke the websocket protocol (${code === "" ? reason : code})`
  }

  closed(code: number, reason: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.leaveLongPlace()
    this.parts.rates.end(this.rate)
    this.ending ??=
      code === brokenOff
        ? "the connection was lost without a close from the charger (1006)"
        : `closed by the charger (${code}${reason === "" ? "" : `, ${closeReason(reason)}`})`
    this.backlog = undefined
    this.tellPingWaiters(false)
    this.list.ended(this)
    this.conversation.mailbox?.closed(this.ending)
  }

  /** Ends the connection with a close frame, or at once (`code` undefined) if the charger would not read one. */
  cut(reason: CutReason, code: number | undefined, text: string): void {
    if (this.ending !== undefined) return
    this.ending = text
    this.backlog = undefined
    this.parts.metrics.cut(reason)
    if (code === undefined || !isCloseCode(code)) return this.ws.terminate()
    this.ws.close(code, closeReason(text))
    // The charger's own close frame must be read for the handshake to end.
    this.ws.resume()
  }

  /** Resumes reading after too many frames, once there is room again. False while there is none. */
  tryResume(): boolean {
    if (this.ending === undefined && !this.rate.hasRoom(this.parts.now())) return false
    this.readOn(byRate)
    return true
  }

  /** Checks whether the connection still works; see `Liveness`. */
  sweep(): void {
    if (this.ending !== undefined) return
    if (this.isStalled()) return this.cut("stalled", undefined, "does not read what it is sent")
    // Nothing can be received from a charger whose socket is paused.
    if (this.pausedBy !== 0) return
    if (this.tcp.bytesRead - this.bytesAtMessage > this.parts.limits.maxFrameBytes && !this.hasPlaceForLong()) return
    if (this.isInSlowMessage()) return this.cut("slow-frame", undefined, "a message took too long to arrive")
    const verdict = judge(this.signs, this.parts.rules)
    if (verdict === "dead") return this.cut("dead", undefined, "does not answer pings")
    if (verdict === "ask") this.conversation.mailbox?.doubted()
    if (verdict !== "fine") this.ping()
  }

  private isStalled(): boolean {
    const waiting = this.ws.bufferedAmount
    this.stalledSweeps = waiting > 0 && waiting >= this.outboundSeen ? this.stalledSweeps + 1 : 0
    this.outboundSeen = waiting
    return this.stalledSweeps > sweepsIn(this.parts.limits.stalledWriteMillis)
  }

  /**
   * Bytes that arrive without a complete message are a message on its way. They are a sign of life, but only for a
   * limited time, however slowly they arrive. Anything that is received completely resets this.
   */
  private isInSlowMessage(): boolean {
    const bytes = this.tcp.bytesRead
    const isOnItsWay = !this.signs.heard && bytes > this.bytesSeen
    this.bytesSeen = bytes
    if (this.signs.heard) this.slowSweeps = 0
    else if (isOnItsWay || this.slowSweeps > 0) this.slowSweeps++
    if (isOnItsWay) this.signs.heard = true
    const { maxFrameBytes, maxStopBytes, slowFrameMillis } = this.parts.limits
    return this.slowSweeps > sweepsIn(slowFrameMillis * (this.hasLongPlace ? maxStopBytes / maxFrameBytes : 1))
  }

  /** Called by the actor: sends a command. */
  call(messageId: string, command: ChargerCommand): void {
    this.conversation.call(messageId, command)
  }

  /** Called by the actor: closes the connection. */
  close(code: number, reason: string): void {
    this.cut("asked", code, reason)
  }

  /** Called by the actor when its mailbox is full. */
  pause(): void {
    this.stopReading(byActor)
  }

  /** Called by the actor when its mailbox has room again. */
  resume(): void {
    this.readOn(byActor)
  }

  private stopReading(by: number): void {
    if (this.ending !== undefined) return
    if (this.pausedBy === 0) this.ws.pause()
    this.pausedBy |= by
  }

  private readOn(by: number): void {
    this.pausedBy &= ~by
    if (this.pausedBy !== 0 || this.isDraining || this.ending !== undefined) return
    this.drainBacklog()
    if (this.pausedBy === 0 && this.ending === undefined) this.ws.resume()
  }

  private drainBacklog(): void {
    const { backlog } = this
    if (backlog === undefined) return
    this.isDraining = true
    let taken = 0
    while (taken < backlog.length && this.pausedBy === 0 && this.ending === undefined) {
      const text = backlog[taken++]!
      this.backlogBytes -= text.length
      this.receive(text)
    }
    this.isDraining = false
    this.backlog = taken < backlog.length && this.ending === undefined ? backlog.slice(taken) : undefined
  }

  /** Handles the next frame of this charger; a large one waits for its turn among those of all chargers. */
  private receive(text: string): void {
    if (text.length <= this.parts.limits.largeFrameBytes) return this.take(text)
    this.parts.metrics.largeFrame()
    this.stopReading(byTurn)
    this.parts.largeFrames.offer({ bytes: text.length, take: () => this.takeInTurn(text) })
  }

  private takeInTurn(text: string): boolean {
    if (this.ending !== undefined) return false
    this.take(text)
    this.readOn(byTurn)
    return true
  }

  private take(received: string): void {
    const { limits, now } = this.parts
    const at = now()
    const began = this.parts.elapsed()
    try {
      const text = this.bounded(received, at)
      if (text === undefined) return this.tooLarge()
      const frame = parseFrame(text)
      const isPolite =
        frame._tag === "Call" && this.conversation.isAwaitingNothing && this.tcp.bytesRead > this.bytesAtSend
      // Characters are counted instead of bytes: the work grows with them.
      const bytes = this.newBytes(text.length)
      const overdrawn = this.rate.spend(isPolite ? limits.politeFrameCost : 1, bytes, at)
      if (overdrawn !== undefined) this.throttle(overdrawn)
      if (this.conversation.take(frame, text, at)) this.bad()
    } catch (cause) {
      this.parts.defect(cause, { chargerId: this.chargerId, during: "taking a frame", action: "" })
      this.cut("defect", 1011, "the service failed to handle a message")
    }
    if (this.rate.worked(this.parts.elapsed() - began, at)) this.throttle("time")
  }

  /** The text that is parsed: of a long one, only the first and last readings. Undefined if it cannot be shortened. */
  private bounded(text: string, now: number): string | undefined {
    const { maxFrameBytes } = this.parts.limits
    this.leaveLongPlace()
    if (text.length <= maxFrameBytes) return text
    const shortened = shortenedStop(text, maxFrameBytes)
    if (shortened !== undefined) this.conversation.shortened(text.length, shortened.dropped, now)
    return shortened?.text
  }

  /** Stops reading until there is room again. */
  private throttle(overdrawn: Overdrawn): void {
    if (this.ending !== undefined) return
    this.parts.metrics.throttled(overdrawn)
    this.stopReading(byRate)
    this.list.throttled(this)
  }

  private bad(): void {
    if (this.badFrames.isAbusive(this.parts.limits, this.parts.now())) {
      this.cut("abuse", 1008, "too many frames that are no OCPP messages")
    }
  }

  /** Sends one frame; false if the connection has ended or is ending. */
  sendText(text: string): boolean {
    const { ws } = this
    if (this.ending !== undefined || ws.readyState !== WebSocket.OPEN) return false
    ws.send(text, plainText)
    this.bytesAtSend = this.tcp.bytesRead
    if (ws.bufferedAmount > this.parts.limits.maxOutboundBytes) {
      this.cut("outbound", undefined, "does not read what it is sent")
    }
    return true
  }

  answersPing(millis: number): Effect.Effect<boolean> {
    return Effect.callback<boolean>((resume) => {
      if (this.ending !== undefined || this.ws.readyState !== WebSocket.OPEN) return resume(Effect.succeed(false))
      const answer = (isAlive: boolean): void => {
        clearTimeout(timer)
        this.pingWaiters = this.pingWaiters?.filter((waiter) => waiter !== answer)
        if (this.pausedBy !== 0 && this.ending === undefined) this.ws.pause()
        resume(Effect.succeed(isAlive))
      }
      const timer = setTimeout(() => answer(false), millis)
      this.pingWaiters = [...(this.pingWaiters ?? []), answer]
      // A pong cannot be read while the socket is paused. Frames that arrive before it wait in the backlog.
      this.ws.resume()
      this.ping()
      return Effect.sync(() => answer(false))
    })
  }

  private tellPingWaiters(isAlive: boolean): void {
    const waiters = this.pingWaiters ?? []
    this.pingWaiters = undefined
    for (const waiter of waiters) waiter(isAlive)
  }
}
