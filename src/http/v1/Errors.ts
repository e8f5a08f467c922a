/** The only table that maps failures to HTTP in REST v1. Its answers are `{ "error": { "code", "message" } }`. */
import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { isDomainError as isIn, type DomainError, type Row } from "../DomainError.ts"

/** Errors of the domain. A new one fails to compile until it has a row. */
export const domainRows = {
  StorageUnavailable: { status: 503, code: "unavailable" },
  FactRefused: { status: 400, code: "invalid_body" },
  NotFound: { status: 404, code: "not_found" },
  Conflict: { status: 409, code: "conflict" },
  InvalidInput: { status: 400, code: "invalid_body" },
  PermissionDenied: { status: 403, code: "permission_denied" },
  FactorStale: { status: 403, code: "second_factor_stale" },
  ChargerOffline: { status: 409, code: "charger_offline" },
  TooMany: { status: 429, code: "too_many" }
} as const satisfies Record<DomainError["_tag"], Row>

/** Refusals by REST v1 itself. */
export const faceRows = {
  https_required: 403,
  unauthorized: 401,
  unknown_path: 404,
  charger_not_found: 404,
  group_not_found: 404,
  method_not_allowed: 405,
  invalid_charger_id: 400,
  invalid_group_id: 400,
  invalid_body: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  internal_error: 500
} as const

export type FaceCode = keyof typeof faceRows

/** True for an error of the domain. */
export const isDomainError = isIn(domainRows)

/** Seconds after which a request that met a storage failure may be tried again. */
export const retryAfterSeconds = 5

export const ErrorBody = Schema.Struct({
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
}).annotate({ identifier: "Error" })

/** A refusal by REST v1 itself, as an error of the effects that make answers. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: Schema.Literals(Object.keys(faceRows) as [FaceCode, ...Array<FaceCode>]),
  message: Schema.String
}) {}

export type ErrorBody = typeof ErrorBody.Type

export const errorResponse = (
  status: number,
  body: ErrorBody,
  headers: Record<string, string> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body, { status, headers })

const body = (code: string, message: string): ErrorBody => ({ error: { code, message } })

/** The answer's body for a refusal. */
export const refusedBody = (error: Pick<Refused, "code" | "message">): ErrorBody => body(error.code, error.message)

export const refusedResponse = (code: FaceCode, message: string): HttpServerResponse.HttpServerResponse =>
  errorResponse(faceRows[code], body(code, message))

/** The answer's body for an error of the domain. It contains no internal details. */
export const domainBody = (error: DomainError): ErrorBody => {
  const { code } = domainRows[error._tag]
  switch (error._tag) {
    case "StorageUnavailable":
      return body(code, "The service cannot reach its database. Try again.")
    case "FactRefused":
      return body(code, "One of the values cannot be stored in the database.")
    case "NotFound":
      return body(code, `There is no ${error.kind} ${JSON.stringify(error.id)}, or you have no access to it.`)
    case "Conflict":
      return body(error.code, error.message)
    case "InvalidInput":
      return body(code, `${error.pointer}: ${error.detail}`)
    case "PermissionDenied":
      return body(code, `Missing permissions: ${error.requiredPermissions.join(", ")}.`)
    case "FactorStale":
      return body(code, "This operation needs the second factor again.")
    case "ChargerOffline":
      return body(code, `Charger ${error.chargerId} is not connected.`)
    case "TooMany":
      return body(error.code, error.message)
  }
}

export const domainResponse = (error: DomainError): HttpServerResponse.HttpServerResponse => {
  const { status } = domainRows[error._tag]
  const wait = error._tag === "TooMany" ? error.retryAfterSeconds : status === 503 ? retryAfterSeconds : undefined
  return errorResponse(status, domainBody(error), wait === undefined ? {} : { "retry-after": String(wait) })
}
