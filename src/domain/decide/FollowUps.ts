/**
 * Commands that request missing information about a charger soon after it connects. A charger that reconnects without a boot is asked only for what
 * is not known yet.
 */
import { act, doNothing } from "./Acting.ts"
import type { ChargerCommand } from "../command/ChargerCommand.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Decision, FollowUp } from "../charger/Decision.ts"
import { tolerancesOf } from "../charger/Quirks.ts"

export const askConfiguration: ChargerCommand = { _tag: "GetConfiguration", keys: [] }

export const triggerStatus: ChargerCommand = {
  _tag: "TriggerMessage",
  requestedMessage: "StatusNotification"
}

const triggerBoot: ChargerCommand = {
  _tag: "TriggerMessage",
  requestedMessage: "BootNotification"
}

/** Requests the smallest message that a charger can send. */
const triggerHeartbeat: ChargerCommand = { _tag: "TriggerMessage", requestedMessage: "Heartbeat" }

/** True once a connector has reported its status. The status of the whole charger (EVSE 0) does not show which connectors it has. */
export const connectorsKnown = (state: ChargerState): boolean =>
  state.connectors.some((connector) => connector.evseId !== 0)

const atOnce = (command: ChargerCommand): FollowUp => ({ command, afterMillis: 0 })

/**
 * Called once a connection has lasted for a while, and when an operator has changed the registration. A charger that booted on this connection was
 * asked for everything then. A rejected charger is sent nothing, and a pending one is only asked to boot (OCPP 1.6 §4.2).
 */
export const settled = (state: ChargerState): Decision => {
  const { registration } = state
  if (registration === "Rejected" || state.bootedHere === true) return doNothing
  const followUps: Array<FollowUp> = []
  const nameless = state.vendor === "" || state.model === ""
  // A charger that was accepted after its boot would boot again by itself, but only after an interval.
  const mustBoot = !state.booted || state.bootedHere === false
  if (nameless || (registration === "Accepted" && mustBoot)) followUps.push(atOnce(triggerBoot))
  if (registration === "Accepted") {
    const { skipConfigurationAfterBoot, statusAfterConnect } = tolerancesOf(state, state.policy.quirks)
    if (!connectorsKnown(state) || statusAfterConnect === true) followUps.push(atOnce(triggerStatus))
    const mayAsk = skipConfigurationAfterBoot !== true
    if (state.booted && state.configured !== true && mayAsk) followUps.push(atOnce(askConfiguration))
  }
  return followUps.length === 0 ? doNothing : act([], undefined, followUps)
}

/** Any answer proves that the charger is connected, even a refusal. A rejected charger must not answer (OCPP 1.6 §4.2) and is not asked. */
export const doubted = ({ registration }: ChargerState): Decision =>
  registration === "Rejected" ? doNothing : act([], undefined, [atOnce(triggerHeartbeat)])
