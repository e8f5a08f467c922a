/**
 * Commands in OCPI 2.2 §13: CANCEL_RESERVATION is new, the immediate answer says how long the result may take, and the result has a type of
 * its own.
 */
import { Effect, Schema } from "effect"
import type { CommandResponse } from "../../../domain/command/CommandRequest.ts"
import type { CommandOutcome } from "../../../domain/command/Outcome.ts"
import {
  Cancel,
  cancelOf,
  reserveFields,
  reserveOf,
  startFields,
  startOf,
  Stop,
  stopOf,
  Token22,
  token22,
  Unlock,
  unlockOf,
  type WireCommands
} from "./Enums.ts"

const { connector_id: _, ...start } = startFields
const StartBody = Schema.Struct({ ...start, token: Token22 })
const Start = Schema.decodeUnknownEffect(StartBody)
const ReserveBody = Schema.Struct({ ...reserveFields, token: Token22 })
const Reserve = Schema.decodeUnknownEffect(ReserveBody)
const decodeStop = Schema.decodeUnknownEffect(Stop)
const decodeCancel = Schema.decodeUnknownEffect(Cancel)
const decodeUnlock = Schema.decodeUnknownEffect(Unlock)

/** Schemas of the bodies, by command. */
export const commandBodies22 = {
  START_SESSION: StartBody,
  STOP_SESSION: Stop,
  RESERVE_NOW: ReserveBody,
  CANCEL_RESERVATION: Cancel,
  UNLOCK_CONNECTOR: Unlock
}

export const requests22 = new Map<string, NonNullable<ReturnType<WireCommands["request"]>>>([
  ["START_SESSION", (body) => Effect.map(Start(body), (given) => startOf(given, token22(given.token)))],
  ["STOP_SESSION", (body) => Effect.map(decodeStop(body), stopOf)],
  ["RESERVE_NOW", (body) => Effect.map(Reserve(body), (given) => reserveOf(given, token22(given.token)))],
  ["CANCEL_RESERVATION", (body) => Effect.map(decodeCancel(body), cancelOf)],
  ["UNLOCK_CONNECTOR", (body) => Effect.map(decodeUnlock(body), unlockOf)]
])

/** Longest text of a DisplayText (OCPI 2.2.1 §16.3). */
const textMax = 512

export const response22 = ({ message, result, timeoutSeconds }: CommandResponse) => ({
  result,
  timeout: timeoutSeconds,
  ...(message === undefined ? {} : { message: [{ language: "en", text: message.slice(0, textMax) }] })
})

export const result22 = (outcome: CommandOutcome) => ({ result: outcome })

export const commandsV22: WireCommands = {
  request: (name) => requests22.get(name),
  response: response22,
  result: result22
}
