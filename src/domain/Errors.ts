/**
 * All expected failures of the domain. They have no HTTP status, no OCPP error code and no SQLSTATE: each interface (OCPP, REST v1, REST v2,
 * OCPI) has one table that maps them.
 */
import { Schema } from "effect"

/** The database cannot be reached, is overloaded, or refuses writes because space is short. It is always safe to try again later. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  /** One line for operators: what is wrong and what to do. It never contains an organisation's data. */
  message: Schema.String,
  /** `down`: no connection. `full`: too little free space. `busy`: a limit was reached. `unknown`: it is not known whether the commit happened. */
  reason: Schema.Literals(["down", "full", "busy", "unknown"])
}) {}

/** The database cannot store a value of these facts (SQLSTATE classes 22, 23 and 54). Another attempt would fail too. */
export class FactRefused extends Schema.TaggedError<FactRefused>()("FactRefused", {
  message: Schema.String
}) {}

/** The id does not exist or belongs to another organisation. Callers never learn which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  kind: Schema.String,
  id: Schema.String
}) {}

/** The request is valid but contradicts what is stored. `code` is stable and machine-readable, e.g. `charger_id_in_use`. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  code: Schema.String,
  message: Schema.String
}) {}

/** A value that fits its schema but cannot be accepted. `pointer` is a JSON Pointer into the body. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  pointer: Schema.String,
  detail: Schema.String
}) {}

/** The caller lacks permissions. All missing ones are listed, so that the operator knows what to ask for. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  requiredPermissions: Schema.Array(Schema.String)
}) {}

/** The caller has a second factor and has not proved it recently enough for this. */
export class FactorStale extends Schema.TaggedError<FactorStale>()("FactorStale", {}) {}

/** The charger is not connected to any node. */
export class ChargerOffline extends Schema.TaggedError<ChargerOffline>()("ChargerOffline", {
  chargerId: Schema.String
}) {}

/** The caller exceeded a rate or count limit. Nothing was done; `retryAfterSeconds` says when to try again. */
export class TooMany extends Schema.TaggedError<TooMany>()("TooMany", {
  /** Stable and machine-readable, e.g. `command_rate`. */
  code: Schema.String,
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}
