/** The definitions of the middleware of every REST v1 operation: authentication, and how failures are reported. */
import { Context, Schema, SchemaTransformation } from "effect"
import { HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../../domain/Errors.ts"
import type { Principal } from "../../domain/values/AuditContext.ts"
import type { DomainError } from "../DomainError.ts"
import { domainBody, domainRows, ErrorBody, faceRows, Refused, refusedBody, type FaceCode } from "./Errors.ts"

/** The caller of this request: an organisation, identified by its `clientId` and `code`. */
export class V1Caller extends Context.Service<V1Caller, Principal>()("voltlane/http/v1/Caller") {}

/** An error inside the service; `{ "error": { "code", "message" } }` with its status on the wire and in the OpenAPI document. */
const onTheWire = <S extends Schema.Top>(
  self: S,
  status: number,
  decode: (body: ErrorBody) => S["Type"],
  encode: (error: S["Type"]) => ErrorBody
) =>
  ErrorBody.pipe(
    Schema.decodeTo(Schema.toType(self), SchemaTransformation.transform({ decode, encode })),
    HttpApiSchema.status(status)
  )

const ofDomain = <S extends Schema.Top & { readonly Type: DomainError }>(
  self: S,
  row: { readonly status: number },
  decode: (body: ErrorBody) => S["Type"]
) => onTheWire(self, row.status, decode, domainBody)

const refused = (code: FaceCode) =>
  onTheWire(Refused, faceRows[code], ({ error }) => new Refused({ code, message: error.message }), refusedBody)

const storageUnavailable = ofDomain(
  StorageUnavailable,
  domainRows.StorageUnavailable,
  ({ error }) => new StorageUnavailable({ message: error.message, reason: "down" })
)

const invalidInput = ofDomain(
  InvalidInput,
  domainRows.InvalidInput,
  ({ error }) => new InvalidInput({ pointer: "", detail: error.message })
)

export const NotFound404 = ofDomain(
  NotFound,
  domainRows.NotFound,
  ({ error }) => new NotFound({ kind: "resource", id: error.message })
)

export const Conflict409 = ofDomain(Conflict, domainRows.Conflict, ({ error }) => new Conflict(error))

/** Identifies the caller by the query parameters `code` and `clientId`. */
export class V1Authorization extends HttpApiMiddleware.Service<V1Authorization, { provides: V1Caller }>()(
  "voltlane/http/v1/Authorization",
  { error: [refused("unauthorized"), storageUnavailable] }
) {}

/** Outermost: https only, bodies within limits, every failure and defect as `{ "error": { "code", "message" } }`. */
export class V1Face extends HttpApiMiddleware.Service<V1Face>()("voltlane/http/v1/Face", {
  error: [refused("https_required"), invalidInput, storageUnavailable]
}) {}
