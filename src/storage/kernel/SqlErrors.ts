/**
 * Maps the database's failures to the domain's errors. A database that is away, overloaded or full is an operating error and becomes
 * `StorageUnavailable`. A repository that expects a bad value or a violated constraint checks for it by name first (`isUniqueViolation`,
 * `isDataError`). Any other failure is a bug and dies, without the values that its details may contain.
 */
import { Cause, Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { measured } from "./DatabaseMetrics.ts"

type Reason = StorageUnavailable["reason"]

/** The fields of PostgreSQL's error that contain no data of an organisation. */
interface Fields {
  readonly code?: unknown
  readonly constraint?: unknown
  readonly table?: unknown
  readonly column?: unknown
  readonly routine?: unknown
  readonly _tag?: unknown
}

const fieldsOf = (error: SqlError): Fields => {
  const cause: unknown = error.reason.cause
  return typeof cause === "object" && cause !== null ? cause : {}
}

/** The SQLSTATE of an error, or undefined if the error did not come from the database (a lost connection, a value that cannot be sent). */
export const sqlState = (error: SqlError): string | undefined => {
  const code = fieldsOf(error).code
  // Socket errors have a code too ("ECONNREFUSED", "EPIPE"). A SQLSTATE has five letters or digits, at least one of them a digit.
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * True if a value, not the database, is at fault: SQLSTATE classes 22 and 23, 54 (too long for an index), and values that the driver cannot
 * encode. The same value fails again on a retry; in a batch it must be found and left out.
 */
export const isDataError = (error: unknown): error is SqlError => {
  if (!isSqlError(error)) return false
  const state = sqlState(error)
  return state === undefined ? fieldsOf(error)._tag === "PgTypesCodecError" : /^(2[23]|54)/.test(state)
}

/** True for SQLSTATE 23505: of the named constraint or unique index, or of any if none is named. */
export const isUniqueViolation = (error: unknown, constraint?: string): error is SqlError =>
  isSqlError(error) &&
  error.reason._tag === "UniqueViolation" &&
  (constraint === undefined || error.reason.constraint === constraint)

/** True for SQLSTATE 23503: of the named foreign key, or of any if none is named. */
export const isForeignKeyViolation = (error: unknown, constraint?: string): error is SqlError =>
  isSqlError(error) &&
  sqlState(error) === "23503" &&
  (constraint === undefined || fieldsOf(error).constraint === constraint)

/** SQLSTATE codes and classes that mean "not now". A code comes before the class that contains it. */
const reasons: ReadonlyArray<readonly [prefix: string, reason: Reason]> = [
  ["57014", "busy"], // a statement timeout
  ["55P03", "busy"], // a lock timeout
  ["25P03", "busy"], // the process was frozen inside a transaction; the server has rolled it back
  ["25P04", "busy"], // a limit for whole transactions, which an administrator can set
  ["53100", "full"],
  ["25006", "full"], // read-only: our own free-space wall, or a standby
  ["08", "down"],
  ["28", "down"], // the password or the right to log in was taken away while we ran
  ["3D000", "down"],
  ["40", "busy"],
  ["53", "busy"],
  ["57", "down"],
  ["58", "down"]
]

const messages: Readonly<Record<Reason, string>> = {
  down: "the database cannot be reached; check that it runs and that its address and password are right",
  busy: "the database is overloaded; try again",
  full: "the database does not accept writes; free space on its disk (or point DATABASE_URL at the primary)",
  unknown: "the connection to the database was lost during a write; it may or may not have been stored"
}

const reasonOf = (error: SqlError): Reason | undefined => {
  const state = sqlState(error)
  if (state !== undefined) return reasons.find(([prefix]) => state.startsWith(prefix))?.[1]
  return error.reason._tag === "ConnectionError" || error.reason._tag === "AuthenticationError" ? "down" : undefined
}

const unavailable = (reason: Reason, error: SqlError): StorageUnavailable => {
  const state = sqlState(error)
  return new StorageUnavailable({
    reason,
    message: state === undefined ? messages[reason] : `${messages[reason]} (SQLSTATE ${state})`
  })
}

/** The domain's error if the database cannot serve now, or undefined if the statement itself is at fault. */
export const toUnavailable = (error: SqlError): StorageUnavailable | undefined => {
  const reason = reasonOf(error)
  return reason === undefined ? undefined : unavailable(reason, error)
}

/**
 * A statement that should never have failed. The message has the names that PostgreSQL reported (table, column, constraint), never a value
 * of a row.
 */
export class SqlDefect extends Error {
  override readonly name = "SqlDefect"
  constructor(error: SqlError) {
    const { column, constraint, routine, table } = fieldsOf(error)
    const state = sqlState(error)
    const about = Object.entries({ table, column, constraint, routine })
      .filter(([, value]) => typeof value === "string")
      .map(([key, value]) => `${key} ${String(value)}`)
    // Syntax errors (42) and internal errors (XX) quote our own SQL; data errors (22, 23) quote the data.
    const said = state !== undefined && /^(42|XX|0A)/.test(state) && error.reason.cause instanceof Error
    super(
      [
        `SQLSTATE ${state ?? "none"}`,
        error.reason._tag,
        ...(said ? [(error.reason.cause as Error).message] : []),
        ...about
      ].join(", ")
    )
    if (error.stack !== undefined) this.stack = `${this.message}\n${error.stack.split("\n").slice(1).join("\n")}`
  }
}

/**
 * The SqlError in a cause, as a failure or a defect: if a connection breaks inside `sql.withTransaction`, its ROLLBACK fails too, and that
 * failure is a defect.
 */
const sqlErrorIn = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason) && isSqlError(reason.error)) return reason.error
    if (Cause.isDieReason(reason) && isSqlError(reason.defect)) return reason.defect
  }
  return undefined
}

const translate =
  (write: boolean) =>
  <E>(cause: Cause.Cause<E>): Effect.Effect<never, Exclude<E, SqlError> | StorageUnavailable> => {
    const error = sqlErrorIn(cause)
    if (error === undefined) return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>)
    const reason = reasonOf(error)
    if (reason === undefined) return Effect.die(new SqlDefect(error))
    // Before the connection was open, nothing can have been written. After that, a commit may have succeeded without an answer.
    const doubtful = write && reason === "down" && error.reason.operation !== "connect"
    return Effect.fail(unavailable(doubtful ? "unknown" : reason, error))
  }

/**
 * Wraps every query of a repository: fails with `StorageUnavailable` if the database cannot serve now, and dies on any other SQL error.
 * Failures that are not SqlErrors pass through, so catch an expected unique violation inside.
 */
export const guarded = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
  Effect.catchCause(measured(effect), translate(false))

/**
 * The same for a write whose outcome matters: a connection that is lost during it gives `unknown` instead of `down`, since the commit may
 * have happened. After `unknown`, the caller reads the current state before it writes again.
 */
export const guardedWrite = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
  Effect.catchCause(measured(effect), translate(true))
