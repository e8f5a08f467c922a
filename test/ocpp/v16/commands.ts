/** Each command of the domain as sent in OCPP 1.6: once without all optional fields, and once with all of them. */
import type { ChargerCommand } from "../../../src/domain/command/ChargerCommand.ts"
import type { ChargingProfile } from "../../../src/domain/command/ChargingProfile.ts"

export interface SentCommand {
  readonly command: ChargerCommand
  readonly action: string
  readonly payload: Readonly<Record<string, unknown>>
}

const at = Date.UTC(2026, 10, 21, 10, 0, 0, 5)
const nextDay = Date.UTC(2026, 10, 22)
const second = { evseId: 2, connectorId: 1 }
const whole = { evseId: 0, connectorId: 0 }
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
const retries = { retries: 3, retryIntervalSeconds: 60 }
const hash = { hashAlgorithm: "SHA256", issuerNameHash: "ab", issuerKeyHash: "cd", serialNumber: "01" } as const

export const smallProfile: ChargingProfile = {
  profileId: 1,
  stackLevel: 0,
  purpose: "TxDefaultProfile",
  kind: "Relative",
  schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] }
}

const smallProfileSent = {
  chargingProfileId: 1,
  stackLevel: 0,
  chargingProfilePurpose: "TxDefaultProfile",
  chargingProfileKind: "Relative",
  chargingSchedule: { chargingRateUnit: "A", chargingSchedulePeriod: [{ startPeriod: 0, limit: 16 }] }
}

const fullProfile: ChargingProfile = {
  profileId: 7,
  transactionId: 42,
  stackLevel: 3,
  purpose: "TxProfile",
  kind: "Recurring",
  recurrency: "Daily",
  validFrom: at,
  validTo: nextDay,
  schedule: {
    duration: 86_400,
    startSchedule: at,
    chargingRateUnit: "W",
    minChargingRate: 6.04,
    periods: [
      { startPeriod: 0, limit: 11_000.06, numberPhases: 3 },
      { startPeriod: 3600, limit: 0.1 + 0.2, numberPhases: 1 }
    ]
  }
}

const fullProfileSent = {
  chargingProfileId: 7,
  transactionId: 42,
  stackLevel: 3,
  chargingProfilePurpose: "TxProfile",
  chargingProfileKind: "Recurring",
  recurrencyKind: "Daily",
  validFrom: "2026-11-21T10:00:00.005Z",
  validTo: "2026-11-22T00:00:00.000Z",
  chargingSchedule: {
    duration: 86_400,
    startSchedule: "2026-11-21T10:00:00.005Z",
    chargingRateUnit: "W",
    minChargingRate: 6,
    chargingSchedulePeriod: [
      { startPeriod: 0, limit: 11_000, numberPhases: 3 },
      { startPeriod: 3600, limit: 0.3, numberPhases: 1 }
    ]
  }
}

const row = (command: ChargerCommand, action: string, payload: SentCommand["payload"]): SentCommand => ({
  command,
  action,
  payload
})

const core: ReadonlyArray<SentCommand> = [
  row({ _tag: "RemoteStart", tokenUid: "TAG" }, "RemoteStartTransaction", { idTag: "TAG" }),
  row({ _tag: "RemoteStart", tokenUid: "TAG", place: whole }, "RemoteStartTransaction", { idTag: "TAG" }),
  row({ _tag: "RemoteStart", tokenUid: "TAG", place: second, chargingProfile: fullProfile }, "RemoteStartTransaction", {
    idTag: "TAG",
    connectorId: 2,
    chargingProfile: fullProfileSent
  }),
  row({ _tag: "RemoteStop", transactionId: 42 }, "RemoteStopTransaction", { transactionId: 42 }),
  row({ _tag: "UnlockConnector", place: second }, "UnlockConnector", { connectorId: 2 }),
  row({ _tag: "Reset", kind: "Hard" }, "Reset", { type: "Hard" }),
  row({ _tag: "Reset", kind: "Soft" }, "Reset", { type: "Soft" }),
  row({ _tag: "ChangeAvailability", place: whole, availability: "Inoperative" }, "ChangeAvailability", {
    connectorId: 0,
    type: "Inoperative"
  }),
  row({ _tag: "ChangeAvailability", place: second, availability: "Operative" }, "ChangeAvailability", {
    connectorId: 2,
    type: "Operative"
  }),
  row({ _tag: "GetConfiguration", keys: [] }, "GetConfiguration", {}),
  row({ _tag: "GetConfiguration", keys: ["A", "B"] }, "GetConfiguration", { key: ["A", "B"] }),
  row({ _tag: "ChangeConfiguration", key: "HeartbeatInterval", value: "60" }, "ChangeConfiguration", {
    key: "HeartbeatInterval",
    value: "60"
  }),
  row({ _tag: "ClearCache" }, "ClearCache", {}),
  row({ _tag: "DataTransfer", vendorId: "com.vendor" }, "DataTransfer", { vendorId: "com.vendor" }),
  row({ _tag: "DataTransfer", vendorId: "com.vendor", messageId: "m", data: "" }, "DataTransfer", {
    vendorId: "com.vendor",
    messageId: "m",
    data: ""
  })
]

const firmware: ReadonlyArray<SentCommand> = [
  row({ _tag: "GetDiagnostics", location: "ftp://files.example/up" }, "GetDiagnostics", {
    location: "ftp://files.example/up"
  }),
  row(
    { _tag: "GetDiagnostics", location: "ftp://files.example/up", startTime: at, stopTime: nextDay, ...retries },
    "GetDiagnostics",
    {
      location: "ftp://files.example/up",
      startTime: "2026-11-21T10:00:00.005Z",
      stopTime: "2026-11-22T00:00:00.000Z",
      retries: 3,
      retryInterval: 60
    }
  ),
  row({ _tag: "UpdateFirmware", location: "https://files.example/f", retrieveAt: at }, "UpdateFirmware", {
    location: "https://files.example/f",
    retrieveDate: "2026-11-21T10:00:00.005Z"
  }),
  row({ _tag: "UpdateFirmware", location: "https://files.example/f", retrieveAt: -1, ...retries }, "UpdateFirmware", {
    location: "https://files.example/f",
    retrieveDate: "1970-01-01T00:00:00.000Z",
    retries: 3,
    retryInterval: 60
  })
]

const lists: ReadonlyArray<SentCommand> = [
  row({ _tag: "GetLocalListVersion" }, "GetLocalListVersion", {}),
  row({ _tag: "SendLocalList", listVersion: 1, updateType: "Full", entries: [] }, "SendLocalList", {
    listVersion: 1,
    updateType: "Full",
    localAuthorizationList: []
  }),
  row(
    {
      _tag: "SendLocalList",
      listVersion: 2,
      updateType: "Differential",
      entries: [
        { tokenUid: "GONE" },
        { tokenUid: "PLAIN", authorization: { status: "Blocked" } },
        { tokenUid: "FULL", authorization: { status: "Accepted", expiresAt: nextDay, parentUid: "GROUP" } },
        { tokenUid: "LONG", authorization: { status: "Invalid", parentUid: "P".repeat(21) } }
      ]
    },
    "SendLocalList",
    {
      listVersion: 2,
      updateType: "Differential",
      localAuthorizationList: [
        { idTag: "GONE" },
        { idTag: "PLAIN", idTagInfo: { status: "Blocked" } },
        {
          idTag: "FULL",
          idTagInfo: { status: "Accepted", expiryDate: "2026-11-22T00:00:00.000Z", parentIdTag: "GROUP" }
        },
        { idTag: "LONG", idTagInfo: { status: "Invalid" } }
      ]
    }
  )
]

const reservation: ReadonlyArray<SentCommand> = [
  row({ _tag: "ReserveNow", reservationId: 5, place: whole, tokenUid: "TAG", expiresAt: nextDay }, "ReserveNow", {
    connectorId: 0,
    expiryDate: "2026-11-22T00:00:00.000Z",
    idTag: "TAG",
    reservationId: 5
  }),
  row(
    { _tag: "ReserveNow", reservationId: 5, place: second, tokenUid: "TAG", parentUid: "GROUP", expiresAt: 1e300 },
    "ReserveNow",
    {
      connectorId: 2,
      expiryDate: "9999-12-31T23:59:59.000Z",
      idTag: "TAG",
      parentIdTag: "GROUP",
      reservationId: 5
    }
  ),
  row({ _tag: "CancelReservation", reservationId: 5 }, "CancelReservation", { reservationId: 5 })
]

const smartCharging: ReadonlyArray<SentCommand> = [
  row({ _tag: "SetChargingProfile", place: whole, profile: smallProfile }, "SetChargingProfile", {
    connectorId: 0,
    csChargingProfiles: smallProfileSent
  }),
  row({ _tag: "SetChargingProfile", place: second, profile: fullProfile }, "SetChargingProfile", {
    connectorId: 2,
    csChargingProfiles: fullProfileSent
  }),
  row({ _tag: "ClearChargingProfile" }, "ClearChargingProfile", {}),
  row(
    { _tag: "ClearChargingProfile", profileId: 7, place: whole, purpose: "ChargePointMaxProfile", stackLevel: 0 },
    "ClearChargingProfile",
    { id: 7, connectorId: 0, chargingProfilePurpose: "ChargePointMaxProfile", stackLevel: 0 }
  ),
  row({ _tag: "GetCompositeSchedule", place: whole, durationSeconds: 60 }, "GetCompositeSchedule", {
    connectorId: 0,
    duration: 60
  }),
  row({ _tag: "GetCompositeSchedule", place: second, durationSeconds: 60, rateUnit: "W" }, "GetCompositeSchedule", {
    connectorId: 2,
    duration: 60,
    chargingRateUnit: "W"
  })
]

const trigger: ReadonlyArray<SentCommand> = [
  row({ _tag: "TriggerMessage", requestedMessage: "BootNotification" }, "TriggerMessage", {
    requestedMessage: "BootNotification"
  }),
  row({ _tag: "TriggerMessage", requestedMessage: "StatusNotification", place: second }, "TriggerMessage", {
    requestedMessage: "StatusNotification",
    connectorId: 2
  }),
  row({ _tag: "ExtendedTriggerMessage", requestedMessage: "SignChargePointCertificate" }, "ExtendedTriggerMessage", {
    requestedMessage: "SignChargePointCertificate"
  }),
  row({ _tag: "ExtendedTriggerMessage", requestedMessage: "MeterValues", place: whole }, "ExtendedTriggerMessage", {
    requestedMessage: "MeterValues",
    connectorId: 0
  })
]

const log = { logType: "DiagnosticsLog", requestId: 9, location: "https://files.example/l" } as const
const signed = { requestId: 9, location: "https://files.example/f", signingCertificate: pem, signature: "c2ln" }

const security: ReadonlyArray<SentCommand> = [
  row({ _tag: "CertificateSigned", certificateChain: pem + pem }, "CertificateSigned", { certificateChain: pem + pem }),
  row({ _tag: "DeleteCertificate", hash }, "DeleteCertificate", { certificateHashData: hash }),
  row(
    { _tag: "GetInstalledCertificateIds", certificateType: "CentralSystemRootCertificate" },
    "GetInstalledCertificateIds",
    { certificateType: "CentralSystemRootCertificate" }
  ),
  row(
    { _tag: "InstallCertificate", certificateType: "ManufacturerRootCertificate", certificate: pem },
    "InstallCertificate",
    { certificateType: "ManufacturerRootCertificate", certificate: pem }
  ),
  row({ _tag: "GetLog", ...log }, "GetLog", {
    logType: "DiagnosticsLog",
    requestId: 9,
    log: { remoteLocation: "https://files.example/l" }
  }),
  row({ _tag: "GetLog", ...log, logType: "SecurityLog", oldestAt: at, latestAt: nextDay, ...retries }, "GetLog", {
    logType: "SecurityLog",
    requestId: 9,
    retries: 3,
    retryInterval: 60,
    log: {
      remoteLocation: "https://files.example/l",
      oldestTimestamp: "2026-11-21T10:00:00.005Z",
      latestTimestamp: "2026-11-22T00:00:00.000Z"
    }
  }),
  row({ _tag: "SignedUpdateFirmware", ...signed, retrieveAt: at }, "SignedUpdateFirmware", {
    requestId: 9,
    firmware: {
      location: "https://files.example/f",
      retrieveDateTime: "2026-11-21T10:00:00.005Z",
      signingCertificate: pem,
      signature: "c2ln"
    }
  }),
  row(
    { _tag: "SignedUpdateFirmware", ...signed, retrieveAt: at, installAt: nextDay, ...retries },
    "SignedUpdateFirmware",
    {
      requestId: 9,
      retries: 3,
      retryInterval: 60,
      firmware: {
        location: "https://files.example/f",
        retrieveDateTime: "2026-11-21T10:00:00.005Z",
        installDateTime: "2026-11-22T00:00:00.000Z",
        signingCertificate: pem,
        signature: "c2ln"
      }
    }
  )
]

export const sentCommands: ReadonlyArray<SentCommand> = [
  ...core,
  ...firmware,
  ...lists,
  ...reservation,
  ...smartCharging,
  ...trigger,
  ...security
]
