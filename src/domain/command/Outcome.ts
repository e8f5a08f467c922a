/** Translates the outcome of a partner's command into OCPI's enumerations (OCPI 2.2.1 §13.4.4, §14.4.4). */
import type { CommandStatus } from "./Command.ts"
import type { PartnerCallbackKind } from "./PartnerCallback.ts"

/** A command and its outcome. */
export interface PartnerCallbackEnd {
  readonly kind: PartnerCallbackKind
  /** `Pending` or `Sent` if the charger has not answered in time. */
  readonly status: CommandStatus
  /** As in `Command.result`: the charger's answer, or `{ errorCode, errorDescription }`. */
  readonly result: Readonly<Record<string, unknown>> | undefined
  /** The present status of the command's connector, if it has one. */
  readonly connectorStatus: string | undefined
}

/** OCPI 2.2.1 §13.4.4 CommandResultType. */
export type CommandOutcome =
  | "ACCEPTED"
  | "CANCELED_RESERVATION"
  | "EVSE_OCCUPIED"
  | "EVSE_INOPERATIVE"
  | "FAILED"
  | "NOT_SUPPORTED"
  | "REJECTED"
  | "TIMEOUT"
  | "UNKNOWN_RESERVATION"

const word = (value: unknown): string => (typeof value === "string" ? value.trim().toLowerCase() : "")

/** Chargers that do not know an action answer with either code (OCPP-J 1.6 §4.2.3). */
const unsupported: ReadonlySet<string> = new Set(["notimplemented", "notsupported"])

/** The reason of a charger's refusal, derived from its connector's status. */
const refusedAt = (connectorStatus: string | undefined): CommandOutcome => {
  switch (connectorStatus) {
    case "Faulted":
    case "Unavailable":
      return "EVSE_INOPERATIVE"
    case "Charging":
    case "SuspendedEV":
    case "SuspendedEVSE":
    case "Finishing":
    case "Reserved":
      return "EVSE_OCCUPIED"
    default:
      return "REJECTED"
  }
}

/** The meaning of a charger's refusals, by kind of command (OCPP 1.6 §7.9, §7.29, §7.43, §7.50 …). */
const rejected = ({ connectorStatus, kind, result }: PartnerCallbackEnd): CommandOutcome => {
  const said = word(result?.["status"])
  if (unsupported.has(said)) return "NOT_SUPPORTED"
  switch (kind) {
    case "ReserveNow":
      if (said === "occupied") return "EVSE_OCCUPIED"
      return said === "faulted" || said === "unavailable" ? "EVSE_INOPERATIVE" : "REJECTED"
    case "CancelReservation":
      return "UNKNOWN_RESERVATION"
    case "UnlockConnector":
      return "FAILED"
    case "StartSession":
      return refusedAt(connectorStatus)
    default:
      return "REJECTED"
  }
}

/** The result that a partner gets for a command. */
export const outcomeOf = (end: PartnerCallbackEnd): CommandOutcome => {
  switch (end.status) {
    case "Accepted":
      return "ACCEPTED"
    case "Rejected":
      return rejected(end)
    case "Pending":
    case "Sent":
    case "TimedOut":
      return "TIMEOUT"
    case "Failed":
      return unsupported.has(word(end.result?.["errorCode"])) ? "NOT_SUPPORTED" : "FAILED"
    case "Expired":
      return "FAILED"
  }
}

/** OCPI 2.2.1 §14.4.4 ChargingProfileResultType. */
export type ProfileOutcome = "ACCEPTED" | "REJECTED" | "UNKNOWN"

/** The result that a partner gets for a charging profile. `UNKNOWN` means that the charger does not have the profile (§5.5). */
export const profileOutcomeOf = ({ kind, result, status }: PartnerCallbackEnd): ProfileOutcome => {
  if (status === "Accepted") return "ACCEPTED"
  return kind === "ClearProfile" && word(result?.["status"]) === "unknown" ? "UNKNOWN" : "REJECTED"
}
