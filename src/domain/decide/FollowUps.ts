/**
 * What is asked of a charger so that its record fills within moments of connecting, and what its answers come to. A charger that
 * reconnects without booting is asked only for what is not known of it.
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

/** The least that a charger can be asked to say. */
const triggerHeartbeat: ChargerCommand = { _tag: "TriggerMessage", requestedMessage: "Heartbeat" }

/** True once a connector has reported its status; the whole charger's own (evse 0) says nothing of what it consists of. */
export const connectorsKnown = (state: ChargerState): boolean =>
  state.connectors.some((connector) => connector.evseId !== 0)

const atOnce = (command: ChargerCommand): FollowUp => ({ command, afterMillis: 0 })

/**
 * The connection has been up for a while, or its operator has just chosen whether it is accepted. A charger that has booted on it was asked for everything already. A rejected one is left alone,
 * and a pending one asked only who it is (OCPP 1.6 §4.2).
 */
export const settled = (state: ChargerState): Decision => {
  const { registration } = state
  if (registration === "Rejected" || state.bootedHere === true) return doNothing
  const followUps: Array<FollowUp> = []
  const nameless = state.vendor === "" || state.model === ""
  // One that was accepted since it booted here would boot again by itself, after an interval.
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

/** Any answer proves that it is there, a refusal too. One that was rejected does not answer (OCPP 1.6 §4.2) and is not asked. */
export const doubted = ({ registration }: ChargerState): Decision =>
  registration === "Rejected" ? doNothing : act([], undefined, [atOnce(triggerHeartbeat)])
