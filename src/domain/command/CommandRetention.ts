/**
 * The types of commands that are deleted after their retention, since nothing refers to them once they have ended. The others are kept, few for each
 * charger: those whose last answer is the known state of a charger (its certificates, limits, local list and whether it is in service), and
 * transfers, which have files and progress. The audit log keeps who issued which command in any case.
 */
import type { CommandType } from "./Command.ts"

export const commandsForgotten = [
  "RemoteStart",
  "RemoteStop",
  "UnlockConnector",
  "Reset",
  "GetConfiguration",
  "ChangeConfiguration",
  "ClearCache",
  "DataTransfer",
  "ReserveNow",
  "CancelReservation",
  "TriggerMessage",
  "ExtendedTriggerMessage"
] as const satisfies ReadonlyArray<CommandType>
