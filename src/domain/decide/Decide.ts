/**
 * The pure function that decides on each message of a charger. From the charger's state and the message it makes the facts to store, the answer to
 * send once they are stored, and the commands that follow. It has no clock and no randomness, and never waits.
 */
import { answer, answerHeartbeat } from "./Acting.ts"
import { booted } from "./Boot.ts"
import type { ChargerEvent } from "../charger/ChargerEvent.ts"
import type { ChargerState } from "../charger/ChargerState.ts"
import type { Decide, Decision, FreshIds, Input } from "../charger/Decision.ts"
import { commandAnswered } from "./Commanded.ts"
import { doubted, settled } from "./FollowUps.ts"
import { meterValuesReported } from "./Meter.ts"
import {
  authorizationAsked,
  certificateRequested,
  dataReceived,
  frameFaultFound,
  progressReported,
  securityEventReported
} from "./Notices.ts"
import { unreadableTransactionMessage } from "./Orphans.ts"
import { provisionalRead, withPlausible } from "./Provisional.ts"
import { transactionStarted } from "./Start.ts"
import { statusReported } from "./Status.ts"
import { transactionEnded } from "./Stop.ts"

const notAccepted = answer(() => ({
  _tag: "Refused",
  reason: "NotAccepted",
  description: "this charger is not accepted yet: send BootNotification again after the interval"
}))

/**
 * What is processed even from a rejected charger: boots, transactions, since billing data must never be lost, and faults of its frames. OCPP 1.6 §4.2
 * forbids it to send any other messages.
 */
const alwaysHeard: ReadonlySet<ChargerEvent["_tag"]> = new Set([
  "Booted",
  "TransactionStarted",
  "TransactionEnded",
  "MeterValuesReported",
  "UnreadableTransactionMessage",
  "FrameFaultFound"
])

/**
 * The messages that are also processed from a pending charger: those that can be triggered, and reports on commands (OCPP 1.6 §4.2). It is not
 * checked whether they were triggered: statuses that a charger reports on its own are equally valid.
 */
const heardWhilePending: ReadonlySet<ChargerEvent["_tag"]> = new Set([
  "HeartbeatReceived",
  "StatusReported",
  "FirmwareStatusReported",
  "UploadStatusReported",
  "SecurityEventReported",
  "CertificateRequested"
])

const isHeard = (registration: ChargerState["registration"], tag: ChargerEvent["_tag"]): boolean =>
  registration === "Accepted" || alwaysHeard.has(tag) || (registration === "Pending" && heardWhilePending.has(tag))

const decideEvent = (
  state: ChargerState,
  { answers, envelope, event }: Extract<Input, { readonly _tag: "Event" }>,
  now: number,
  ids: FreshIds
): Decision => {
  if (!isHeard(state.registration, event._tag)) return notAccepted
  switch (event._tag) {
    case "HeartbeatReceived":
      return answerHeartbeat
    case "MeterValuesReported":
      return (
        provisionalRead(state, event, envelope, now, ids) ?? meterValuesReported(state, event, envelope, answers, now)
      )
    case "StatusReported":
      return statusReported(state, event, envelope, now)
    case "AuthorizationAsked":
      return authorizationAsked(state, event, envelope, answers, now)
    case "TransactionStarted":
      return transactionStarted(state, event, envelope, answers, now, ids)
    case "TransactionEnded":
      return transactionEnded(state, event, envelope, answers, now, ids)
    case "Booted":
      return booted(state, event, envelope, now)
    case "DataReceived":
      return dataReceived(state, event, envelope, now)
    case "FirmwareStatusReported":
      return progressReported(state, "Firmware", event.status, event.requestId, envelope, now)
    case "UploadStatusReported":
      return progressReported(state, event.kind, event.status, event.requestId, envelope, now)
    case "SecurityEventReported":
      return securityEventReported(state, event, envelope, now)
    case "CertificateRequested":
      return certificateRequested(state, event, now)
    case "UnreadableTransactionMessage":
      return unreadableTransactionMessage(state, event, envelope, now, ids)
    case "FrameFaultFound":
      return frameFaultFound(state, event, now)
  }
}

export const decide: Decide<ChargerState> = (state, input, now, ids) => {
  switch (input._tag) {
    case "Event": {
      const decision = decideEvent(state, input, now, ids)
      return state.provisional === undefined ? decision : withPlausible(state, decision, now, ids)
    }
    case "CommandAnswered":
      return commandAnswered(state, input, now, ids)
    case "Settled":
      return settled(state)
    case "Doubted":
      return doubted(state)
  }
}
