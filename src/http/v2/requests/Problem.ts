/**
 * How REST v2 says what went wrong: RFC 9457 problem documents with a stable `code`. Built from the rows of `errors.ts`; nothing of the
 * inside (SQL, stack, host names) gets into one. Effect's `ProblemDetails` takes any further members; the ones here are fixed and in the OpenAPI document.
 */
import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { DomainError } from "../../DomainError.ts"
import { domainRows, faceRows, type FaceCode, type Row } from "./Errors.ts"

export const problemType = "application/problem+json"

/** Seconds after which a request that met a storage failure may be tried again: longer than a restart of the database takes to notice. */
export const retryAfterSeconds = 5

/** One thing that does not fit: where (JSON Pointer, RFC 6901, into the body or the query) and what is wrong. */
export const FieldError = Schema.Struct({
  pointer: Schema.String.annotate({ description: "JSON Pointer into the body, or `/name` of a query parameter" }),
  detail: Schema.String
})

export const Problem = Schema.Struct({
  type: Schema.String.annotate({ description: "`urn:voltlane:problem:` and the code" }),
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  instance: Schema.optionalKey(Schema.String.annotate({ description: "The path that was asked" })),
  code: Schema.String.annotate({ description: "Stable and machine-readable" }),
  requiredPermissions: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The permissions that the caller lacks" })
  ),
  errors: Schema.optionalKey(Schema.Array(FieldError)),
  retryAfterSeconds: Schema.optionalKey(Schema.Int.annotate({ description: "As the header Retry-After says" }))
}).annotate({ identifier: "Problem", description: "RFC 9457 problem document" })

export type Problem = typeof Problem.Type

type Extras = Partial<Pick<Problem, "requiredPermissions" | "errors" | "retryAfterSeconds">> & {
  readonly code?: string
}

const problem = (row: Row, detail: string, extras: Extras = {}): Problem => {
  const code = extras.code ?? row.code
  return { type: `urn:voltlane:problem:${code}`, title: row.title, status: row.status, detail, ...extras, code }
}

/** A refusal of this face itself. */
export const faceProblem = (code: FaceCode, detail: string): Problem => problem(faceRows[code], detail)

/** The document for a request that did not come in time, which no route ever saw; for paths of REST v2 alone. */
export const timeoutDocument = (path: string): string | undefined =>
  path.startsWith("/cpo/")
    ? JSON.stringify({ ...faceProblem("request_timeout", "The request did not come in time."), instance: path })
    : undefined

/** A body or query that does not fit: everything that is wrong with it. */
export const validationProblem = (errors: ReadonlyArray<typeof FieldError.Type>): Problem =>
  problem(
    domainRows.InvalidInput,
    errors.length === 1 ? "One value does not fit." : `${errors.length} values do not fit.`,
    { errors }
  )

/** A path parameter that cannot be an id names nothing: 404, as for an id that is unknown. */
export const notFoundProblem: Problem = problem(domainRows.NotFound, "Nothing here has that id, or it is not yours.")

const unavailable = {
  down: "The database cannot be reached. Nothing was changed; try again.",
  busy: "The database is busy. Nothing was changed; try again.",
  full: "The disk is nearly full, so writes are refused. Nothing was changed; inform the operator of this service.",
  unknown:
    "The database went away while it was writing: read the present state before trying again, or send an Idempotency-Key."
} as const

/** The problem document of a domain error. Its text is made here, so that nothing slips out with a message meant for a log. */
export const domainProblem = (error: DomainError): Problem => {
  const row = domainRows[error._tag]
  switch (error._tag) {
    case "StorageUnavailable":
      return problem(row, unavailable[error.reason])
    case "FactRefused":
      return problem(row, "The database cannot hold one of the values.")
    case "NotFound":
      return problem(row, `There is no ${error.kind} ${JSON.stringify(error.id)} here, or it is not yours.`)
    case "Conflict":
      return problem(row, error.message, { code: error.code })
    case "InvalidInput":
      return validationProblem([{ pointer: error.pointer, detail: error.detail }])
    case "PermissionDenied":
      return problem(row, `The caller lacks ${error.requiredPermissions.join(", ")}.`, {
        requiredPermissions: error.requiredPermissions
      })
    case "ChargerOffline":
      return problem(row, `Charger ${error.chargerId} is not connected.`)
    case "TooMany":
      return problem(row, error.message, { code: error.code, retryAfterSeconds: error.retryAfterSeconds })
  }
}

/** The answer that carries `document`, with `instance` as the path that was asked. */
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
