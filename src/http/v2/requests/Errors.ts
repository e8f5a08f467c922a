/**
 * The only table that maps failures to HTTP in REST v2. Every error of the domain and every refusal by REST v2 itself has its status and
 * stable `code` here. A new domain error fails to compile until it has a row.
 */
import { isDomainError as isIn, type DomainError, type Row as CodeRow } from "../../DomainError.ts"

export interface Row extends CodeRow {
  readonly title: string
}

/** Errors of the domain. */
export const domainRows = {
  StorageUnavailable: { status: 503, code: "storage_unavailable", title: "Storage unavailable" },
  FactRefused: { status: 400, code: "value_refused", title: "Value cannot be stored" },
  NotFound: { status: 404, code: "not_found", title: "Not found" },
  Conflict: { status: 409, code: "conflict", title: "Conflict" },
  InvalidInput: { status: 400, code: "invalid_input", title: "Invalid input" },
  PermissionDenied: { status: 403, code: "permission_denied", title: "Permission denied" },
  FactorStale: { status: 403, code: "second_factor_stale", title: "Second factor required again" },
  ChargerOffline: { status: 409, code: "charger_offline", title: "Charger offline" },
  TooMany: { status: 429, code: "too_many", title: "Too many requests" }
} as const satisfies Record<DomainError["_tag"], Row>

/** Refusals by REST v2 itself, before or besides the domain. */
export const faceRows = {
  unauthorized: { status: 401, code: "unauthorized", title: "Unauthorized" },
  sign_in_refused: { status: 401, code: "sign_in_refused", title: "Sign-in refused" },
  second_factor_required: { status: 401, code: "second_factor_required", title: "Second factor required" },
  second_factor_refused: { status: 401, code: "second_factor_refused", title: "Second factor refused" },
  passkey_refused: { status: 401, code: "passkey_refused", title: "Passkey refused" },
  key_expired: { status: 401, code: "key_expired", title: "Key expired" },
  network_refused: { status: 401, code: "network_refused", title: "Network refused" },
  https_required: { status: 403, code: "https_required", title: "HTTPS required" },
  cross_origin: { status: 403, code: "cross_origin", title: "Request from another site" },
  unknown_path: { status: 404, code: "unknown_path", title: "Unknown path" },
  method_not_allowed: { status: 405, code: "method_not_allowed", title: "Method not allowed" },
  request_timeout: { status: 408, code: "request_timeout", title: "Request timeout" },
  idempotency_key_reused: { status: 409, code: "idempotency_key_reused", title: "Idempotency key reused" },
  in_progress: { status: 409, code: "in_progress", title: "In progress" },
  precondition_failed: { status: 412, code: "precondition_failed", title: "Precondition failed" },
  payload_too_large: { status: 413, code: "payload_too_large", title: "Payload too large" },
  unsupported_media_type: { status: 415, code: "unsupported_media_type", title: "Unsupported media type" },
  unreadable_body: { status: 400, code: "unreadable_body", title: "Unreadable body" },
  internal_error: { status: 500, code: "internal_error", title: "Internal error" }
} as const satisfies Record<string, Row>

export type FaceCode = keyof typeof faceRows

/** True for an error of the domain. */
export const isDomainError = isIn(domainRows)
