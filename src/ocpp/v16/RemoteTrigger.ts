/** The RemoteTrigger profile (OCPP 1.6 §5.17): asking a charger to send a message now. */
import { readStatus, type Command } from "./Command.ts"

export const triggerMessage: Command<"TriggerMessage"> = {
  encode: ({ connectorId, requestedMessage }) => ({
    action: "TriggerMessage",
    payload: connectorId === undefined ? { requestedMessage } : { requestedMessage, connectorId }
  }),
  decode: readStatus
}
