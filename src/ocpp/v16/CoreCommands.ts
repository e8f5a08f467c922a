/** What the Core profile asks of a charger, its configuration apart (OCPP 1.6 §5.2, §5.4, §5.6, §5.11, §5.12, §5.14, §5.18). */
import { answersWith, present, type Command } from "./Command.ts"
import { connectorIdOf, optionalConnectorIdOf } from "./place.ts"
import { writeProfile } from "./SmartCharging.ts"
import { dataTransferStatuses } from "../../domain/charger/Reply.ts"

/** §5.11. A start at the whole charger names no connector: the charger chooses, and 0 is not allowed here (§6.33). */
export const remoteStart: Command<"RemoteStart"> = {
  action: "RemoteStartTransaction",
  encode: ({ chargingProfile, place, tokenUid }) =>
    present({
      connectorId: optionalConnectorIdOf(place) || undefined,
      idTag: tokenUid,
      chargingProfile: chargingProfile === undefined ? undefined : writeProfile(chargingProfile)
    }),
  decode: answersWith(["Accepted", "Rejected"])
}

/** §5.12. */
export const remoteStop: Command<"RemoteStop"> = {
  action: "RemoteStopTransaction",
  encode: ({ transactionId }) => ({ transactionId }),
  decode: answersWith(["Accepted", "Rejected"])
}

/** §5.18. */
export const unlockConnector: Command<"UnlockConnector"> = {
  action: "UnlockConnector",
  encode: ({ place }) => ({ connectorId: connectorIdOf(place) }),
  decode: answersWith(["Unlocked", "UnlockFailed", "NotSupported"])
}

/** §5.14. */
export const reset: Command<"Reset"> = {
  action: "Reset",
  encode: ({ kind }) => ({ type: kind }),
  decode: answersWith(["Accepted", "Rejected"])
}

/** §5.2. */
export const changeAvailability: Command<"ChangeAvailability"> = {
  action: "ChangeAvailability",
  encode: ({ availability, place }) => ({ connectorId: connectorIdOf(place), type: availability }),
  decode: answersWith(["Accepted", "Rejected", "Scheduled"])
}

/** §5.4. */
export const clearCache: Command<"ClearCache"> = {
  action: "ClearCache",
  encode: () => ({}),
  decode: answersWith(["Accepted", "Rejected"])
}

/** §5.6. The vendor's own answer is in the answer's `data`. */
export const sendData: Command<"DataTransfer"> = {
  action: "DataTransfer",
  encode: ({ data, messageId, vendorId }) => present({ vendorId, messageId, data }),
  decode: answersWith(dataTransferStatuses)
}
