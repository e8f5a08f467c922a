/**
 * Commands in OCPI 2.1.1 §13: four commands, numeric reservation ids, tokens without a party, and one type for both the immediate answer
 * and the result. That type cannot say why a charger could not do it (REJECTED is sent). It cannot express that we cancelled a reservation,
 * which is not reported.
 */
import { Effect, Schema } from "effect"
import type { CommandOutcome } from "../../../domain/command/Outcome.ts"
import {
  reserveFields,
  reserveOf,
  startFields,
  startOf,
  Stop,
  stopOf,
  Token211,
  token211,
  Unlock,
  unlockOf,
  type WireCommands
} from "./Enums.ts"

const { authorization_reference: _, connector_id: __, ...start } = startFields
const StartBody = Schema.Struct({ ...start, token: Token211 })
const Start = Schema.decodeUnknownEffect(StartBody)
const { authorization_reference: ___, ...reserve } = reserveFields
const ReserveBody = Schema.Struct({ ...reserve, token: Token211 })
const Reserve = Schema.decodeUnknownEffect(ReserveBody)
const decodeStop = Schema.decodeUnknownEffect(Stop)
const decodeUnlock = Schema.decodeUnknownEffect(Unlock)

/** Schemas of the bodies, by command. */
export const commandBodies211 = {
  START_SESSION: StartBody,
  STOP_SESSION: Stop,
  RESERVE_NOW: ReserveBody,
  UNLOCK_CONNECTOR: Unlock
}

const requests = new Map<string, NonNullable<ReturnType<WireCommands["request"]>>>([
  ["START_SESSION", (body) => Effect.map(Start(body), (given) => startOf(given, token211(given.token)))],
  ["STOP_SESSION", (body) => Effect.map(decodeStop(body), stopOf)],
  ["RESERVE_NOW", (body) => Effect.map(Reserve(body), (given) => reserveOf(given, token211(given.token)))],
  ["UNLOCK_CONNECTOR", (body) => Effect.map(decodeUnlock(body), unlockOf)]
])

const results: Readonly<Record<CommandOutcome, string | undefined>> = {
  ACCEPTED: "ACCEPTED",
  CANCELED_RESERVATION: undefined,
  EVSE_OCCUPIED: "REJECTED",
  EVSE_INOPERATIVE: "REJECTED",
  FAILED: "REJECTED",
  NOT_SUPPORTED: "NOT_SUPPORTED",
  REJECTED: "REJECTED",
  TIMEOUT: "TIMEOUT",
  UNKNOWN_RESERVATION: "REJECTED"
}

export const commandsV211: WireCommands = {
  request: (name) => requests.get(name),
  response: ({ result }) => ({ result }),
  result: (outcome) => {
    const result = results[outcome]
    return result === undefined ? undefined : { result }
  }
}
