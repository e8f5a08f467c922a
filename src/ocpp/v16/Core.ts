/**
 * The Core profile without transactions and configuration: messages for boot, heartbeat, connector status,
 * authorisation and vendors' data (OCPP 1.6 §4.1…§4.3, §4.6, §4.9), and the commands of the profile (§5.2, §5.4, §5.6,
 * §5.11, §5.12, §5.14, §5.18).
 */
import { type ConnectorStatus, connectorStatuses } from "../../domain/site/Connector.ts"
import { meterKeysIn } from "../../domain/charger/MeterKeys.ts"
import { cutText } from "../../domain/values/Cut.ts"
import { shownText, shownValue } from "../../domain/values/SecretText.ts"
import { action, empty } from "./Action.ts"
import { idTag, idTagInfo } from "./IdTagInfo.ts"
import { connectorNumber, text, textOrJson, time, word } from "./Kinds.ts"
import { optional } from "./Lenient.ts"
import { placeOf, connectorIdOf, optionalConnectorIdOf } from "./place.ts"
import { readTime, writeTime } from "./Time.ts"
import { answersWith, present, type Command } from "./Command.ts"
import { writeProfile } from "./SmartCharging.ts"
import { dataTransferStatuses } from "../../domain/charger/Reply.ts"

/** §5.11. A start for the whole charger names no connector: the charger chooses one, and 0 is not allowed here (§6.33). */
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

/** What a charger reports about itself, without secrets. */
const shown = (value: string | undefined): string | undefined => value && shownText(value)

/** The value, unless it is empty: chargers send "" for a value that they do not know. */
const given = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === "" ? undefined : shown(value)

/** §4.1. The tag may be longer than OCPP allows; the domain has no token that long. */
export const authorize = action({
  fields: { idTag },
  needs: ["idTag"],
  event: ({ idTag = "" }) => ({ _tag: "AuthorizationAsked", tokenUid: idTag }),
  replies: { AuthorizationAnswered: ({ verdict }) => ({ idTagInfo: idTagInfo(verdict) }) }
})

/**
 * Characters that are kept of a charger's names, more than the specification allows: serial numbers differ in their
 * last characters, and rules are found by the whole name of a make. It is also the length of the serial number that an
 * operator may register.
 */
const nameKept = 64

/** §4.2. A charger without a name may boot: its connection identifies it. */
export const bootNotification = action({
  fields: {
    chargePointVendor: text(20, nameKept),
    chargePointModel: text(20, nameKept),
    chargePointSerialNumber: optional(text(25, nameKept)),
    chargeBoxSerialNumber: optional(text(25, nameKept)),
    firmwareVersion: optional(text(50, nameKept)),
    iccid: optional(text(20, nameKept)),
    imsi: optional(text(20, nameKept)),
    meterType: optional(text(25, nameKept)),
    meterSerialNumber: optional(text(25, nameKept))
  },
  needs: [],
  event: (boot) => ({
    _tag: "Booted",
    vendor: shown(boot.chargePointVendor) ?? "",
    model: shown(boot.chargePointModel) ?? "",
    // The second one is deprecated (§6.3), but some chargers send only that.
    serialNumber: given(boot.chargePointSerialNumber) ?? given(boot.chargeBoxSerialNumber),
    firmwareVersion: given(boot.firmwareVersion),
    iccid: given(boot.iccid),
    imsi: given(boot.imsi),
    meterType: given(boot.meterType),
    meterSerialNumber: given(boot.meterSerialNumber)
  }),
  replies: {
    BootAnswered: ({ intervalSeconds, status }, now) => ({
      status,
      currentTime: writeTime(now),
      interval: Math.max(0, Math.round(intervalSeconds))
    })
  }
})

/** Characters of a vendor's data that are passed on. The message log has the whole message. */
const dataKept = 1000

/** The size of the data in bytes, if not all of it is passed on. */
const sizeOf = (data: string | undefined) =>
  data === undefined || data.length <= dataKept ? {} : { size: Buffer.byteLength(data) }

const keysIn = (data = "") => {
  const meterKeys = meterKeysIn(data)
  return meterKeys.length === 0 ? {} : { meterKeys }
}

/** §4.3. The meaning of the data is known only to the vendor. */
export const dataTransfer = action({
  fields: { vendorId: text(255), messageId: optional(text(50)), data: optional(textOrJson) },
  needs: ["vendorId"],
  event: ({ data, messageId, vendorId = "" }) => ({
    _tag: "DataReceived",
    vendorId,
    messageId,
    data: data && cutText(shownValue(messageId ?? "", data), dataKept),
    ...sizeOf(data),
    ...keysIn(data)
  }),
  replies: { DataAnswered: ({ status }) => ({ status }) }
})

/** §4.6. */
export const heartbeat = action({
  fields: {},
  needs: [],
  event: () => ({ _tag: "HeartbeatReceived" }),
  replies: { HeartbeatAnswered: (_, now) => ({ currentTime: writeTime(now) }) }
})

/** §7.6 ChargePointErrorCode. */
const errorCodes = [
  "ConnectorLockFailure",
  "EVCommunicationError",
  "GroundFailure",
  "HighTemperature",
  "InternalError",
  "LocalListConflict",
  "NoError",
  "OtherError",
  "OverCurrentFailure",
  "OverVoltage",
  "PowerMeterFailure",
  "PowerSwitchFailure",
  "ReaderFailure",
  "ResetFailure",
  "UnderVoltage",
  "WeakSignal"
]

/** §7.7 ChargePointStatus. */
const statusByName: ReadonlyMap<string, ConnectorStatus> = new Map([
  ...connectorStatuses.map((status) => [status.toLowerCase(), status] as const),
  // The word of OCPP 1.5 and 2.x for a connector with a vehicle, which some chargers send on 1.6 lines.
  ["occupied", "Preparing"]
])

/** An unknown status is read as Unavailable: such a connector cannot be offered to a driver. */
const readStatus = (raw: string): ConnectorStatus => statusByName.get(raw.trim().toLowerCase()) ?? "Unavailable"

/** §4.9. */
export const statusNotification = action({
  fields: {
    connectorId: connectorNumber,
    errorCode: word(errorCodes),
    info: optional(text(50)),
    status: word(connectorStatuses),
    timestamp: optional(time),
    vendorId: optional(text(255)),
    vendorErrorCode: optional(text(50))
  },
  needs: ["connectorId", "status"],
  event: ({ connectorId = 0, errorCode, info, status = "", timestamp, vendorErrorCode, vendorId }) => ({
    _tag: "StatusReported",
    place: placeOf(connectorId),
    status: readStatus(status),
    rawStatus: shownText(status),
    errorCode: shown(errorCode),
    info: shown(info),
    vendorId: shown(vendorId),
    vendorErrorCode: shown(vendorErrorCode),
    time: readTime(timestamp)
  }),
  replies: { Acknowledged: empty }
})
