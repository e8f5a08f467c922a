/**
 * Commands that a charger must not be sent (OCPP 1.6 §4.2): a rejected charger gets none, and a pending one only those that configure it, not those
 * that start charging.
 */
import type { ChargerCommand, CommandResult } from "../command/ChargerCommand.ts"
import type { ChargerState } from "../charger/ChargerState.ts"

const notAccepted: CommandResult = {
  _tag: "CallError",
  code: "NotAccepted",
  description: "the charger's registration does not allow it; it was not sent. Accept the charger first"
}

/** The result of a command that must not be sent; undefined if it may. */
export const refusedTo = ({ registration }: ChargerState, { _tag }: ChargerCommand): CommandResult | undefined => {
  if (registration === "Accepted") return undefined
  return registration === "Rejected" || _tag === "RemoteStart" || _tag === "RemoteStop" ? notAccepted : undefined
}
