/**
 * Answers to chargers, independent of the OCPP version; `ocpp/v*` encode them strictly for the action that was received. The encoder uses the same
 * `now` as the decision for times.
 */
import type { AuthorizationStatus } from "../token/Authorization.ts"
import type { Registration } from "../values/Registration.ts"

export interface IdTagVerdict {
  readonly status: AuthorizationStatus
  readonly expiresAt: number | undefined
  readonly parentUid: string | undefined
}

/** OCPP 1.6 §7.17 DataTransferStatus. */
export const dataTransferStatuses = ["Accepted", "Rejected", "UnknownMessageId", "UnknownVendorId"] as const

export type Reply =
  | {
      readonly _tag: "BootAnswered"
      readonly status: Registration
      readonly intervalSeconds: number
    }
  | { readonly _tag: "HeartbeatAnswered" }
  | { readonly _tag: "Acknowledged" }
  | { readonly _tag: "AuthorizationAnswered"; readonly verdict: IdTagVerdict }
  | { readonly _tag: "StartAnswered"; readonly transactionId: number; readonly verdict: IdTagVerdict }
  /** `verdict` is set only if the charger named a token. */
  | { readonly _tag: "StopAnswered"; readonly verdict: IdTagVerdict | undefined }
  | { readonly _tag: "DataAnswered"; readonly status: (typeof dataTransferStatuses)[number] }
  | { readonly _tag: "CertificateAnswered"; readonly status: "Accepted" | "Rejected" }
  /** Becomes a CALLERROR. Never for a transaction message. */
  | { readonly _tag: "Refused"; readonly reason: "NotAccepted" | "InternalError"; readonly description: string }
