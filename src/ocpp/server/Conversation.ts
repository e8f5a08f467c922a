/**
 * One charger's OCPP-J conversation: received frames become events for its mailbox, replies and commands become sent
 * frames. This is the hot path of the service, so it uses plain calls: no fiber, no promise and no log line per
 * message, and one closure to answer it.
 */
import type { ChargerCommand, CommandResult } from "../../domain/command/ChargerCommand.ts"
import type { ChargerEvent, FrameFault } from "../../domain/charger/ChargerEvent.ts"
import type { Reply } from "../../domain/charger/Reply.ts"
import type { ConnectionOpening } from "../../domain/charger/ChargerDirectory.ts"
import type { ChargerMailbox } from "../../domain/charger/ChargerInbox.ts"
import type { LoggedFrame } from "../../domain/charger/MessageLog.ts"
import { setsSecret } from "../../domain/command/SecretParts.ts"
import { dayMillis } from "../../domain/values/Day.ts"
import { maskedValue } from "../../domain/values/SecretNames.ts"
import type { DecodedCall, EncodedReply, ProtocolVersion } from "../ProtocolVersion.ts"
import { type ErrorCode, spell } from "../rpc/ErrorCode.ts"
import {
  type Call,
  type CallError,
  type CallResult,
  type Malformed,
  type ParsedFrame,
  parseFrame,
  serializeCall,
  serializeCallError,
  serializeCallResult,
  type WireId
} from "../rpc/Frame.ts"
import { hiddenError, hiddenResult } from "../rpc/Secrets.ts"
import type { SocketParts } from "./SocketParts.ts"

/** Where frames are sent. */
export interface TextSink {
  /** Sends one text frame; false if the connection has ended or is ending. */
  readonly sendText: (text: string) => boolean
}

/** The form of an action's name, which is shown in a note. */
const plainAction = /^[a-z]{1,40}$/i

/** Longest binary frame whose text is shown, in bytes. */
const shownBinaryMost = 16_384

const ignored = (): void => {}

const failedHere = "the service failed to handle this message; it has been reported"

export class Conversation {
  readonly chargerId: string
  readonly version: ProtocolVersion
  private readonly organisationId: string
  private readonly parts: SocketParts
  private readonly sink: TextSink
  /** Set when the actor attaches; no frame arrives before that. */
  mailbox: ChargerMailbox | undefined
  private unanswered = 0
  /** Our last CALL: its result is logged with its action. */
  private lastCallId = ""
  private lastCallAction = ""
  /** The last CALL contained a secret: its answer may repeat that anywhere and in any notation. */
  private lastCallIsSecret = false
  /** The day on which each fault was last noted. Undefined for most chargers. */
  private faultDays: Map<FrameFault, number> | undefined

  constructor(opening: ConnectionOpening, version: ProtocolVersion, parts: SocketParts, sink: TextSink) {
    this.chargerId = opening.chargerId
    this.organisationId = opening.organisationId
    this.version = version
    this.parts = parts
    this.sink = sink
  }

  /** True if every CALL of the charger has been answered, so that OCPP allows it another. */
  get isAwaitingNothing(): boolean {
    return this.unanswered === 0
  }

  /** Handles one frame. True if it was not an OCPP message; a charger may send only a few of these. */
  take(frame: ParsedFrame, text: string, now: number): boolean {
    if (frame.repaired === undefined) return this.takeRead(frame, text, now)
    const isBad = this.takeRead(frame, frame.repaired, now)
    this.parts.metrics.violated(1)
    const { action = "" } = frame._tag === "Call" || frame._tag === "Malformed" ? frame : {}
    const where = plainAction.test(action) ? ` of ${action}` : ""
    this.note(
      "ControlCharacters",
      `a frame${where} was read without ${text.length - frame.repaired.length} control characters`,
      now
    )
    return isBad
  }

  /** A binary frame is not read: messages of OCPP-J are texts. It is shown if it is short and might be one. */
  takeBinary(data: Uint8Array, now: number): void {
    const about = `binary frame of ${data.length} bytes`
    const text = data.length <= shownBinaryMost ? new TextDecoder().decode(data) : ""
    const frame = parseFrame(text)
    // What an answer contains is unknown.
    const isShown = frame._tag === "Call" || frame._tag === "Malformed"
    const shown = isShown ? `: ${this.maskUnread(frame.repaired ?? text)}` : ""
    this.heard("Malformed", isShown ? (frame.action ?? "") : "", "", about + shown, now, false)
    this.note("BinaryFrame", `${about}: OCPP messages must be text frames`, now)
  }

  /** A message is too large to be handled; the connection ends. */
  tooLarge(limit: number, now: number): void {
    const about = `a message of more than ${limit} bytes was not received`
    this.heard("Malformed", "", "", about, now, false)
    this.note("FrameTooLarge", about, now)
  }

  /** Readings in the middle of a StopTransaction were left out. */
  shortened(length: number, dropped: number, now: number): void {
    this.note("FrameTooLarge", `of a StopTransaction of ${length} characters, ${dropped} readings were not read`, now)
  }

  /** Notes a fault of the charger's frames, once a day on each connection. */
  private note(fault: FrameFault, detail: string, now: number): void {
    const day = Math.floor(now / dayMillis)
    if (this.faultDays?.get(fault) === day) return
    this.faultDays ??= new Map()
    this.faultDays.set(fault, day)
    this.mailbox?.deliver({ _tag: "FrameFaultFound", fault, detail }, { messageId: "", raw: "" }, ignored)
  }

  private takeRead(frame: ParsedFrame, text: string, now: number): boolean {
    const { metrics, presence } = this.parts
    switch (frame._tag) {
      case "Call":
        metrics.received("CALL")
        this.takeCall(frame, text, now)
        return false
      case "CallResult":
        metrics.received("CALLRESULT")
        this.takeResult(frame, text, now)
        return false
      case "CallError":
        metrics.received("CALLERROR")
        this.takeError(frame, text, now)
        return false
      case "Ignored":
        metrics.received("Ignored")
        presence.heard(this.chargerId, now, this.maskUnread(text))
        return false
      case "Malformed":
        metrics.received("Malformed")
        return this.takeMalformed(frame, text, now)
    }
  }

  /** Sends a command of ours as a CALL. */
  call(messageId: string, command: ChargerCommand): void {
    const { action, payload } = this.version.encodeCommand(command)
    const text = serializeCall(messageId, action, payload)
    this.lastCallId = messageId
    this.lastCallAction = action
    this.lastCallIsSecret = setsSecret(command)
    this.send("CALL", action, messageId, text, this.parts.now(), false)
  }

  private takeCall(frame: Call, text: string, now: number): void {
    const { action, messageId, wireId } = frame
    const decoded = this.decodeCall(action, frame.payload)
    const isSilenced =
      decoded._tag === "Event" && decoded.event._tag === "HeartbeatReceived" && !this.parts.logHeartbeats
    this.heard("CALL", action, messageId, isSilenced ? text : this.version.mask(text), now, isSilenced)
    if (decoded._tag === "Refused") return this.sendError(action, wireId, decoded.code, decoded.description, now)
    if (decoded.violations.length > 0) this.parts.metrics.violated(decoded.violations.length)
    this.deliver(decoded.event, action, messageId, wireId, text, now, isSilenced)
  }

  /** Passes an event to the actor, and answers the CALL with its reply. */
  private deliver(
    event: ChargerEvent,
    action: string,
    messageId: string,
    wireId: WireId,
    raw: string,
    since: number,
    isSilenced: boolean
  ): void {
    this.unanswered++
    this.mailbox?.deliver(event, { messageId, raw }, (reply, now) => {
      this.unanswered--
      this.answer(reply, action, wireId, since, now, isSilenced)
    })
  }

  private answer(reply: Reply, action: string, wireId: WireId, since: number, now: number, isSilenced: boolean): void {
    const encoded = this.encodeReply(action, reply, now)
    const millis = this.parts.now() - since
    if (encoded._tag === "Error") {
      this.parts.metrics.answered(action, "CALLERROR", millis)
      return this.sendError(action, wireId, encoded.code, encoded.description, now)
    }
    this.parts.metrics.answered(action, "CALLRESULT", millis)
    this.send("CALLRESULT", action, wireId, serializeCallResult(wireId, encoded.payload), now, isSilenced)
  }

  private sendError(action: string, wireId: WireId, code: ErrorCode, description: string, now: number): void {
    const text = serializeCallError(wireId, spell(code, this.version.version), description)
    this.send("CALLERROR", action, wireId, text, now, false)
  }

  private takeResult(frame: CallResult, text: string, now: number): void {
    const { messageId, payload } = frame
    const isLast = messageId === this.lastCallId
    const action = isLast ? this.lastCallAction : ""
    if (isLast && !this.lastCallIsSecret) {
      this.heard("CALLRESULT", action, messageId, this.version.mask(text), now, false)
      this.answered(messageId, (command) => this.decodeResult(command, payload))
      return
    }
    // The content of an answer to an older call is unknown, so nothing of it is shown. Of the answer to a secret,
    // only what its command shows is shown.
    let shown = hiddenResult(messageId)
    this.answered(messageId, (command) => {
      const result = this.decodeResult(command, payload)
      if (result._tag === "Answered") shown = JSON.stringify([3, messageId, result.answer])
      return result
    })
    this.heard("CALLRESULT", action, messageId, shown, now, false)
  }

  private takeError(frame: CallError, text: string, now: number): void {
    const { code, description, messageId } = frame
    const isLast = messageId === this.lastCallId
    const action = isLast ? this.lastCallAction : ""
    const shown = isLast && !this.lastCallIsSecret ? this.version.mask(text) : hiddenError(frame)
    this.heard("CALLERROR", action, messageId, shown, now, false)
    this.answered(messageId, (command) => this.decodeError(command, code, description))
  }

  /** A frame that is not a message may be a broken answer, and it is unknown where in it a secret would be. */
  private maskUnread(text: string): string {
    return this.lastCallIsSecret ? maskedValue : this.version.mask(text)
  }

  /** True if the service had sent that call and waited for its answer. */
  private answered(messageId: string, read: (command: ChargerCommand) => CommandResult): boolean {
    const isOurs = this.mailbox?.answered(messageId, read) === true
    if (!isOurs) this.parts.metrics.droppedFrame("unmatched")
    return isOurs
  }

  private takeMalformed(frame: Malformed, text: string, now: number): boolean {
    const { action = "", code, description, messageId = "", wireId } = frame
    this.heard("Malformed", action, messageId, this.maskUnread(text), now, false)
    if (frame.answersId !== undefined) return !this.takeUnreadableAnswer(frame.answersId, description, now)
    if (wireId === undefined) return true
    // A transaction message that at least names its action is kept as it was sent: a CALLERROR would make the charger
    // repeat it forever.
    const decoded = action === "" ? undefined : this.decodeCall(action, undefined)
    if (decoded?._tag === "Event" && decoded.event._tag === "UnreadableTransactionMessage") {
      this.deliver({ ...decoded.event, problem: description }, action, messageId, wireId, text, now, false)
      return false
    }
    this.sendError(action, wireId, code, description, now)
    return true
  }

  /** The charger has answered our call, so the line is free for the next one. False if no such call is open. */
  private takeUnreadableAnswer(messageId: string, problem: string, now: number): boolean {
    const isOurs = this.answered(messageId, () => ({ _tag: "Unreadable", problem, answer: undefined }))
    if (isOurs) this.note("UnreadableAnswer", `the answer to ${this.actionOf(messageId)}: ${problem}`, now)
    return isOurs
  }

  private actionOf(messageId: string): string {
    return messageId === this.lastCallId ? this.lastCallAction : "an earlier call"
  }

  private heard(
    kind: LoggedFrame["kind"],
    action: string,
    messageId: string,
    frame: string,
    now: number,
    isSilenced: boolean
  ): void {
    this.parts.presence.heard(this.chargerId, now, frame)
    if (!isSilenced) this.log("in", kind, action, messageId, frame, now)
  }

  private send(
    kind: "CALL" | "CALLRESULT" | "CALLERROR",
    action: string,
    id: WireId,
    text: string,
    now: number,
    isSilenced: boolean
  ): void {
    if (!this.sink.sendText(text)) return
    this.parts.metrics.sent(kind)
    if (!isSilenced) this.log("out", kind, action, String(id), this.version.mask(text), now)
  }

  private log(
    direction: LoggedFrame["direction"],
    kind: LoggedFrame["kind"],
    action: string,
    messageId: string,
    frame: string,
    at: number
  ): void {
    const { chargerId, organisationId } = this
    this.parts.messageLog.append({ organisationId, chargerId, at, direction, kind, action, messageId, frame })
  }

  // A version's functions should never throw. If one does, its charger gets an error and no other charger is affected.

  private decodeCall(action: string, payload: unknown): DecodedCall {
    try {
      return this.version.decodeCall(action, payload)
    } catch (cause) {
      this.defect(cause, "decoding a call", action)
      return { _tag: "Refused", code: "InternalError", description: failedHere }
    }
  }

  private encodeReply(action: string, reply: Reply, now: number): EncodedReply {
    try {
      return this.version.encodeReply(action, reply, now)
    } catch (cause) {
      this.defect(cause, "encoding a reply", action)
      return { _tag: "Error", code: "InternalError", description: failedHere }
    }
  }

  private decodeResult(command: ChargerCommand, payload: unknown): CommandResult {
    try {
      return this.version.decodeResult(command, payload)
    } catch (cause) {
      this.defect(cause, "decoding a result", command._tag)
      return { _tag: "Unreadable", problem: failedHere, answer: undefined }
    }
  }

  private decodeError(command: ChargerCommand, code: string, description: string): CommandResult {
    try {
      return this.version.decodeError(command, code, description)
    } catch (cause) {
      this.defect(cause, "decoding an error", command._tag)
      return { _tag: "CallError", code: "InternalError", description: failedHere }
    }
  }

  private defect(cause: unknown, during: string, action: string): void {
    this.parts.defect(cause, { chargerId: this.chargerId, during, action })
  }
}
