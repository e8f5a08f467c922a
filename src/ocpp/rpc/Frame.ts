/**
 * Parses and writes the frames of OCPP-J: CALL, CALLRESULT and CALLERROR (OCPP-J 1.6 §4; OCPP 2.x Part 4 §4). Pure,
 * independent of the version, and total: every text that a charger may send has a result. What can be understood is
 * accepted; the rest is reported with the id to answer to.
 */
import { hasMoreValues, isDeeperThan, maxFrameDepth, maxFrameValues } from "../../domain/values/JsonBounds.ts"
import { readErrorCode, type ErrorCode } from "./ErrorCode.ts"
import { mayBeUnstorable, storable, storableText } from "./Storable.ts"

/**
 * Longest message id that is accepted, in UTF-16 units. OCPP allows 36 and chargers send more. There has to be a limit,
 * since each id is logged and sent back.
 */
export const messageIdMaxLength = 1024

/** Longest errorDescription of a CALLERROR that is sent (OCPP-J 1.6 §4.2.3: string[255]). */
export const errorDescriptionMaxLength = 255

/** The id exactly as it must be sent back. Chargers that use numbers as ids match only the number, not its digits as text. */
export type WireId = string | number

/** A frame that was JSON only without its control characters. */
interface Repaired {
  /**
   * The text without the raw control characters, byte order mark or trailing NUL for which it was no JSON (RFC 8259
   * §7); missing for a text that has none of them or is JSON as it is.
   */
  readonly repaired?: string
}

export interface Call extends Repaired {
  readonly _tag: "Call"
  /** The id as storable text, for keys and logs. */
  readonly messageId: string
  /** The id for the answer. */
  readonly wireId: WireId
  readonly action: string
  /** Any JSON, storable; `{}` when null or missing. */
  readonly payload: unknown
}

export interface CallResult extends Repaired {
  readonly _tag: "CallResult"
  readonly messageId: string
  readonly payload: unknown
}

export interface CallError extends Repaired {
  readonly _tag: "CallError"
  readonly messageId: string
  /** In the program's spelling if any version defines the code, otherwise as it was sent. */
  readonly code: string
  readonly description: string
  readonly details: unknown
}

/** A frame that is dropped without an answer. */
export interface Ignored extends Repaired {
  readonly _tag: "Ignored"
  readonly reason: "Empty" | "UnknownMessageType"
}

/** Why a frame is malformed. A closed set, so that metrics can count by it. */
export type MalformedKind = keyof typeof malformedCodes

export interface Malformed extends Repaired {
  readonly _tag: "Malformed"
  readonly kind: MalformedKind
  readonly code: ErrorCode
  readonly description: string
  /** Set if the id of the frame can be read. */
  readonly messageId: string | undefined
  /** Set if the frame is a CALL with a readable id: then it is answered with a CALLERROR. A result is never answered. */
  readonly wireId: WireId | undefined
  /** The CALL's action, if it can be read: an unreadable transaction message is still worth storing. */
  readonly action: string | undefined
  /** The id of our CALL, if the frame begins as its CALLRESULT or CALLERROR: the call has been answered, though unreadably. */
  readonly answersId: string | undefined
}

export type ParsedFrame = Call | CallResult | CallError | Ignored | Malformed

/**
 * The error code for each kind: FormationViolation for a frame without the right form, ProtocolError for an incomplete
 * one (OCPP-J 1.6 §4.2.3).
 */
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
  action,
  answersId: undefined
})

/**
 * The start of a CALL, CALLRESULT or CALLERROR in a text that is not JSON: its type, its id as text or number, and a
 * CALL's action. Each part is bounded, and none backtracks.
 */
const frameStart =
  /^\s*\[\s*"?([234])"?\s*,\s*(?:"((?:[^"\\]|\\.){0,1024})"|(-?\d{1,15})(?=\s*[,\]]))(?:\s*,\s*"((?:[^"\\]|\\.){1,64})")?/

const unescape = (inner: string): string | undefined => {
  try {
    return String(JSON.parse(`"${inner}"`))
  } catch {
    return undefined
  }
}

const unreadable = (kind: MalformedKind, description: string, text: string): Malformed => {
  const found = frameStart.exec(text)
  if (found === null) return malformed(kind, description)
  const [, type, id, number, action] = found
  const wireId = id === undefined ? Number(number) : unescape(id)
  if (type !== "2") {
    const answersId = wireId === undefined ? undefined : storableText(String(wireId))
    return { ...malformed(kind, description), messageId: answersId, answersId }
  }
  return malformed(
    kind,
    description,
    wireId,
    action === undefined ? undefined : storableText(unescape(action) ?? action)
  )
}

/** A message type as a number, or as its digits in a string. */
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
    ? malformed("NoAction", "the CALL has no action", wireId)
    : malformed("ActionNotText", "the action of a CALL must be a string", wireId)
}

const readCallError = (messageId: string, code: unknown, description: unknown, details: unknown): CallError => ({
  _tag: "CallError",
  messageId,
  code: typeof code === "string" ? (readErrorCode(code) ?? code) : "GenericError",
  description: typeof description === "string" ? description : "",
  details: details ?? {}
})

/** `sentId` is the message id as it was sent; everything else in `frame` is storable. */
const readArray = (frame: ReadonlyArray<unknown>, sentId: unknown): ParsedFrame => {
  const type = messageType(frame[0])
  if (type === undefined) return malformed("NoMessageType", "a frame must begin with its message type number")
  // A receiver ignores message types that it does not know (OCPP-J 1.6 §4.1.3). OCPP 2.1's 5 and 6 are among them until
  // its codec exists.
  if (type !== 2 && type !== 3 && type !== 4) return { _tag: "Ignored", reason: "UnknownMessageType" }
  const id = readId(sentId)
  if (id === undefined) {
    return malformed("NoMessageId", `the message id must be a string of at most ${messageIdMaxLength} characters`)
  }
  if (type === 2) return readCall(id, frame[2], frame[3])
  const messageId = storableText(String(id))
  if (type === 3) return { _tag: "CallResult", messageId, payload: frame[2] ?? {} }
  return readCallError(messageId, frame[2], frame[3], frame[4])
}

/** The characters that JSON forbids in strings (RFC 8259 §7), and a byte order mark. Between values some of them are allowed, and mean nothing. */
// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001f]|^\ufeff/g

/** Some chargers fill texts with NULs, or append bytes of their memory to a card's id: without them the rest is correct. */
const withoutControlCharacters = (text: string): string => text.replace(controlCharacters, "")

/** True if the text is JSON. For code that handles frames as texts; `parseFrame` does not need it. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Parses one text frame; never throws. Elements after the payload are ignored, since refusing them would make a charger
 * repeat a message that was understood. `maxDepth` limits the nesting of arrays and objects, including the frame's own
 * array.
 */
export const parseFrame = (text: string, maxDepth: number = maxFrameDepth): ParsedFrame => {
  if (text.length < 16 && text.trim() === "") return { _tag: "Ignored", reason: "Empty" }
  if (isDeeperThan(text, maxDepth))
    return unreadable("TooDeep", `the frame is nested deeper than ${maxDepth} levels`, text)
  if (hasMoreValues(text, maxFrameValues)) {
    return unreadable("TooManyValues", `the frame has more than ${maxFrameValues} values`, text)
  }
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    const repaired = withoutControlCharacters(text)
    if (repaired !== text) return { ...parseFrame(repaired, maxDepth), repaired }
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
