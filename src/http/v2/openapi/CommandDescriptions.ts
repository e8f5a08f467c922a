/** Descriptions of commands and their parameters, which have OCPP 1.6's names, and of the files that are transferred by them. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

export const commandDescriptions: Descriptions["properties"] = {
  "Command.id": ["The command's id", ids.command],
  "CommandWithPassword.id": ["The command's id", ids.command],
  "Command.type": ["The command's type"],
  "CommandWithPassword.type": ["The command's type"],
  "Command.status": ["The command's status; Accepted, Rejected, Failed, TimedOut and Expired are final"],
  "CommandWithPassword.status": ["The command's status; Accepted, Rejected, Failed, TimedOut and Expired are final"],
  sentAt: ["When it was sent to the charger; null while it waits"],
  completedAt: ["When it ended; null until then"],
  "Command.expiresAt": ["Until when it may wait for the charger to connect; null if it may not wait"],
  "CommandWithPassword.expiresAt": ["Until when it may wait for the charger to connect; null if it may not wait"],
  result: [
    "The charger's answer as received (up to 64 KiB, ending in … if it was cut), or { errorCode, errorDescription }; null until the charger has answered",
    { status: "Accepted" }
  ],
  "Command.sessionId": [
    "The session that followed a RemoteStart, or that a RemoteStop ends; null for none",
    ids.session
  ],
  "CommandWithPassword.sessionId": [
    "The session that followed a RemoteStart, or that a RemoteStop ends; null for none",
    ids.session
  ],
  effect: ["The observed outcome; null if none was observed"],
  "Command.fileId": ["The file that the charger was asked to upload or to download; null if there is none", null],
  "CommandWithPassword.fileId": [
    "The file that the charger was asked to upload or to download; null if there is none",
    null
  ],
  progress: ["The charger's last status of the transfer or the installation; null if it reported none", null],
  parameters: [
    "As given, with secrets masked, and with the values that the service chose",
    { idTag: "04A1B2C3D4E5F6", connectorId: 1 }
  ],
  issuedBy: ["Who issued it, such as `key:<id>`; `platform` for the service itself", `key:${ids.key}`],
  "CommandWithPassword.password": [
    "The charger's new password, if it was generated; shown only once",
    "Kr7-Wq2-Zp9-Lm4-Xs"
  ],
  wait: ["Seconds to wait for the charger's answer, 0 to 60", 10],
  "commands.list.query.status": ["Only commands with this status"],
  "commands.listOfCharger.query.status": ["Only commands with this status"],
  "commands.list.query.fileId": ["Only commands that send this file to a charger", ids.file],

  // Parameters.
  ...Object.fromEntries(
    [
      "RemoteStart",
      "RemoteStop",
      "UnlockConnector",
      "Reset",
      "ChangeAvailability",
      "GetConfiguration",
      "ChangeConfiguration",
      "ClearCache",
      "DataTransfer",
      "TriggerMessage",
      "ExtendedTriggerMessage",
      "GetLocalListVersion",
      "SendLocalList",
      "ReserveNow",
      "CancelReservation",
      "SetChargingProfile",
      "ClearChargingProfile",
      "GetCompositeSchedule",
      "GetDiagnostics",
      "UpdateFirmware",
      "CertificateSigned",
      "DeleteCertificate",
      "GetInstalledCertificateIds",
      "InstallCertificate",
      "GetLog",
      "SignedUpdateFirmware"
    ].map((type) => [`${type}Command.type`, ["The type of the command, which determines the other fields"] as const])
  ),
  "UnlockConnectorCommand.connectorId": ["OCPP 1.6's connectorId, counted over the whole charger from 1", 1],
  "RemoteStartCommand.connectorId": ["OCPP 1.6's connectorId; if it is left out, the charger chooses", 1],
  "ChangeAvailabilityCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 0],
  "TriggerMessageCommand.connectorId": ["OCPP 1.6's connectorId; default: all connectors", 1],
  "ExtendedTriggerMessageCommand.connectorId": ["OCPP 1.6's connectorId; default: all connectors", 1],
  "ReserveNowCommand.connectorId": ["OCPP 1.6's connectorId; 0: any connector of the charger", 1],
  "SetChargingProfileCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 1],
  "ClearChargingProfileCommand.connectorId": ["Only profiles of this connector; 0 is the whole charger", 1],
  "GetCompositeScheduleCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 1],
  "RemoteStartCommand.chargingProfile": ["A TxProfile that limits the session from its beginning"],
  chargingProfile: ["The profile, in OCPP's format"],
  csChargingProfiles: ["OCPP 1.6's name for chargingProfile"],
  "RemoteStopCommand.sessionId": ["The session to end, by its id", ids.session],
  "RemoteStopCommand.transactionId": ["The transaction id of the session to end; alternative to sessionId", 1203944817],
  resetType: ["Soft ends sessions properly first; Hard restarts at once"],
  operationalStatus: ["Inoperative takes it out of service; that time does not count against its uptime"],
  "GetConfigurationCommand.key": ["The keys to report; default: all", ["HeartbeatInterval"]],
  "ChangeConfigurationCommand.key": ["Name of the configuration key", "HeartbeatInterval"],
  "ChangeConfigurationCommand.value": [
    "The new value; if it is left out for an AuthorizationKey, a password is generated",
    "300"
  ],
  "DataTransferCommand.messageId": ["Which of the vendor's messages it is", "SetDisplay"],
  "DataTransferCommand.data": ["The data to send, at most 100,000 characters", '{"line":1}'],
  requestedMessage: ["The message that the charger should send"],
  listVersion: ["The list's new version; default: the next number", 18],
  updateType: ["Full replaces the charger's list, Differential changes it; default Full"],
  localAuthorizationList: ["The tokens; default: the organisation's own"],
  idTagInfo: [
    "The charger's verdict on the token; if it is left out, a differential update removes the token from the list"
  ],
  "idTagInfo.status": ["OCPP's AuthorizationStatus"],
  "idTagInfo.expiryDate": ["Until when the token is valid"],
  "ReserveNowCommand.reservationId": ["Number of the reservation; if it is left out, the service chooses one", 4711],
  "ClearChargingProfileCommand.id": ["Only the profile with this chargingProfileId", 12],
  "GetDiagnosticsCommand.startTime": ["Time of the earliest entry to include", "2026-11-19T00:00:00Z"],
  "GetDiagnosticsCommand.stopTime": ["Time of the latest entry to include", "2026-11-20T00:00:00Z"],
  location: ["An http, https, ftp, ftps or sftp URL that the charger can reach", "https://files.example.com/fw.bin"],
  retries: ["How often the charger retries", 3],
  retrieveDate: ["When the charger should download it", "2026-11-21T02:00:00Z"],
  certificateChain: ["The charger's new certificate followed by its issuers, in PEM"],
  certificateHashData: ["The certificate, as `GET …/certificates` shows it"],
  certificate: ["A root certificate in PEM"],
  logType: ["Which log to upload"],
  requestId: ["Number that the charger reports its progress with; if it is left out, the service chooses one", 8],
  "GetLogCommand.log": ["Which part of the log to upload, and where to"],
  remoteLocation: ["Where the charger uploads to; another name for location", "https://files.example.com/up"],
  oldestTimestamp: ["Time of the earliest entry to include", "2026-11-19T00:00:00Z"],
  latestTimestamp: ["Time of the latest entry to include", "2026-11-20T00:00:00Z"],
  "GetLogCommand.location": ["Where the charger uploads to; default: this service", "https://files.example.com/up"],
  "SignedUpdateFirmwareCommand.firmware": ["The firmware and its signature"],
  retrieveDateTime: ["When the charger should download it", "2026-11-21T02:00:00Z"],
  installDateTime: ["When the charger should install it; default: at once", "2026-11-21T03:00:00Z"],
  signingCertificate: ["The maker's certificate in PEM, which the signature is checked against"],
  signature: ["The maker's signature over the firmware, in Base64"],

  // Files.
  "File.id": ["The file's id", ids.file],
  "File.chargerId": ["The charger that uploads it; null for firmware", "CP-7"],
  "File.kind": ["Its kind"],
  "File.name": ["The charger's name for the file; empty before the upload", "diagnostics-2026-11-20.zip"],
  "File.state": ["Waiting: the charger has not uploaded it yet"],
  size: ["Size in bytes; 0 before the upload", 48211],
  receivedBytes: ["Bytes received so far; fewer than the size while an upload runs", 48211],
  sha256: [
    "SHA-256 of its content in hex; null until it is stored",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  ],
  "File.commandId": ["The command that requested it; null for firmware", ids.command],
  "File.completedAt": ["When it was received completely; null until then"],
  "files.list.query.kind": ["Only files of this kind"],
  "files.store.query.name": ["The file's name in its URL; default firmware.bin", "aurora-3.2.1.bin"]
}
