/**
 * The parts of PostgreSQL's wire protocol that are needed between the client and the embedded database, and the messages between the main
 * thread and the worker. The client (`@effect/sql-pg`) implements the rest.
 */

/**
 * Messages from the main thread to the worker. The answer has the same `id`; `connection` distinguishes an old connection from the current
 * one.
 */
export type ToWorker =
  | { readonly _tag: "Send"; readonly id: number; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly _tag: "Ping"; readonly id: number }
  | { readonly _tag: "Close"; readonly id: number }

export type FromWorker =
  | { readonly _tag: "Ready"; readonly id: 0; readonly synced: boolean }
  | {
      readonly _tag: "Answer"
      readonly id: number
      readonly bytes: Uint8Array
      readonly notices: ReadonlyArray<Notice>
    }
  /** A newer connection replaced this one, which must not be used any more. */
  | { readonly _tag: "Superseded"; readonly id: number }
  | { readonly _tag: "Done"; readonly id: number }
  /** The database is broken and cannot be recovered in this process; only a new process can open it again. */
  | { readonly _tag: "Broken"; readonly id: 0; readonly message: string }

export interface WorkerOptions {
  /** Undefined: everything in memory, for tests. */
  readonly directory: string | undefined
  /** The file of an image (`Image.ts`) that a new database in `directory` starts from; the file need not exist. */
  readonly image: string | undefined
  /** The files of an earlier database to start from, instead of an empty one. */
  readonly tar: Uint8Array | undefined
  /** Whether fsync reaches the disk. */
  readonly fsync: boolean
  /** Checkpoint once this much write-ahead log was written since the last one. */
  readonly checkpointBytes: number
  readonly checkpointMillis: number
}

export interface Notice {
  readonly channel: string
  readonly payload: string
}

const notificationResponse = 0x41 // 'A'
const readyForQuery = 0x5a // 'Z'
const dataRow = 0x44 // 'D'
const errorResponse = 0x45 // 'E'
const terminate = 0x58 // 'X'
const cancelCode = 80877102

/** The kind of a chunk from the client, by its first bytes; the client writes whole messages. */
export const kindOf = (chunk: Uint8Array): "startup" | "cancel" | "terminate" | "messages" => {
  if (chunk[0] === terminate) return "terminate"
  if (chunk[0] !== 0) return "messages"
  return new DataView(chunk.buffer, chunk.byteOffset).getInt32(4) === cancelCode ? "cancel" : "startup"
}

export interface Scanned {
  /** The bytes without notifications. */
  readonly bytes: Uint8Array
  readonly notices: ReadonlyArray<Notice>
  /** The status in the last ReadyForQuery: idle, in a transaction, or in a failed one; undefined if there was no ReadyForQuery. */
  readonly status: "I" | "T" | "E" | undefined
  /** The database's message for an error after which it cannot continue. */
  readonly panic: string | undefined
}

const statuses = { 0x49: "I", 0x54: "T", 0x45: "E" } as const

/** The message of an error that is severe enough to end a server. Each field is a letter and a text. */
const panicIn = (fields: Uint8Array): string | undefined => {
  const texts = new TextDecoder().decode(fields).split("\0")
  const field = (letter: string) => texts.find((text) => text.startsWith(letter))?.slice(1)
  const severity = field("V")
  return severity === "PANIC" || severity === "FATAL"
    ? `${severity} ${field("C") ?? ""}: ${field("M") ?? ""}`
    : undefined
}

/**
 * Goes through whole backend messages and removes the notifications. They are handled here because `LISTEN` through the client would occupy
 * the only session. The cost is one pass over message headers.
 */
export const scan = (bytes: Uint8Array): Scanned => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const notices: Array<Notice> = []
  const kept: Array<Uint8Array> = []
  let status: Scanned["status"]
  let panic: string | undefined
  let from = 0
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + view.getInt32(at + 1)
    const type = bytes[at]
    if (type === readyForQuery) status = statuses[bytes[at + 5] as keyof typeof statuses]
    if (type === errorResponse) panic ??= panicIn(bytes.subarray(at + 5, end))
    if (type === notificationResponse) {
      const text = new TextDecoder().decode(bytes.subarray(at + 9, end)).split("\0")
      notices.push({ channel: text[0] ?? "", payload: text[1] ?? "" })
      kept.push(bytes.subarray(from, at))
      from = end
    }
    at = end
  }
  if (notices.length === 0) return { bytes, notices, status, panic }
  kept.push(bytes.subarray(from))
  return { bytes: concat(kept), notices, status, panic }
}

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (parts.length === 1) return parts[0]!
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** A simple query, for the few statements that the worker runs itself. */
export const simpleQuery = (sql: string): Uint8Array => {
  const text = new TextEncoder().encode(sql)
  const message = new Uint8Array(text.length + 6)
  message[0] = 0x51 // 'Q'
  new DataView(message.buffer).setInt32(1, text.length + 5)
  message.set(text, 5)
  return message
}

/** The first column of the first row in the answer to a simple query, as text. */
export const firstValue = (bytes: Uint8Array): string | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 5 <= bytes.length; at += 1 + view.getInt32(at + 1)) {
    if (bytes[at] !== dataRow) continue
    const length = view.getInt32(at + 7)
    return length < 0 ? undefined : new TextDecoder().decode(bytes.subarray(at + 11, at + 11 + length))
  }
  return undefined
}
