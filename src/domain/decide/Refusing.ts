/**
 * Commands that a charger is not sent (OCPP 1.6 §4.2): one that was rejected gets nothing, one that is pending gets what sets it up, and
 * may not be made to charge.
 */
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { ChargerState } from "../charger/ChargerState.ts"

const notAccepted: CommandResult = {
  _tag: "CallError",
  code: "NotAccepted",
  description: "the charger's registration does not allow it; it was not sent. Accept the charger first"
}

/** What comes of a command that must not go out; undefined for one that may. */
export const refusedTo = ({ registration }: ChargerState, { _tag }: ChargerCommand): CommandResult | undefined => {
  if (registration === "Accepted") return undefined
  return registration === "Rejected" || _tag === "RemoteStart" || _tag === "RemoteStop" ? notAccepted : undefined
}
