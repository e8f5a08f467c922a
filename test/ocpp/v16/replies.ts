/** All replies of the domain to the messages of a 1.6 charger. */
import type { IdTagVerdict, Reply } from "../../../src/domain/charger/Reply.ts"
import type { AuthorizationStatus } from "../../../src/domain/token/Authorization.ts"

const statuses: ReadonlyArray<AuthorizationStatus> = ["Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx"]
const expiries = [undefined, 0, Date.UTC(2027, 0, 1), Number.MAX_SAFE_INTEGER, -1]
const parents = [undefined, "", "PARENT", "P".repeat(20), "P".repeat(21)]

export const verdicts: ReadonlyArray<IdTagVerdict> = statuses.flatMap((status) =>
  expiries.flatMap((expiresAt) => parents.map((parentUid) => ({ status, expiresAt, parentUid })))
)

const acknowledged = [
  "DiagnosticsStatusNotification",
  "FirmwareStatusNotification",
  "LogStatusNotification",
  "MeterValues",
  "SecurityEventNotification",
  "SignedFirmwareStatusNotification",
  "StatusNotification"
].map((action): { readonly action: string; readonly reply: Reply } => ({ action, reply: { _tag: "Acknowledged" } }))

export const replies: ReadonlyArray<{ readonly action: string; readonly reply: Reply }> = [
  ...acknowledged,
  ...(["Accepted", "Pending", "Rejected"] as const).flatMap((status) =>
    [0, 300, 0.4, -1].map((intervalSeconds) => ({
      action: "BootNotification",
      reply: { _tag: "BootAnswered" as const, status, intervalSeconds }
    }))
  ),
  { action: "Heartbeat", reply: { _tag: "HeartbeatAnswered" } },
  ...verdicts.flatMap((verdict) => [
    { action: "Authorize", reply: { _tag: "AuthorizationAnswered" as const, verdict } },
    { action: "StartTransaction", reply: { _tag: "StartAnswered" as const, transactionId: 2147483647, verdict } },
    { action: "StopTransaction", reply: { _tag: "StopAnswered" as const, verdict } }
  ]),
  { action: "StopTransaction", reply: { _tag: "StopAnswered", verdict: undefined } },
  ...(["Accepted", "Rejected", "UnknownMessageId", "UnknownVendorId"] as const).map((status) => ({
    action: "DataTransfer",
    reply: { _tag: "DataAnswered" as const, status }
  })),
  ...(["Accepted", "Rejected"] as const).map((status) => ({
    action: "SignCertificate",
    reply: { _tag: "CertificateAnswered" as const, status }
  }))
]
