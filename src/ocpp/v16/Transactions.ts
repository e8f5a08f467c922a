/**
 * The transactions of the Core profile (OCPP 1.6 §4.7, §4.8, §4.10). They are money: whatever part of one can be read is taken, and none is
 * ever refused.
 */
import { empty, transactionAction } from "./Action.ts"
import { idTag, idTagInfo } from "./IdTagInfo.ts"
import { connectorNumber, integer, time, transactionNumber, wholeWattHours, word } from "./Kinds.ts"
import { optional } from "./Lenient.ts"
import { meterValues, readReadings, transactionData } from "./MeterValues.ts"
import { placeOf, wholeCharger } from "./place.ts"
import { readTime } from "./Time.ts"

/** We hand out ids of 31 bits, never 0; chargers send 0, -1 and the largest number they have for "none". */
const readId = (sent: number | string | undefined): number | undefined =>
  typeof sent === "number" && Number.isInteger(sent) && sent > 0 && sent <= 0x7fffffff ? sent : undefined

/** §5.13: a reservation's id is never 0, and chargers that know of none send 0 all the same. */
const readReservation = (sent: number | undefined): number | undefined =>
  sent !== undefined && sent > 0 && sent <= 0x7fffffff ? sent : undefined

/** A start that names no connector is taken as one of the charger: its driver and its meter are still worth having. */
const place = (connectorId: number | undefined) => (connectorId === undefined ? wholeCharger : placeOf(connectorId))

/** §4.8. Every answer has a transaction id, also when the tag is refused. */
export const startTransaction = transactionAction("StartTransaction", {
  fields: {
    connectorId: connectorNumber,
    idTag,
    meterStart: wholeWattHours,
    reservationId: optional(integer),
    timestamp: time
  },
  event: ({ connectorId, idTag, meterStart, reservationId, timestamp }) => {
    const isNothing = (connectorId ?? idTag ?? meterStart ?? timestamp) === undefined
    if (isNothing) return undefined
    return {
      _tag: "TransactionStarted",
      place: place(connectorId),
      tokenUid: idTag ?? "",
      time: readTime(timestamp),
      meterStartWh: meterStart,
      reservationId: readReservation(reservationId)
    }
  },
  replies: {
    StartAnswered: ({ transactionId, verdict }) => ({ transactionId, idTagInfo: idTagInfo(verdict) })
  }
})

/** §4.7. Without a connector the values are the charger's own, and those of a transaction are found by its id. */
export const meterValuesAction = transactionAction("MeterValues", {
  fields: { connectorId: connectorNumber, transactionId: optional(transactionNumber), meterValue: meterValues },
  event: ({ connectorId, meterValue, transactionId }) => {
    if (meterValue === undefined) return undefined
    return {
      _tag: "MeterValuesReported",
      place: place(connectorId),
      transactionId: readId(transactionId),
      readings: readReadings(meterValue)
    }
  },
  replies: { Acknowledged: empty }
})

/** §7.37 Reason. */
const reasons = [
  "DeAuthorized",
  "EmergencyStop",
  "EVDisconnected",
  "HardReset",
  "Local",
  "Other",
  "PowerLoss",
  "Reboot",
  "Remote",
  "SoftReset",
  "UnlockCommand"
]

/** §4.10. */
export const stopTransaction = transactionAction("StopTransaction", {
  fields: {
    idTag: optional(idTag),
    meterStop: wholeWattHours,
    timestamp: time,
    transactionId: transactionNumber,
    reason: optional(word(reasons)),
    transactionData: optional(transactionData)
  },
  event: ({ idTag, meterStop, reason, timestamp, transactionData, transactionId }) => {
    const isNothing = (transactionId ?? meterStop ?? timestamp ?? idTag ?? transactionData) === undefined
    if (isNothing) return undefined
    return {
      _tag: "TransactionEnded",
      transactionId: readId(transactionId),
      rawTransactionId: String(transactionId ?? ""),
      tokenUid: idTag === undefined || idTag.trim() === "" ? undefined : idTag,
      time: readTime(timestamp),
      meterStopWh: meterStop,
      reason: reason ?? "Local",
      readings: readReadings(transactionData ?? [])
    }
  },
  replies: {
    StopAnswered: ({ verdict }) => (verdict === undefined ? {} : { idTagInfo: idTagInfo(verdict) }),
    Acknowledged: empty
  }
})
