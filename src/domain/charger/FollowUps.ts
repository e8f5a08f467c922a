/**
 * What is asked of a charger so that its record fills within moments of connecting, and what its answers come to. A charger that
 * reconnects without booting is asked only for what is not known of it.
 */
import type { ConfigurationReported } from "../Fact.ts"
import { act, doNothing } from "./Acting.ts"
import type { ChargerCommand, CommandResult, ConfigurationKey } from "./ChargerCommand.ts"
import type { ChargerState } from "./ChargerState.ts"
import type { Decision, FollowUp } from "./Decision.ts"
import { occurrenceKey } from "./Keys.ts"

export const askConfiguration: ChargerCommand = { _tag: "GetConfiguration", keys: [] }

export const triggerStatus: ChargerCommand = {
  _tag: "TriggerMessage",
  requestedMessage: "StatusNotification",
  connectorId: undefined
}

const triggerBoot: ChargerCommand = {
  _tag: "TriggerMessage",
  requestedMessage: "BootNotification",
  connectorId: undefined
}

/** True once a connector has told its status; the whole charger's own (evse 0) says nothing of what it consists of. */
export const connectorsKnown = (state: ChargerState): boolean =>
  state.connectors.some((connector) => connector.evseId !== 0)

const atOnce = (command: ChargerCommand): FollowUp => ({ command, afterMillis: 0 })

/**
 * The connection has been up for a while. A charger that has booted on it was asked for everything already. A rejected one is left alone,
 * and a pending one asked only who it is (OCPP 1.6 §4.2).
 */
export const settled = (state: ChargerState): Decision => {
  const { registration } = state
  if (registration === "Rejected" || state.bootedHere === true) return doNothing
  const followUps: Array<FollowUp> = []
  const nameless = state.vendor === "" || state.model === ""
  if (nameless || (registration === "Accepted" && !state.booted)) followUps.push(atOnce(triggerBoot))
  if (registration === "Accepted") {
    if (!connectorsKnown(state)) followUps.push(atOnce(triggerStatus))
    if (state.booted && state.configured !== true) followUps.push(atOnce(askConfiguration))
  }
  return followUps.length === 0 ? doNothing : act([], undefined, followUps)
}

/** Keys whose value is a secret, in lower case as OCPP compares them. Some chargers tell it although it is write-only. */
const secretKeys = new Set(["authorizationkey"])

const withoutSecret = (entry: ConfigurationKey): ConfigurationKey =>
  secretKeys.has(entry.key.toLowerCase()) ? { ...entry, value: undefined } : entry

/** A whole configuration is recorded; a part of one, asked for by name, concerns only whoever asked. */
export const commandAnswered = (
  state: ChargerState,
  command: ChargerCommand,
  result: CommandResult,
  now: number
): Decision => {
  if (command._tag !== "GetConfiguration" || command.keys.length > 0) return doNothing
  if (result._tag !== "ConfigurationKeys") return doNothing
  const fact: ConfigurationReported = {
    type: "ConfigurationReported",
    key: occurrenceKey("configuration", state, "", now),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at: now,
    heardAt: now,
    epoch: state.epoch,
    body: { keys: result.keys.map(withoutSecret), unknown: result.unknown }
  }
  return act([fact], undefined)
}
