/**
 * The closed set of failures that the inside of Voltlane knows. They are nouns of the domain and carry no HTTP status, no
 * OCPP error code and no SQLSTATE: each face (OCPP, REST v1, REST v2, OCPI) owns one table that maps them.
 */
import { Schema } from "effect"

/** The database cannot be reached, is overloaded or refuses writes for want of space. Always safe to try again later. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  /** One line for operators: what is wrong and what to do. Never holds data of a tenant. */
  message: Schema.String,
  /** `full` is the free-space guard, `down` no connection, `busy` a bound reached, `unknown` a commit whose outcome is unknown. */
  reason: Schema.Literals(["down", "full", "busy", "unknown"])
}) {}

/** The database cannot hold a value of these facts (SQLSTATE classes 22, 23 and 54). Trying again would fail again. */
export class FactRefused extends Schema.TaggedError<FactRefused>()("FactRefused", {
  message: Schema.String
}) {}

/** Nothing of that id exists, or it belongs to another organisation: callers never learn which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  kind: Schema.String,
  id: Schema.String
}) {}

/** The request is well-formed and contradicts what is stored. `code` is stable and machine-readable, e.g. `charger_id_in_use`. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  code: Schema.String,
  message: Schema.String
}) {}

/** A value that fits its schema and yet cannot be taken. `pointer` is a JSON Pointer into the body. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  pointer: Schema.String,
  detail: Schema.String
}) {}

/** The caller is known and lacks permissions. All of them are named, so that the operator knows what to ask for. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  requiredPermissions: Schema.Array(Schema.String)
}) {}

/** The charger has no open connection to any node. */
export class ChargerOffline extends Schema.TaggedError<ChargerOffline>()("ChargerOffline", {
  chargerId: Schema.String
}) {}

/** More than one caller may do in a time. Nothing was done; `retryAfterSeconds` says when to come again. */
export class TooMany extends Schema.TaggedError<TooMany>()("TooMany", {
  /** Stable and machine-readable, e.g. `command_rate`. */
  code: Schema.String,
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}
