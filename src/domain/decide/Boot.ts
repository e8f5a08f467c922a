/**
 * BootNotification (OCPP 1.6 §4.2): the charger's data is stored whether it is accepted or not, and the answer is the operator's choice. Its
 * configuration and statuses are requested a little later, since some chargers fail on a CALL before their boot is answered.
 */
import type { ChargerBooted } from "../charger/Fact.ts"
import { act, always } from "./Acting.ts"
import type { Booted } from "../charger/ChargerEvent.ts"
import type { ChargerPolicy, ChargerState } from "../charger/ChargerState.ts"
import type { Decision, Envelope, FollowUp } from "../charger/Decision.ts"
import { askConfiguration, connectorsKnown, triggerStatus } from "./FollowUps.ts"
import { occurrenceKey } from "../charger/Keys.ts"
import { tolerancesOf } from "../charger/Quirks.ts"

/** How long a pending charger waits before it sends its boot again: an operator is about to decide, and a minute is soon enough. */
const pendingRetrySeconds = 60

/** How long a rejected charger waits before it sends its boot again: operators rarely change this choice. */
const rejectedRetrySeconds = 600

/**
 * Statuses are requested first, if the charger has not reported any: most chargers do so on their own, mostly within two seconds of a boot. A
 * TriggerMessage has a short answer.
 */
const statusAfterMillis = 3000

/** The configuration is requested next: some chargers take long to answer, or never do, and what was to follow would have to wait for it. */
const configurationAfterMillis = 4000

const intervalSeconds = (registration: ChargerState["registration"], policy: ChargerPolicy): number => {
  switch (registration) {
    case "Accepted":
      return policy.heartbeatIntervalSeconds
    case "Pending":
      return pendingRetrySeconds
    case "Rejected":
      return rejectedRetrySeconds
  }
}

const followUps = (state: ChargerState, { firmwareVersion = "", model, vendor }: Booted): ReadonlyArray<FollowUp> => {
  if (state.registration !== "Accepted") return []
  const tolerances = tolerancesOf({ vendor, model, firmwareVersion }, state.policy.quirks)
  const configuration: FollowUp = { command: askConfiguration, afterMillis: configurationAfterMillis }
  const status: FollowUp = { command: triggerStatus, afterMillis: statusAfterMillis }
  return [
    ...(connectorsKnown(state) && tolerances.statusAfterConnect !== true ? [] : [status]),
    ...(tolerances.skipConfigurationAfterBoot === true ? [] : [configuration])
  ]
}

export const booted = (state: ChargerState, event: Booted, envelope: Envelope, now: number): Decision => {
  const { registration } = state
  const fact: ChargerBooted = {
    type: "ChargerBooted",
    key: occurrenceKey("boot", state, envelope.messageId, now),
    organisationId: state.organisationId,
    chargerId: state.chargerId,
    at: now,
    heardAt: now,
    epoch: state.epoch,
    body: {
      vendor: event.vendor,
      model: event.model,
      serialNumber: event.serialNumber,
      firmwareVersion: event.firmwareVersion,
      iccid: event.iccid,
      imsi: event.imsi,
      meterType: event.meterType,
      meterSerialNumber: event.meterSerialNumber,
      registration
    }
  }
  const reply = always({
    _tag: "BootAnswered",
    status: registration,
    intervalSeconds: intervalSeconds(registration, state.policy)
  })
  return act([fact], reply, followUps(state, event))
}
