/** The RemoteTrigger profile (OCPP 1.6 §5.17) and the whitepaper's extension of it: requesting a charger to send a message now. */
import type { CommandOf } from "../../domain/command/ChargerCommand.ts"
import { answersWith, present, type Command } from "./Command.ts"
import { optionalConnectorIdOf } from "./place.ts"

const encode = ({ place, requestedMessage }: CommandOf<"TriggerMessage"> | CommandOf<"ExtendedTriggerMessage">) =>
  present({ requestedMessage, connectorId: optionalConnectorIdOf(place) })

const decode = answersWith(["Accepted", "Rejected", "NotImplemented"])

/** §5.17. */
export const triggerMessage: Command<"TriggerMessage"> = { action: "TriggerMessage", encode, decode }

/** Whitepaper, ExtendedTriggerMessage.req. */
export const extendedTriggerMessage: Command<"ExtendedTriggerMessage"> = {
  action: "ExtendedTriggerMessage",
  encode,
  decode
}
