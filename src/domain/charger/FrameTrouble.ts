/**
 * Defines which frames of a charger's log count as trouble: errors, text that is not an OCPP frame, and answers that refuse. These are only texts, so
 * that the console can use the same definition.
 */
import type { FrameKind } from "./MessageLog.ts"

/** Kinds of frames that are trouble by themselves. */
export const troubledKinds: ReadonlyArray<FrameKind> = ["CALLERROR", "Malformed"]

/** Statuses with which an answer refuses a request or a card (OCPP 1.6 §7). */
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

/**
 * Matches a CALLRESULT that refuses, as a regular expression for JavaScript and PostgreSQL. It allows blanks, since chargers also write answers, with
 * or without blanks.
 */
export const refusal = `"status"\\s*:\\s*"(?:${refusingStatuses.join("|")})"`
