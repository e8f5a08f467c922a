/**
 * Refused upgrades: each is an HTTP answer written directly to the raw socket, with one line of plain text that says
 * how to fix the problem at the charger. It never contains a secret.
 */
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

/** The reason, as a label of the metrics. */
export type RefusalReason =
  | "path"
  | "handshake"
  | "origin"
  | "unknown"
  | "limited"
  | "flapping"
  | "profile"
  | "transport"
  | "missing"
  | "wrong"
  | "certificate"
  | "subprotocol"
  | "taken"
  | "storage"
  | "overload"
  | "stopping"
  | "timeout"

/** The HTTP statuses of refusals. */
export const refusedStatuses = [400, 401, 403, 404, 405, 409, 426, 429, 503] as const

export interface Refusal {
  readonly status: (typeof refusedStatuses)[number]
  readonly reason: RefusalReason
  /** One line. */
  readonly line: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Refusals because of the client or its request, which count against its network. Refusals for lack of capacity do not,
 * nor does `taken`.
 */
const blamed: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  "path",
  "handshake",
  "origin",
  "unknown",
  "profile",
  "transport",
  "limited",
  "missing",
  "wrong",
  "certificate",
  "subprotocol"
])

/** True if a refusal counts against the network of the client. */
export const countsAgainst = (refusal: Refusal): boolean => blamed.has(refusal.reason)

/** Refusals that are failed authentications. */
export const authFailureReasons: ReadonlyArray<RefusalReason> = [
  "unknown",
  "limited",
  "profile",
  "transport",
  "missing",
  "wrong",
  "certificate"
]

/** True if a refusal is a failed authentication. */
export const isAuthFailure = (refusal: Refusal): boolean => authFailureReasons.includes(refusal.reason)

export const refusals = {
  noPath: {
    status: 404,
    reason: "path",
    line: "This is not a charger's address: connect to /ocpp/{chargerId}, with the id percent-encoded as the last part."
  },
  idTwice: {
    status: 404,
    reason: "path",
    line: "The URL names this charger twice: the charger appends its id itself, so remove the id from the end of the URL in its settings."
  },
  handshake: (line: string): Refusal => ({ status: 400, reason: "handshake", line }),
  method: { status: 405, reason: "handshake", line: "Open the websocket with GET.", headers: { Allow: "GET" } },
  origin: {
    status: 403,
    reason: "origin",
    line: "This websocket was opened by a page of another site. Chargers send no Origin header; to allow a page, name its origin in CORS_ORIGINS."
  },
  wsVersion: {
    status: 426,
    reason: "handshake",
    line: "Use websocket version 13 (RFC 6455).",
    headers: { "Sec-WebSocket-Version": "13" }
  },
  unknown: (chargerId: string): Refusal => ({
    status: 404,
    reason: "unknown",
    line: `No charger with the id ${chargerId} is registered: register it, or correct the id at the end of the charger's URL.`
  }),
  limited: (seconds: number): Refusal => ({
    status: 429,
    reason: "limited",
    line: "Too many refused connections: correct the id or password and try again later.",
    headers: { "Retry-After": String(seconds) }
  }),
  flapping: (seconds: number): Refusal => ({
    status: 429,
    reason: "flapping",
    line: "This charger reconnects too often: check whether two devices use its id.",
    headers: { "Retry-After": String(seconds) }
  }),
  belowMinimum: (minimum: number): Refusal => ({
    status: 403,
    reason: "profile",
    line: `This service requires security profile ${minimum} or higher: give the charger a password or certificate, and use wss for profile 2 or 3.`
  }),
  needsTls: (profile: number): Refusal => ({
    status: 403,
    reason: "transport",
    line: `This charger has security profile ${profile}: it must connect with wss.`
  }),
  missingPassword: {
    status: 401,
    reason: "missing",
    line: "Send the charger's password with HTTP Basic authentication, with its id as the user name.",
    headers: { "WWW-Authenticate": `Basic realm="ocpp", charset="UTF-8"` }
  },
  wrongPassword: {
    status: 401,
    reason: "wrong",
    line: "The user name is not this charger's id, or the password is wrong: set a new password on both sides.",
    headers: { "WWW-Authenticate": `Basic realm="ocpp", charset="UTF-8"` }
  },
  certificate: (line: string): Refusal => ({ status: 403, reason: "certificate", line }),
  subprotocol: (names: ReadonlyArray<string>): Refusal => ({
    status: 400,
    reason: "subprotocol",
    line: `There is no common OCPP version: offer ${names.join(" or ")} in Sec-WebSocket-Protocol.`
  }),
  taken: {
    status: 409,
    reason: "taken",
    line: "This charger is already connected and responds: end that connection, or set a password for the charger so that the newest connection replaces the older one."
  },
  storage: (seconds: number): Refusal => ({
    status: 503,
    reason: "storage",
    line: "The service cannot reach its database: try again later.",
    headers: { "Retry-After": String(seconds) }
  }),
  unavailable: (seconds: number): Refusal => ({
    status: 503,
    reason: "overload",
    line: "The service is busy: try again later.",
    headers: { "Retry-After": String(seconds) }
  }),
  stopping: (seconds: number): Refusal => ({
    status: 503,
    reason: "stopping",
    line: "The service is restarting: try again in a moment.",
    headers: { "Retry-After": String(seconds) }
  }),
  timeout: (seconds: number): Refusal => ({
    status: 503,
    reason: "timeout",
    line: "The service took too long to admit the charger: try again later.",
    headers: { "Retry-After": String(seconds) }
  })
} as const satisfies Readonly<Record<string, Refusal | ((...args: never) => Refusal)>>

/** Answers an upgrade request with `refusal` and closes its socket. */
export const writeRefusal = (socket: Duplex, refusal: Refusal): void => {
  const body = `${refusal.line}\n`
  const headers: Record<string, string> = {
    Connection: "close",
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    ...refusal.headers
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once("finish", () => socket.destroy())
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}\r\n${lines.join("")}\r\n${body}`)
}
