/**
 * Which commands go after their retention: those that nothing is looked up in once they are over. Kept are those whose last answer is what is known of a
 * charger (its certificates, limits, local list and whether it is in service), and transfers, whose files and progress belong to them: few for each
 * charger. What was commanded by whom stays in the audit log in any case.
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
  "TriggerMessage"
] as const satisfies ReadonlyArray<CommandType>
