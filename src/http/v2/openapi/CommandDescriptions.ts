/** Descriptions of commands and their parameters, which have OCPP 1.6's names, and of the files that are transferred by them. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

export const commandDescriptions: Descriptions["properties"] = {
  "Command.id": ["The command's id", ids.command],
  "CommandWithPassword.id": ["The command's id", ids.command],
  "Command.type": ["What the charger is asked to do"],
  "CommandWithPassword.type": ["What the charger is asked to do"],
  "Command.status": ["How far it is; Accepted, Rejected, Failed, TimedOut and Expired are final"],
  "CommandWithPassword.status": ["How far it is; Accepted, Rejected, Failed, TimedOut and Expired are final"],
  sentAt: ["When it was sent to the charger; null while it waits"],
  completedAt: ["When it ended; null until then"],
  "Command.expiresAt": ["Until when it may wait for the charger; null where it may not wait"],
  "CommandWithPassword.expiresAt": ["Until when it may wait for the charger; null where it may not wait"],
  result: [
    "The charger's answer as it came (up to 64 KiB, with … where it was cut), or { errorCode, errorDescription }; null until it has answered",
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
  effect: ["What was seen to follow; null where nothing was"],
  "Command.fileId": ["The file that the charger was to bring or to fetch; null for none", null],
  "CommandWithPassword.fileId": ["The file that the charger was to bring or to fetch; null for none", null],
  progress: ["What the charger said last of the transfer or the installation; null where it said nothing", null],
  parameters: [
    "As they were given, secrets masked, and what the service chose",
    { idTag: "04A1B2C3D4E5F6", connectorId: 1 }
  ],
  issuedBy: ["Who issued it, as in `key:<id>`; `platform` for the service itself", `key:${ids.key}`],
  "CommandWithPassword.password": [
    "The charger's new password, where it was generated: only now",
    "Kr7-Wq2-Zp9-Lm4-Xs"
  ],
  wait: ["Seconds to wait for the charger's answer, 0 to 60", 10],
  "commands.list.query.status": ["Commands with this status alone"],
  "commands.listOfCharger.query.status": ["Commands with this status alone"],
  "commands.list.query.fileId": ["Commands that send this file to a charger", ids.file],

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
    ].map((type) => [`${type}Command.type`, ["Which command this is; its other fields go by it"] as const])
  ),
  "UnlockConnectorCommand.connectorId": ["OCPP 1.6's connectorId, counted over the whole charger from 1", 1],
  "RemoteStartCommand.connectorId": ["OCPP 1.6's connectorId; without it the charger chooses", 1],
  "ChangeAvailabilityCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 0],
  "TriggerMessageCommand.connectorId": ["OCPP 1.6's connectorId; without it all of them", 1],
  "ExtendedTriggerMessageCommand.connectorId": ["OCPP 1.6's connectorId; without it all of them", 1],
  "ReserveNowCommand.connectorId": ["OCPP 1.6's connectorId; 0: any connector of the charger", 1],
  "SetChargingProfileCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 1],
  "ClearChargingProfileCommand.connectorId": ["Profiles of this connector alone; 0 is the whole charger", 1],
  "GetCompositeScheduleCommand.connectorId": ["OCPP 1.6's connectorId; 0 is the whole charger", 1],
  "RemoteStartCommand.chargingProfile": ["A TxProfile that limits the session from its beginning"],
  chargingProfile: ["The profile as OCPP has it"],
  csChargingProfiles: ["Another name of chargingProfile, as OCPP 1.6 spells it"],
  "RemoteStopCommand.sessionId": ["The session to end, by its id", ids.session],
  "RemoteStopCommand.transactionId": [
    "The session to end, by the charger's number of it; or sessionId instead",
    1203944817
  ],
  resetType: ["Soft ends sessions in good order first; Hard restarts at once"],
  operationalStatus: ["Inoperative takes it out of service; that time does not count against its uptime"],
  "GetConfigurationCommand.key": ["The keys to report; all without it", ["HeartbeatInterval"]],
  "ChangeConfigurationCommand.key": ["Name of the configuration key", "HeartbeatInterval"],
  "ChangeConfigurationCommand.value": ["The new value; an AuthorizationKey without one is generated", "300"],
  "DataTransferCommand.messageId": ["Which of the vendor's messages it is", "SetDisplay"],
  "DataTransferCommand.data": ["What is sent, at most 100,000 characters", '{"line":1}'],
  requestedMessage: ["The message that the charger is to send of itself"],
  listVersion: ["Version that the list has afterwards; the next one without it", 18],
  updateType: ["Full takes the place of the charger's list, Differential changes it; Full without it"],
  localAuthorizationList: ["The tokens; the organisation's own without it"],
  idTagInfo: ["What the charger answers to the token; without it a differential update takes the token off the list"],
  "idTagInfo.status": ["OCPP's AuthorizationStatus"],
  "idTagInfo.expiryDate": ["Until when the token is good"],
  "ReserveNowCommand.reservationId": ["Number of the reservation; the service chooses one without it", 4711],
  "ClearChargingProfileCommand.id": ["The profile with this chargingProfileId alone", 12],
  "GetDiagnosticsCommand.startTime": ["Earliest entry that is wanted", "2026-11-19T00:00:00Z"],
  "GetDiagnosticsCommand.stopTime": ["Latest entry that is wanted", "2026-11-20T00:00:00Z"],
  location: ["An http, https, ftp, ftps or sftp URL that the charger can reach", "https://files.example.com/fw.bin"],
  retries: ["How often the charger tries again", 3],
  retrieveDate: ["When the charger is to fetch it", "2026-11-21T02:00:00Z"],
  certificateChain: ["The charger's new certificate and its issuers in PEM, its own first"],
  certificateHashData: ["The certificate, as `GET …/certificates` shows it"],
  certificate: ["A root certificate in PEM"],
  logType: ["Which log is wanted"],
  requestId: ["Number by which the charger reports its progress; the service chooses one without it", 8],
  "GetLogCommand.log": ["Which part of the log, and where to"],
  remoteLocation: ["Where the charger uploads to; another name of location", "https://files.example.com/up"],
  oldestTimestamp: ["Earliest entry that is wanted", "2026-11-19T00:00:00Z"],
  latestTimestamp: ["Latest entry that is wanted", "2026-11-20T00:00:00Z"],
  "GetLogCommand.location": ["Where the charger uploads to; a place here without it", "https://files.example.com/up"],
  "SignedUpdateFirmwareCommand.firmware": ["The firmware and its signature"],
  retrieveDateTime: ["When the charger is to fetch it", "2026-11-21T02:00:00Z"],
  installDateTime: ["When the charger is to install it; at once without it", "2026-11-21T03:00:00Z"],
  signingCertificate: ["The maker's certificate in PEM, by which the signature is checked"],
  signature: ["The maker's signature of the firmware, in Base64"],

  // Files.
  "File.id": ["The file's id", ids.file],
  "File.chargerId": ["The charger that sends it; null for firmware", "CP-7"],
  "File.kind": ["What it is"],
  "File.name": ["As the charger called it; empty while it has not", "diagnostics-2026-11-20.zip"],
  "File.state": ["Waiting: the charger has not brought it yet"],
  size: ["Bytes; 0 while it is waited for", 48211],
  receivedBytes: ["Bytes that are here; fewer than the size while an upload runs", 48211],
  sha256: [
    "SHA-256 of its bytes in hex; null until it is stored",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  ],
  "File.commandId": ["The command that asked for it; null for firmware", ids.command],
  "File.completedAt": ["When all of it was here; null until then"],
  "files.list.query.kind": ["Files of this kind alone"],
  "files.store.query.name": ["What the file is called in its URL; firmware.bin without it", "aurora-3.2.1.bin"]
}
