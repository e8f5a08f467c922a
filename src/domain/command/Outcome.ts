/** What a partner hears of its callback: the end of a command in OCPI's words (OCPI 2.2.1 §13.4.4, §14.4.4). */
import type { CommandStatus } from "./Command.ts"
import type { PartnerCallbackKind } from "./PartnerCallback.ts"

/** What a charger was asked and what came of it. */
export interface PartnerCallbackEnd {
  readonly kind: PartnerCallbackKind
  /** `Pending` and `Sent` where the time is over and the charger has not answered. */
  readonly status: CommandStatus
  /** As the command has it: the charger's answer, or `{ errorCode, errorDescription }`. */
  readonly result: Readonly<Record<string, unknown>> | undefined
  /** What the connector of the command says of itself by now, where it has one. */
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

/** Chargers that do not know an action say so in either way (OCPP-J 1.6 §4.2.3). */
const unsupported: ReadonlySet<string> = new Set(["notimplemented", "notsupported"])

/** Why a charger says no, as far as the status of its connector shows. */
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

/** What a charger's own word for no means, of each kind of command (OCPP 1.6 §7.9, §7.29, §7.43, §7.50 …). */
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

/** What a partner hears of its command. */
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

/** What a partner hears of a charging profile. `UNKNOWN` is a profile that the charger does not have (§5.5). */
export const profileOutcomeOf = ({ kind, result, status }: PartnerCallbackEnd): ProfileOutcome => {
  if (status === "Accepted") return "ACCEPTED"
  return kind === "ClearProfile" && word(result?.["status"]) === "unknown" ? "UNKNOWN" : "REJECTED"
}
