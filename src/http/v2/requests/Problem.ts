/**
 * Errors of REST v2: RFC 9457 problem documents with a stable `code`, built from the rows of `Errors.ts`. They contain no internal details
 * (SQL, stack, host names). Effect's `ProblemDetails` allows any further members; here they are fixed and in the OpenAPI document.
 */
import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import type { DomainError } from "../../DomainError.ts"
import { domainRows, faceRows, type FaceCode, type Row } from "./Errors.ts"

export const problemType = "application/problem+json"

/** Seconds after which a request may be retried after a storage failure: longer than it takes to notice a restart of the database. */
export const retryAfterSeconds = 5

/** One problem: its place (JSON Pointer, RFC 6901, into the body or the query) and what is wrong. */
export const FieldError = Schema.Struct({
  pointer: Schema.String.annotate({ description: "JSON Pointer into the body, or `/name` of a query parameter" }),
  detail: Schema.String
})

export const Problem = Schema.Struct({
  type: Schema.String.annotate({ description: "`urn:voltlane:problem:` and the code" }),
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  instance: Schema.optionalKey(Schema.String.annotate({ description: "The path of the request" })),
  code: Schema.String.annotate({ description: "Stable and machine-readable" }),
  requiredPermissions: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The permissions that the caller lacks" })
  ),
  errors: Schema.optionalKey(Schema.Array(FieldError)),
  retryAfterSeconds: Schema.optionalKey(
    Schema.Int.annotate({ description: "The same value as the header Retry-After" })
  )
}).annotate({ identifier: "Problem", description: "RFC 9457 problem document" })

export type Problem = typeof Problem.Type

type Extras = Partial<Pick<Problem, "requiredPermissions" | "errors" | "retryAfterSeconds">> & {
  readonly code?: string
}

const problem = (row: Row, detail: string, extras: Extras = {}): Problem => {
  const code = extras.code ?? row.code
  return { type: `urn:voltlane:problem:${code}`, title: row.title, status: row.status, detail, ...extras, code }
}

/** A refusal by REST v2 itself. */
export const faceProblem = (code: FaceCode, detail: string): Problem => problem(faceRows[code], detail)

/** The document for a request that was not received in time, so that no route handled it; only for paths of REST v2. */
export const timeoutDocument = (path: string): string | undefined =>
  path.startsWith("/cpo/")
    ? JSON.stringify({
        ...faceProblem("request_timeout", "The request was not received completely in time. Send it again."),
        instance: path
      })
    : undefined

/** The document for a request without credentials that is refused before it is routed; only for paths of REST v2. */
export const tooManyDocument = (path: string, retryAfterSeconds: number): string | undefined =>
  path.startsWith("/cpo/")
    ? JSON.stringify({
        ...domainProblem(
          new TooMany({
            code: "too_many_requests",
            message: "Too many requests without credentials. Send fewer.",
            retryAfterSeconds
          })
        ),
        instance: path
      })
    : undefined

/** An invalid body or query, with all its errors. */
export const validationProblem = (errors: ReadonlyArray<typeof FieldError.Type>): Problem =>
  problem(
    domainRows.InvalidInput,
    errors.length === 1 ? "One value is invalid." : `${errors.length} values are invalid.`,
    { errors }
  )

/** A path parameter that cannot be an id is answered with 404, like an unknown id. */
export const notFoundProblem: Problem = problem(
  domainRows.NotFound,
  "Nothing has this id, or you have no access to it."
)

const unavailable = {
  down: "The database cannot be reached. Nothing was changed; try again.",
  busy: "The database is busy. Nothing was changed; try again.",
  full: "The disk is nearly full, so writes are refused. Nothing was changed; contact the operator of this service.",
  unknown:
    "The connection to the database was lost during the write, so the change may or may not be stored: read the present state before trying again, or send an Idempotency-Key."
} as const

/** The problem document for a domain error. Its text is written here, so that no message meant for a log is shown. */
export const domainProblem = (error: DomainError): Problem => {
  const row = domainRows[error._tag]
  switch (error._tag) {
    case "StorageUnavailable":
      return problem(row, unavailable[error.reason])
    case "FactRefused":
      return problem(row, "One of the values cannot be stored in the database.")
    case "NotFound":
      return problem(row, `There is no ${error.kind} ${JSON.stringify(error.id)}, or you have no access to it.`)
    case "Conflict":
      return problem(row, error.message, { code: error.code })
    case "InvalidInput":
      return validationProblem([{ pointer: error.pointer, detail: error.detail }])
    case "PermissionDenied":
      return problem(row, `Missing permissions: ${error.requiredPermissions.join(", ")}.`, {
        requiredPermissions: error.requiredPermissions
      })
    case "FactorStale":
      return problem(
        row,
        "This operation needs your second factor again, because it was last proved more than 15 minutes ago: send PUT /cpo/v2/me/second-factor with a code or a passkey, then repeat the request."
      )
    case "ChargerOffline":
      return problem(row, `Charger ${error.chargerId} is not connected.`)
    case "TooMany":
      return problem(row, error.message, { code: error.code, retryAfterSeconds: error.retryAfterSeconds })
  }
}

/** The answer with `document`; `instance` is the path of the request. */
export const toResponse = (document: Problem, path: string): HttpServerResponse.HttpServerResponse => {
  const response = HttpServerResponse.jsonUnsafe(
    { ...document, instance: path },
    { status: document.status, contentType: problemType }
  )
  if (document.status === 503) return HttpServerResponse.setHeader(response, "retry-after", String(retryAfterSeconds))
  if (document.retryAfterSeconds !== undefined) {
    return HttpServerResponse.setHeader(response, "retry-after", String(document.retryAfterSeconds))
  }
  if (document.code === "in_progress") return HttpServerResponse.setHeader(response, "retry-after", "1")
  if (document.status !== 401) return response
  return HttpServerResponse.setHeader(response, "www-authenticate", 'ApiKey realm="voltlane", header="x-api-key"')
}
