/**
 * Business keys of a charger's facts: a repeat has the same key even if its message id differs. A key contains the organisation and the charger,
 * separated by a character that no charger id contains, so that no charger can send a message with another charger's key.
 */
import { tokenKey } from "../token/Token.ts"
import type { ChargerState } from "./ChargerState.ts"
import type { Envelope } from "./Decision.ts"

const separator = "|"

/** `kind|organisation|charger|rest`; the caller joins `rest` with {@link separator}. */
const keyOf = (kind: string, state: ChargerState, rest: string): string =>
  kind + separator + state.organisationId + separator + state.chargerId + separator + rest

const text = (part: string | number | undefined): string | number => part ?? "-"

/**
 * A key for messages that each report a new event (a boot, a changed status, an authorisation). Message ids alone are not unique: chargers count from
 * one after each boot, or always send the same id. Adding the epoch is not enough either: it starts again when a charger is removed and registered
 * again.
 */
export const occurrenceKey = (kind: string, state: ChargerState, messageId: string, now: number, what = ""): string =>
  keyOf(kind, state, `${state.epoch}|${messageId}|${now}|${what}`)

/**
 * A repeated start has the same content, perhaps with a new message id (OCPP 1.6 §3.7.1). `after` is the transaction that came before, if the charger
 * has used the same time before.
 */
export const startKey = (
  state: ChargerState,
  evseId: number,
  tokenUid: string,
  meterStartWh: number,
  rawAt: string | undefined,
  after: number | undefined,
  envelope: Envelope,
  now: number
): string => {
  const when = rawAt ?? `-${now}|${envelope.messageId}`
  const follows = after === undefined ? "" : `|after ${after}`
  return keyOf("start", state, `${evseId}|${meterStartWh}|${when}|${tokenKey(tokenUid)}${follows}`)
}

/** A session ends once; further stops do not end it again. */
export const stopKey = (state: ChargerState, transactionId: number): string =>
  keyOf("stop", state, String(transactionId))

/** The end of a session that was concluded without its stop. A stop that still arrives has its own key ({@link stopKey}). */
export const unheardStopKey = (state: ChargerState, transactionId: number): string =>
  keyOf("unheard-stop", state, String(transactionId))

/**
 * A stop that names no known session. Repeats are recognised only if the stop has a time, or both a token and a register. Otherwise each one is
 * stored separately.
 */
export const orphanStopKey = (
  state: ChargerState,
  stop: {
    readonly rawTransactionId: string
    readonly tokenUid: string | undefined
    readonly rawAt: string | undefined
    readonly meterStopWh: number | undefined
  },
  envelope: Envelope,
  now: number
): string => {
  const token = stop.tokenUid === undefined ? undefined : tokenKey(stop.tokenUid)
  const reported = stop.rawAt !== undefined || (token !== undefined && stop.meterStopWh !== undefined)
  const when = reported ? text(stop.rawAt) : `-${now}|${envelope.messageId}`
  return keyOf("orphan-stop", state, `${text(stop.meterStopWh)}|${when}|${text(token)}|${stop.rawTransactionId}`)
}

/** A batch of readings; `digest` distinguishes it from others. */
export const meterKey = (
  state: ChargerState,
  evseId: number,
  transactionId: number | undefined,
  digest: string
): string => keyOf("meter", state, `${evseId}|${text(transactionId)}|${digest}`)

/** A key for messages that are repeats whenever their content is the same. */
export const contentKey = (kind: string, state: ChargerState, content: string): string => keyOf(kind, state, content)

/** A command ends once. The database uses the same key to end commands whose connection was lost. */
export const commandKey = (commandId: string): string => `command-answered${separator}${commandId}`
