/**
 * One command of each kind, and the statuses that its answer may have (OCPP 1.6 §7, security whitepaper §5). An empty list means that it has no
 * status.
 */
import type { ChargerCommand } from "../../src/domain/command/ChargerCommand.ts"
import type { CommandType } from "../../src/domain/command/Command.ts"

const place = { evseId: 1, connectorId: 1 }
const yesOrNo = ["Accepted", "Rejected"]
const profile = {
  profileId: 1,
  stackLevel: 0,
  purpose: "TxDefaultProfile",
  kind: "Relative",
  schedule: { chargingRateUnit: "A", periods: [{ startPeriod: 0, limit: 16 }] }
} as const
const hash = { hashAlgorithm: "SHA256", issuerNameHash: "aa", issuerKeyHash: "bb", serialNumber: "01" } as const
const location = "https://example.com/file"
const at = Date.UTC(2026, 5, 1)

export const everyCommand: {
  readonly [Type in CommandType]: {
    readonly command: Extract<ChargerCommand, { readonly _tag: Type }>
    readonly words: ReadonlyArray<string>
  }
} = {
  RemoteStart: { command: { _tag: "RemoteStart", tokenUid: "CARD", place }, words: yesOrNo },
  RemoteStop: { command: { _tag: "RemoteStop", transactionId: 1 }, words: yesOrNo },
  UnlockConnector: {
    command: { _tag: "UnlockConnector", place },
    words: ["Unlocked", "UnlockFailed", "NotSupported"]
  },
  Reset: { command: { _tag: "Reset", kind: "Soft" }, words: yesOrNo },
  ChangeAvailability: {
    command: { _tag: "ChangeAvailability", place, availability: "Inoperative" },
    words: [...yesOrNo, "Scheduled"]
  },
  GetConfiguration: { command: { _tag: "GetConfiguration", keys: ["X"] }, words: [] },
  ChangeConfiguration: {
    command: { _tag: "ChangeConfiguration", key: "X", value: "1" },
    words: [...yesOrNo, "RebootRequired", "NotSupported"]
  },
  ClearCache: { command: { _tag: "ClearCache" }, words: yesOrNo },
  DataTransfer: {
    command: { _tag: "DataTransfer", vendorId: "V" },
    words: [...yesOrNo, "UnknownMessageId", "UnknownVendorId"]
  },
  GetDiagnostics: { command: { _tag: "GetDiagnostics", location }, words: [] },
  UpdateFirmware: { command: { _tag: "UpdateFirmware", location, retrieveAt: at }, words: [] },
  GetLocalListVersion: { command: { _tag: "GetLocalListVersion" }, words: [] },
  SendLocalList: {
    command: { _tag: "SendLocalList", listVersion: 1, updateType: "Full", entries: [] },
    words: ["Accepted", "Failed", "NotSupported", "VersionMismatch"]
  },
  ReserveNow: {
    command: { _tag: "ReserveNow", reservationId: 1, place, tokenUid: "CARD", expiresAt: at },
    words: [...yesOrNo, "Faulted", "Occupied", "Unavailable"]
  },
  CancelReservation: { command: { _tag: "CancelReservation", reservationId: 1 }, words: yesOrNo },
  SetChargingProfile: {
    command: { _tag: "SetChargingProfile", place, profile },
    words: [...yesOrNo, "NotSupported"]
  },
  ClearChargingProfile: { command: { _tag: "ClearChargingProfile" }, words: ["Accepted", "Unknown"] },
  GetCompositeSchedule: { command: { _tag: "GetCompositeSchedule", place, durationSeconds: 60 }, words: yesOrNo },
  TriggerMessage: {
    command: { _tag: "TriggerMessage", requestedMessage: "Heartbeat" },
    words: [...yesOrNo, "NotImplemented"]
  },
  ExtendedTriggerMessage: {
    command: { _tag: "ExtendedTriggerMessage", requestedMessage: "Heartbeat" },
    words: [...yesOrNo, "NotImplemented"]
  },
  CertificateSigned: { command: { _tag: "CertificateSigned", certificateChain: "PEM" }, words: yesOrNo },
  DeleteCertificate: { command: { _tag: "DeleteCertificate", hash }, words: ["Accepted", "Failed", "NotFound"] },
  GetInstalledCertificateIds: {
    command: { _tag: "GetInstalledCertificateIds", certificateType: "ManufacturerRootCertificate" },
    words: ["Accepted", "NotFound"]
  },
  GetLog: {
    command: { _tag: "GetLog", logType: "SecurityLog", requestId: 1, location },
    words: [...yesOrNo, "AcceptedCanceled"]
  },
  InstallCertificate: {
    command: { _tag: "InstallCertificate", certificateType: "ManufacturerRootCertificate", certificate: "PEM" },
    words: ["Accepted", "Failed", "Rejected"]
  },
  SignedUpdateFirmware: {
    command: {
      _tag: "SignedUpdateFirmware",
      requestId: 1,
      location,
      retrieveAt: at,
      signingCertificate: "PEM",
      signature: "sig"
    },
    words: [...yesOrNo, "AcceptedCanceled", "InvalidCertificate", "RevokedCertificate"]
  }
}
