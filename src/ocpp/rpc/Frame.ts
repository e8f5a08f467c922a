/**
 * The frames of OCPP-J: text in, CALL, CALLRESULT or CALLERROR out, and back (OCPP-J 1.6 §4; OCPP 2.x Part 4 §4). Pure, without a version
 * and total: whatever a charger sends has a name here. What can be understood is taken, what cannot is reported with the id to answer to.
 */
import { hasMoreValues, isDeeperThan, maxFrameDepth, maxFrameValues } from "../../domain/values/JsonBounds.ts"
import { readErrorCode, type ErrorCode } from "./ErrorCode.ts"
import { mayBeUnstorable, storable, storableText } from "./Storable.ts"

/**
 * Longest message id that is taken, in UTF-16 units. OCPP has 36, chargers send more, and each is kept in the log and sent back, so there
 * is an end to it somewhere.
 */
export const messageIdMaxLength = 1024

/** Longest errorDescription of a CALLERROR that is sent (OCPP-J 1.6 §4.2.3: string[255]). */
export const errorDescriptionMaxLength = 255

/**
 * The id as it must be sent back, letter by letter, whatever letters they are: chargers that number their messages match their own
 * number, and not its digits as text.
 */
export type WireId = string | number

export interface Call {
  readonly _tag: "Call"
  /** The id as storable text, for keys and logs. */
  readonly messageId: string
  /** What the answer carries. */
  readonly wireId: WireId
  readonly action: string
  /** Any JSON, storable; `{}` when null or missing. */
  readonly payload: unknown
}

export interface CallResult {
  readonly _tag: "CallResult"
  readonly messageId: string
  readonly payload: unknown
}

export interface CallError {
  readonly _tag: "CallError"
  readonly messageId: string
  /** In the program's spelling where any version defines it, else as it was sent. */
  readonly code: string
  readonly description: string
  readonly details: unknown
}

/** To be dropped without an answer. */
export interface Ignored {
  readonly _tag: "Ignored"
  readonly reason: "Empty" | "UnknownMessageType"
}

/** Why a frame is none. Closed, so that metrics can count by it. */
export type MalformedKind = keyof typeof malformedCodes

export interface Malformed {
  readonly _tag: "Malformed"
  readonly kind: MalformedKind
  readonly code: ErrorCode
  readonly description: string
  /** Set when the frame is a CALL whose id can be read: then it gets a CALLERROR with `wireId`. A result never does. */
  readonly messageId: string | undefined
  readonly wireId: WireId | undefined
  /** The CALL's action, where it can be read: a transaction message that is beyond reading is still worth keeping. */
  readonly action: string | undefined
}

export type ParsedFrame = Call | CallResult | CallError | Ignored | Malformed

/** What each kind is answered: FormationViolation for what has no form, ProtocolError for what is incomplete (OCPP-J 1.6 §4.2.3). */
const malformedCodes = {
  NotJson: "FormationViolation",
  NotAnArray: "FormationViolation",
  TooDeep: "FormationViolation",
  TooManyValues: "FormationViolation",
  NoMessageType: "FormationViolation",
  NoMessageId: "FormationViolation",
  NoAction: "ProtocolError",
  ActionNotText: "FormationViolation"
} as const satisfies Record<string, ErrorCode>

const malformed = (kind: MalformedKind, description: string, wireId?: WireId, action?: string): Malformed => ({
  _tag: "Malformed",
  kind,
  code: malformedCodes[kind],
  description,
  messageId: wireId === undefined ? undefined : storableText(String(wireId)),
  wireId,
  action
})

/** The start of a CALL in a text that is no JSON: its id as text or number, and its action. Each part is bounded, none backtracks. */
const callStart =
  /^\s*\[\s*(?:2|"2")\s*,\s*(?:"((?:[^"\\]|\\.){0,1024})"|(-?\d{1,15})(?=\s*[,\]]))(?:\s*,\s*"((?:[^"\\]|\\.){1,64})")?/

const unescape = (inner: string): string | undefined => {
  try {
    return String(JSON.parse(`"${inner}"`))
  } catch {
    return undefined
  }
}

const unreadable = (kind: MalformedKind, description: string, text: string): Malformed => {
  const found = callStart.exec(text)
  if (found === null) return malformed(kind, description)
  const [, id, number, action] = found
  const wireId = id === undefined ? Number(number) : unescape(id)
  return malformed(
    kind,
    description,
    wireId,
    action === undefined ? undefined : storableText(unescape(action) ?? action)
  )
}

/** A number means itself, and so do its digits as text. */
const messageType = (value: unknown): number | undefined => {
  if (typeof value === "number") return value
  return typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : undefined
}

const readId = (value: unknown): WireId | undefined => {
  if (typeof value === "string") return value.length <= messageIdMaxLength ? value : undefined
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

const readCall = (wireId: WireId, action: unknown, payload: unknown): Call | Malformed => {
  if (typeof action === "string")
    return { _tag: "Call", messageId: storableText(String(wireId)), wireId, action, payload: payload ?? {} }
  return action === undefined
    ? malformed("NoAction", "the CALL names no action", wireId)
    : malformed("ActionNotText", "the action of a CALL is a string", wireId)
}

const readCallError = (messageId: string, code: unknown, description: unknown, details: unknown): CallError => ({
  _tag: "CallError",
  messageId,
  code: typeof code === "string" ? (readErrorCode(code) ?? code) : "GenericError",
  description: typeof description === "string" ? description : "",
  details: details ?? {}
})

/** `sentId` is the message id as it was sent; what else `frame` holds is storable. */
const readArray = (frame: ReadonlyArray<unknown>, sentId: unknown): ParsedFrame => {
  const type = messageType(frame[0])
  if (type === undefined) return malformed("NoMessageType", "a frame begins with its message type number")
  // A receiver ignores message types it does not know (OCPP-J 1.6 §4.1.3). OCPP 2.1's 5 and 6 are among them until its codec is here.
  if (type !== 2 && type !== 3 && type !== 4) return { _tag: "Ignored", reason: "UnknownMessageType" }
  const id = readId(sentId)
  if (id === undefined) {
    return malformed("NoMessageId", `the message id is a string of at most ${messageIdMaxLength} characters`)
  }
  if (type === 2) return readCall(id, frame[2], frame[3])
  const messageId = storableText(String(id))
  if (type === 3) return { _tag: "CallResult", messageId, payload: frame[2] ?? {} }
  return readCallError(messageId, frame[2], frame[3], frame[4])
}

/** True when the text is JSON. For those who handle frames as texts; `parseFrame` needs no such question. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Reads one text frame; never throws. Elements behind the payload are ignored, since refusing them would make a charger repeat what was
 * understood. `maxDepth` bounds the nesting of arrays and objects, the frame's own array included.
 */
export const parseFrame = (text: string, maxDepth: number = maxFrameDepth): ParsedFrame => {
  if (text.length < 16 && text.trim() === "") return { _tag: "Ignored", reason: "Empty" }
  if (isDeeperThan(text, maxDepth)) return unreadable("TooDeep", `the frame nests deeper than ${maxDepth} levels`, text)
  if (hasMoreValues(text, maxFrameValues)) {
    return unreadable("TooManyValues", `the frame has more than ${maxFrameValues} values`, text)
  }
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return text.trim() === ""
      ? { _tag: "Ignored", reason: "Empty" }
      : unreadable("NotJson", "the frame is not JSON", text)
  }
  if (!Array.isArray(frame)) return malformed("NotAnArray", "the frame is not a JSON array")
  return readArray(mayBeUnstorable(text) ? frame.map(storable) : frame, frame[1])
}

/** `[2, id, action, payload]`. */
export const serializeCall = (messageId: string, action: string, payload: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([2, messageId, action, payload])

/** `[3, id, payload]`; `id` is the CALL's `wireId`. */
export const serializeCallResult = (id: WireId, payload: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([3, id, payload])

/** `[4, id, code, description, {}]`; `code` is already spelt for the connection's version, see `spell`. */
export const serializeCallError = (id: WireId, code: string, description: string): string =>
  JSON.stringify([4, id, code, description.slice(0, errorDescriptionMaxLength).toWellFormed(), {}])
