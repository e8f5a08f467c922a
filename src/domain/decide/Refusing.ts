/**
 * Commands that must not be sent to a charger (OCPP 1.6 §4.2). A rejected charger gets none. A pending charger gets all except those that start or
 * stop charging.
 */
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { ChargerState } from "../charger/ChargerState.ts"

const notAccepted: CommandResult = {
  _tag: "CallError",
  code: "NotAccepted",
  description: "the charger's registration does not allow this command, so it was not sent. Accept the charger first"
}

/** The result of a command that must not be sent; undefined if it may. */
export const refusedTo = ({ registration }: ChargerState, { _tag }: ChargerCommand): CommandResult | undefined => {
  if (registration === "Accepted") return undefined
  return registration === "Rejected" || _tag === "RemoteStart" || _tag === "RemoteStop" ? notAccepted : undefined
}
