/**
 * Brings the schema to the version that this code knows. Every migration is one transaction: if the process is killed, the database has the
 * last complete version. Two processes that start together migrate one after the other. A schema of a newer version is refused, since this
 * version might damage it.
 */
import { Data, Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { locks } from "./Locks.ts"

export type Migrations = Readonly<Record<string, Effect.Effect<void, SqlError, SqlClient.SqlClient>>>

/** This version must not use the database. `message` says in one line what to do. */
export class SchemaRefused extends Data.TaggedError("SchemaRefused")<{ readonly message: string }> {}

/** A migration failed and was undone; the earlier ones remain applied. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

const table = "schema_migrations"

interface Step {
  readonly id: number
  readonly key: string
}

/** `0001_baseline` is number 1. */
const stepsOf = (migrations: Migrations): ReadonlyArray<Step> =>
  Object.keys(migrations)
    .map((key) => ({ id: Number(/^(\d{4})_[a-z0-9_]+$/.exec(key)?.[1] ?? Number.NaN), key }))
    .sort((a, b) => a.id - b.id)

/** The number of the newest migration that this code has. */
export const knownVersion = (migrations: Migrations): number => stepsOf(migrations).at(-1)?.id ?? 0

type Row = { readonly migration_id: number; readonly name: string }

const applied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* sql<{ found: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS found`
  return found?.found === true
    ? yield* sql<Row>`SELECT migration_id, name FROM ${sql(table)} ORDER BY migration_id`
    : []
})

/** The number of the last migration that the database has; 0 when it has none. */
export const schemaVersion: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const rows = yield* applied(yield* SqlClient.SqlClient)
  return rows.at(-1)?.migration_id ?? 0
})

const refuse = (message: string) => Effect.fail(new SchemaRefused({ message }))

/** The first migration of versions before the first release. Their data cannot be upgraded. */
const unreleased = "0001_spine"

/** The migrations of the database must be the first ones of this code: the same numbers with the same names, without a gap. */
const verify = (rows: ReadonlyArray<Row>, steps: ReadonlyArray<Step>): Effect.Effect<void, SchemaRefused> => {
  const exists = rows.at(-1)?.migration_id ?? 0
  const knows = steps.at(-1)?.id ?? 0
  const first = rows.find((row) => row.migration_id === 1)
  if (first?.name === unreleased.slice(5) && steps[0]?.key !== unreleased) {
    return refuse(
      "the database was made by a version of Voltlane before its first release and cannot be upgraded; " +
        "set DATA_DIR or DATABASE_URL to an empty database"
    )
  }
  if (exists > knows) {
    return refuse(
      `database schema ${exists} is newer than this version of Voltlane (knows ${knows}); ` +
        "start the newer version or restore a backup"
    )
  }
  const byId = new Map(
    rows.map((row) => [row.migration_id, `${String(row.migration_id).padStart(4, "0")}_${row.name}`])
  )
  const stranger = steps.find((step) => step.id <= exists && byId.get(step.id) !== step.key)
  return stranger === undefined
    ? Effect.void
    : refuse(
        `database schema ${exists} has ${byId.get(stranger.id) ?? "nothing"} where this version of Voltlane has ${stranger.key}; ` +
          "it was made by a different series of versions: start that version or restore a backup"
      )
}

/** The session's time limits are meant for queries. A migration may take as long as it needs and waits for the lock without a limit. */
const unlimited = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`SET LOCAL statement_timeout = 0`
  yield* sql`SET LOCAL lock_timeout = 0`
  yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
  yield* sql`SELECT pg_advisory_xact_lock(${locks.migrations})`
})

/**
 * Runs the missing migrations, each in a transaction, and returns the version reached. Each step takes the advisory lock and reads the
 * applied migrations again, so that either of two starting processes may run the next one.
 */
export const migrate = (
  migrations: Migrations
): Effect.Effect<number, SchemaRefused | MigrationFailed | SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const steps = stepsOf(migrations)
    const bad = steps.find((step, index) => step.id !== index + 1)
    if (bad !== undefined)
      return yield* Effect.die(new Error(`migration ${bad.key} is out of order: numbers must increase by one`))
    const next = Effect.gen(function* () {
      yield* unlimited(sql)
      const rows = yield* applied(sql)
      yield* verify(rows, steps)
      const step = steps[rows.at(-1)?.migration_id ?? 0]
      if (step === undefined) return false
      yield* runUpTo(migrations, step)
      return true
    })
    while (yield* sql.withTransaction(next)) yield* Effect.logDebug("migrated the database by one step")
    return knownVersion(migrations)
  })

/** Effect's migrator gets the migrations up to this step, and so runs only this one. */
const runUpTo = (migrations: Migrations, step: Step) => {
  const upTo = Object.fromEntries(Object.entries(migrations).filter(([key]) => key <= step.key))
  return Migrator.make({})({ loader: Migrator.fromRecord(upTo), table }).pipe(
    Effect.catchTag("MigrationError", (error) =>
      Effect.fail(
        new MigrationFailed({ message: `migration ${step.key} failed and was undone`, cause: error.cause ?? error })
      )
    )
  )
}
