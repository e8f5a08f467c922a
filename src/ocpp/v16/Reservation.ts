/** The Reservation profile (OCPP 1.6 §5.1, §5.13). */
import { answersWith, present, writeNearestTime, type Command } from "./Command.ts"
import { fittingParent } from "./IdTagInfo.ts"
import { connectorIdOf } from "./place.ts"

/** §5.13. Connector 0 reserves any one connector of the charger. */
export const reserveNow: Command<"ReserveNow"> = {
  action: "ReserveNow",
  encode: ({ expiresAt, parentUid, place, reservationId, tokenUid }) =>
    present({
      connectorId: connectorIdOf(place),
      expiryDate: writeNearestTime(expiresAt),
      idTag: tokenUid,
      parentIdTag: fittingParent(parentUid),
      reservationId
    }),
  decode: answersWith(["Accepted", "Faulted", "Occupied", "Rejected", "Unavailable"])
}

/** §5.1. */
export const cancelReservation: Command<"CancelReservation"> = {
  action: "CancelReservation",
  encode: ({ reservationId }) => ({ reservationId }),
  decode: answersWith(["Accepted", "Rejected"])
}
