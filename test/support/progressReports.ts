/** Reports about transfers, each with the command to which it belongs: for tests of the rule and of the database. */
import type { ProgressReported } from "../../src/domain/charger/Fact.ts"

export type TransferType = "GetDiagnostics" | "GetLog" | "UpdateFirmware" | "SignedUpdateFirmware"

export interface StoredTransfer {
  readonly type: TransferType
  readonly status: "Pending" | "Sent" | "Accepted" | "Rejected" | "Failed" | "TimedOut" | "Expired"
  readonly errorCode?: string
  readonly requestId?: number
}

type Report = ProgressReported["body"]

export interface ReportCase {
  readonly name: string
  readonly report: Report
  /** In order of issue. */
  readonly transfers: ReadonlyArray<StoredTransfer>
  /** The index of the transfer to which the report belongs; undefined for none. */
  readonly means: number | undefined
}

const report = (kind: Report["kind"], requestId?: number): Report => ({ kind, status: "Uploading", requestId })
const accepted = (type: TransferType, requestId?: number): StoredTransfer =>
  requestId === undefined ? { type, status: "Accepted" } : { type, status: "Accepted", requestId }
const ended = (status: StoredTransfer["status"], errorCode?: string): StoredTransfer => ({
  type: "GetLog",
  status,
  ...(errorCode === undefined ? {} : { errorCode })
})
const all = [
  accepted("GetDiagnostics"),
  accepted("GetLog", 1),
  accepted("UpdateFirmware"),
  accepted("SignedUpdateFirmware", 2)
]
const older = accepted("GetLog")

export const reportCases: ReadonlyArray<ReportCase> = [
  { name: "diagnostics", report: report("Diagnostics"), transfers: all, means: 0 },
  { name: "a log", report: report("Log"), transfers: all, means: 1 },
  { name: "firmware", report: report("Firmware"), transfers: all, means: 3 },
  { name: "firmware before a signed one", report: report("Firmware"), transfers: all.slice(0, 3), means: 2 },
  { name: "nothing of its kind", report: report("Log"), transfers: [accepted("GetDiagnostics")], means: undefined },
  { name: "nothing at all", report: { ...report("Log"), status: "Idle" }, transfers: all, means: undefined },
  { name: "the newest", report: report("Log"), transfers: [older, older, older], means: 2 },
  {
    name: "its number",
    report: report("Log", 7),
    transfers: [accepted("GetLog", 7), accepted("GetLog", 8), accepted("GetLog")],
    means: 0
  },
  { name: "another number", report: report("Log", 7), transfers: [accepted("GetLog", 8), older], means: undefined },
  { name: "no number", report: report("Log"), transfers: [older, accepted("GetLog", 8)], means: 1 },
  { name: "one without an answer yet", report: report("Log"), transfers: [older, ended("Sent")], means: 1 },
  { name: "one that timed out", report: report("Log"), transfers: [older, ended("TimedOut", "Timeout")], means: 1 },
  {
    name: "one whose connection was lost",
    report: report("Log"),
    transfers: [older, ended("Failed", "ConnectionLost")],
    means: 1
  },
  { name: "none that waits", report: report("Log"), transfers: [older, ended("Pending")], means: 0 },
  { name: "none that was refused", report: report("Log"), transfers: [older, ended("Rejected")], means: 0 },
  { name: "none that failed", report: report("Log"), transfers: [older, ended("Failed", "NotSupported")], means: 0 },
  { name: "none that expired", report: report("Log"), transfers: [older, ended("Expired", "Expired")], means: 0 }
]
