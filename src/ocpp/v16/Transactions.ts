/**
 * The transactions of the Core profile (OCPP 1.6 §4.7, §4.8, §4.10). They are billed, so whatever can be read of one is
 * accepted, and none is ever refused.
 */
import { empty, transactionAction } from "./Action.ts"
import { idTag, idTagInfo } from "./IdTagInfo.ts"
import { connectorNumber, integer, time, transactionNumber, wholeWattHours, word } from "./Kinds.ts"
import { optional } from "./Lenient.ts"
import { meterValues, readReadings, transactionData } from "./MeterValues.ts"
import { placeOf, wholeCharger } from "./place.ts"
import { readTime } from "./Time.ts"

/** Reads a transaction id. Ours have 31 bits and are never 0; chargers send 0, -1 and their largest number for "none". */
const readId = (sent: number | string | undefined): number | undefined =>
  typeof sent === "number" && Number.isInteger(sent) && sent > 0 && sent <= 0x7fffffff ? sent : undefined

/** §5.13: a reservation's id is never 0, but chargers without a reservation send 0 anyway. */
const readReservation = (sent: number | undefined): number | undefined =>
  sent !== undefined && sent > 0 && sent <= 0x7fffffff ? sent : undefined

/** A start without a connector counts as one of the whole charger: its driver and meter reading are still worth storing. */
const place = (connectorId: number | undefined) => (connectorId === undefined ? wholeCharger : placeOf(connectorId))

/** §4.8. Every answer has a transaction id, even if the tag is refused. */
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

/** §4.7. Without a connector the values are those of the charger itself; a transaction's values are found by its id. */
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

/** §7.36 Reason. */
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
