/** An example body for each type of command. */
import { ids } from "./Common.ts"

const certificateHashData = {
  hashAlgorithm: "SHA256",
  issuerNameHash: "9a3b0c1d2e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f80912a3b4c5",
  issuerKeyHash: "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
  serialNumber: "3d2a"
}

/** A self-signed certificate that is used only in these examples. */
const pem = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBejCCAR+gAwIBAgIUGgAeSg5BgYm2rADrWcNPos73inswCgYIKoZIzj0EAwIw",
  "EjEQMA4GA1UEAwwHRXhhbXBsZTAeFw0yNjExMjMwMjM5MzBaFw0zNjExMjAwMjM5",
  "MzBaMBIxEDAOBgNVBAMMB0V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC",
  "AARjhRYDJnAuOP8AnOJJkQYyhMbcxbV3rHqj+GDEIE8AaFGAp6yAI4/oQdJJ770c",
  "FAa8g72xBO+enj/6wUh+Zvmco1MwUTAdBgNVHQ4EFgQUvv3NiTRb+g5/D0gqHnFr",
  "/bIICCgwHwYDVR0jBBgwFoAUvv3NiTRb+g5/D0gqHnFr/bIICCgwDwYDVR0TAQH/",
  "BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA17Pj676cHfvVjZA1RSIXpIWDqbO3",
  "6PqOnSXill+4CEgCIQCG4Tzhz8050QzFpx2Qgozza2kfhBdgN2QHJbzFQzuCow==",
  "-----END CERTIFICATE-----"
].join("\n")

const chargingProfile = {
  chargingProfileId: 12,
  stackLevel: 0,
  chargingProfilePurpose: "TxDefaultProfile",
  chargingProfileKind: "Relative",
  chargingSchedule: {
    chargingRateUnit: "A",
    chargingSchedulePeriod: [
      { startPeriod: 0, limit: 16 },
      { startPeriod: 3600, limit: 32 }
    ]
  }
}

export const commandBodies = {
  RemoteStart: { type: "RemoteStart", idTag: "04A1B2C3D4E5F6", connectorId: 1 },
  RemoteStop: { type: "RemoteStop", sessionId: ids.session },
  UnlockConnector: { type: "UnlockConnector", connectorId: 1 },
  Reset: { type: "Reset", resetType: "Soft", expiresIn: 3600 },
  ChangeAvailability: { type: "ChangeAvailability", connectorId: 0, operationalStatus: "Inoperative" },
  GetConfiguration: { type: "GetConfiguration", key: ["HeartbeatInterval"] },
  ChangeConfiguration: { type: "ChangeConfiguration", key: "HeartbeatInterval", value: "300" },
  ClearCache: { type: "ClearCache" },
  DataTransfer: { type: "DataTransfer", vendorId: "com.example", messageId: "SetDisplay", data: '{"line":1}' },
  TriggerMessage: { type: "TriggerMessage", requestedMessage: "StatusNotification", connectorId: 1 },
  ExtendedTriggerMessage: { type: "ExtendedTriggerMessage", requestedMessage: "SignChargePointCertificate" },
  GetLocalListVersion: { type: "GetLocalListVersion" },
  SendLocalList: { type: "SendLocalList", updateType: "Full" },
  ReserveNow: { type: "ReserveNow", connectorId: 1, idTag: "04A1B2C3D4E5F6", expiryDate: "2026-11-20T09:00:00Z" },
  CancelReservation: { type: "CancelReservation", reservationId: 4711 },
  SetChargingProfile: { type: "SetChargingProfile", connectorId: 1, chargingProfile },
  ClearChargingProfile: { type: "ClearChargingProfile", chargingProfilePurpose: "TxDefaultProfile" },
  GetCompositeSchedule: { type: "GetCompositeSchedule", connectorId: 1, duration: 86_400 },
  GetDiagnostics: { type: "GetDiagnostics", startTime: "2026-11-19T00:00:00Z" },
  UpdateFirmware: { type: "UpdateFirmware", fileId: ids.file, retrieveDate: "2026-11-21T02:00:00Z" },
  CertificateSigned: { type: "CertificateSigned", certificateChain: pem },
  DeleteCertificate: { type: "DeleteCertificate", certificateHashData },
  GetInstalledCertificateIds: {
    type: "GetInstalledCertificateIds",
    certificateType: "CentralSystemRootCertificate"
  },
  InstallCertificate: {
    type: "InstallCertificate",
    certificateType: "CentralSystemRootCertificate",
    certificate: pem
  },
  GetLog: { type: "GetLog", logType: "SecurityLog", log: { oldestTimestamp: "2026-11-19T00:00:00Z" } },
  SignedUpdateFirmware: {
    type: "SignedUpdateFirmware",
    fileId: ids.file,
    firmware: {
      retrieveDateTime: "2026-11-21T02:00:00Z",
      signingCertificate: pem,
      signature: "MEUCIQDx0cT1b0a1pZ0Z9m7bqk2mJ8Y6v3bqXc1dQm3yZwIgK8n2"
    }
  }
} as const
