/**
 * Domain errors as endpoints declare them: the error inside the service, a problem document with the right status on the wire and in the
 * OpenAPI document. A typed client gets the domain's error back.
 */
import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  Conflict,
  FactorStale,
  InvalidInput,
  NotFound,
  PermissionDenied,
  StorageUnavailable,
  TooMany
} from "../../../domain/Errors.ts"
import type { DomainError } from "../../DomainError.ts"
import { domainRows } from "./Errors.ts"
import { Problem, domainProblem, faceProblem, problemType } from "./Problem.ts"

/** The caller sent no key, or an unknown or revoked one; or a password or code was wrong. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  detail: Schema.String,
  code: Schema.optionalKey(
    Schema.Literals([
      "sign_in_refused",
      "second_factor_required",
      "second_factor_refused",
      "passkey_refused",
      "key_expired",
      "network_refused"
    ])
  )
}) {}

const onTheWire = <S extends Schema.Top>(
  self: S,
  status: number,
  decode: (problem: Problem) => S["Type"],
  encode: (error: S["Type"]) => Problem
) =>
  Problem.pipe(
    Schema.decodeTo(Schema.toType(self), SchemaTransformation.transform({ decode, encode })),
    HttpApiSchema.asJson({ contentType: problemType }),
    HttpApiSchema.status(status)
  )

const ofDomain = <S extends Schema.Top & { readonly Type: DomainError }>(
  self: S,
  row: { readonly status: number },
  decode: (problem: Problem) => S["Type"]
) => onTheWire(self, row.status, decode, domainProblem)

export const NotFound404 = ofDomain(
  NotFound,
  domainRows.NotFound,
  (problem) => new NotFound({ kind: "resource", id: problem.instance ?? "" })
)

export const Conflict409 = ofDomain(
  Conflict,
  domainRows.Conflict,
  (problem) => new Conflict({ code: problem.code, message: problem.detail })
)

export const TooMany429 = ofDomain(
  TooMany,
  domainRows.TooMany,
  (problem) =>
    new TooMany({ code: problem.code, message: problem.detail, retryAfterSeconds: problem.retryAfterSeconds ?? 60 })
)

export const InvalidInput400 = ofDomain(
  InvalidInput,
  domainRows.InvalidInput,
  (problem) => new InvalidInput(problem.errors?.[0] ?? { pointer: "", detail: problem.detail })
)

export const PermissionDenied403 = ofDomain(
  PermissionDenied,
  domainRows.PermissionDenied,
  (problem) => new PermissionDenied({ requiredPermissions: problem.requiredPermissions ?? [] })
)

export const FactorStale403 = ofDomain(FactorStale, domainRows.FactorStale, () => new FactorStale())

export const StorageUnavailable503 = ofDomain(
  StorageUnavailable,
  domainRows.StorageUnavailable,
  (problem) => new StorageUnavailable({ message: problem.detail, reason: "down" })
)

export const Unauthorized401 = onTheWire(
  Unauthorized,
  401,
  (problem) => new Unauthorized({ detail: problem.detail }),
  (error) => faceProblem(error.code ?? "unauthorized", error.detail)
)
