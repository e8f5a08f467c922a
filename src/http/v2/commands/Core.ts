/** The commands of Core and RemoteTrigger (OCPP 1.6 §5.1…§5.4, §5.8, §5.11…§5.14, §5.17, §5.18). */
import { Schema } from "effect"
import { passwordKey } from "../../../domain/command/Kinds.ts"
import { isSecretName, maskedValue } from "../../../domain/values/SecretNames.ts"
import { validateProfile } from "../../../domain/command/Profile.ts"
import { Uuid } from "../../Fields.ts"
import { refused, row } from "./Row.ts"
import {
  ConnectorNumber,
  ConnectorOrWhole,
  IdTag,
  Integer,
  optionalText,
  placeOf,
  Profile,
  profileOf,
  text
} from "./Values.ts"

const type = <T extends string>(name: T) => ({ type: Schema.Literal(name) })
const Key = text(50)

/** Messages that a charger can be requested to send: OCPP 1.6 §7.32, and the whitepaper's MessageTriggerEnumType. */
const triggered = [
  "BootNotification",
  "DiagnosticsStatusNotification",
  "FirmwareStatusNotification",
  "Heartbeat",
  "MeterValues",
  "StatusNotification"
] as const
const triggeredExtended = [
  "BootNotification",
  "FirmwareStatusNotification",
  "Heartbeat",
  "LogStatusNotification",
  "MeterValues",
  "SignChargePointCertificate",
  "StatusNotification"
] as const

const profileKey = "securityprofile"

const passwordFits = /^(?:[\x21-\x7e]{16,20}|[0-9A-Fa-f]{32,40})$/
const passwordRule = "A charger's password has 16 to 20 printable characters without spaces, or 32 to 40 hex digits"

const maybePlace = (connectorId: number | undefined) =>
  connectorId === undefined ? {} : { place: placeOf(connectorId) }

export const core = {
  RemoteStart: row(
    Schema.Struct({
      ...type("RemoteStart"),
      idTag: IdTag,
      connectorId: Schema.optionalKey(ConnectorNumber),
      chargingProfile: Schema.optionalKey(Profile)
    }),
    ({ chargingProfile, connectorId, idTag }) => {
      const start = { _tag: "RemoteStart", tokenUid: idTag, ...maybePlace(connectorId) } as const
      if (chargingProfile === undefined) return start
      const profile = profileOf(chargingProfile)
      const [finding] = validateProfile(profile, { command: "RemoteStart" })
      if (finding !== undefined) return refused(`/chargingProfile${finding.pointer}`, finding.detail)
      return { ...start, chargingProfile: profile }
    }
  ),
  RemoteStop: row(
    Schema.Struct({
      ...type("RemoteStop"),
      transactionId: Schema.optionalKey(Integer),
      sessionId: Schema.optionalKey(Uuid)
    }),
    ({ sessionId, transactionId }) =>
      sessionId !== undefined
        ? { _tag: "NeedsSession", sessionId, with: (id) => ({ _tag: "RemoteStop", transactionId: id }) }
        : transactionId !== undefined
          ? { _tag: "RemoteStop", transactionId }
          : refused("/transactionId", "Is required, or sessionId instead")
  ),
  UnlockConnector: row(
    Schema.Struct({ ...type("UnlockConnector"), connectorId: ConnectorNumber }),
    ({ connectorId }) => ({
      _tag: "UnlockConnector",
      place: placeOf(connectorId)
    })
  ),
  Reset: row(Schema.Struct({ ...type("Reset"), resetType: Schema.Literals(["Hard", "Soft"]) }), ({ resetType }) => ({
    _tag: "Reset",
    kind: resetType
  })),
  ChangeAvailability: row(
    Schema.Struct({
      ...type("ChangeAvailability"),
      connectorId: ConnectorOrWhole,
      operationalStatus: Schema.Literals(["Operative", "Inoperative"])
    }),
    ({ connectorId, operationalStatus }) => ({
      _tag: "ChangeAvailability",
      place: placeOf(connectorId),
      availability: operationalStatus
    })
  ),
  GetConfiguration: row(
    Schema.Struct({
      ...type("GetConfiguration"),
      key: Schema.optionalKey(Schema.Union([Key, Schema.Array(Key).check(Schema.isMaxLength(200))]))
    }),
    ({ key }) => ({ _tag: "GetConfiguration", keys: key === undefined ? [] : typeof key === "string" ? [key] : key })
  ),
  ChangeConfiguration: row(
    Schema.Struct({ ...type("ChangeConfiguration"), key: Key, value: Schema.optionalKey(optionalText(500)) }),
    ({ key, value }) => {
      const isPassword = key.trim().toLowerCase() === passwordKey
      if (isPassword && value === undefined) return { _tag: "NeedsPassword", key }
      if (value === undefined) return refused("/value", "Is required")
      if (value === maskedValue && isSecretName(key)) return refused("/value", "Is masked: give the value")
      if (isPassword && !passwordFits.test(value)) return refused("/value", passwordRule)
      if (key.trim().toLowerCase() === profileKey && !/^\s*[0-3]\s*$/.test(value)) {
        return refused("/value", "Must be a security profile (1, 2 or 3) higher than the charger's")
      }
      return { _tag: "ChangeConfiguration", key, value }
    }
  ),
  ClearCache: row(Schema.Struct(type("ClearCache")), () => ({ _tag: "ClearCache" })),
  DataTransfer: row(
    Schema.Struct({
      ...type("DataTransfer"),
      vendorId: text(255),
      messageId: Schema.optionalKey(text(50)),
      data: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(100_000)))
    }),
    ({ type: _, ...rest }) => ({ _tag: "DataTransfer", ...rest })
  ),
  TriggerMessage: row(
    Schema.Struct({
      ...type("TriggerMessage"),
      requestedMessage: Schema.Literals(triggered),
      connectorId: Schema.optionalKey(ConnectorNumber)
    }),
    ({ connectorId, requestedMessage }) => ({ _tag: "TriggerMessage", requestedMessage, ...maybePlace(connectorId) })
  ),
  ExtendedTriggerMessage: row(
    Schema.Struct({
      ...type("ExtendedTriggerMessage"),
      requestedMessage: Schema.Literals(triggeredExtended),
      connectorId: Schema.optionalKey(ConnectorNumber)
    }),
    ({ connectorId, requestedMessage }) => ({
      _tag: "ExtendedTriggerMessage",
      requestedMessage,
      ...maybePlace(connectorId)
    })
  )
} as const
