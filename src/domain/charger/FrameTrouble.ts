/** Which frames of a charger's log are trouble: errors, what is no OCPP frame, and answers that refuse. Pure text, so that the console finds the same. */
import type { FrameKind } from "./MessageLog.ts"

/** Kinds of frames that are trouble by themselves. */
export const troubledKinds: ReadonlyArray<FrameKind> = ["CALLERROR", "Malformed"]

/** Statuses by which an answer refuses what was asked (OCPP 1.6 §7), or a card. */
const refusingStatuses = [
  "Rejected",
  "Invalid",
  "Blocked",
  "Expired",
  "ConcurrentTx",
  "NotSupported",
  "Faulted",
  "Occupied",
  "Unavailable",
  "UnlockFailed",
  "Failed",
  "VersionMismatch"
] as const

/** Of a CALLRESULT, as a regular expression for JavaScript and PostgreSQL: answers are written by us and by chargers, with blanks and without. */
export const refusal = `"status"\\s*:\\s*"(?:${refusingStatuses.join("|")})"`
