/**
 * Days of `meter` and `message`: made ahead of time, and those of `message` dropped after its retention. What lies in the default
 * partition for a day that gets its own (a charger whose clock runs ahead) is moved, not lost. The history of chargers, which is not
 * partitioned since the status in force may be years old, is cut in the same rounds.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { historyMonths } from "../../domain/charger/Uptime.ts"
import { monthsBefore } from "../../domain/values/Month.ts"
import { guarded } from "./SqlErrors.ts"

export interface PartitionOptions {
  /** How long raw frames are kept, in days. */
  readonly messageRetentionDays: number
}

/** Days that are made ahead: a week survives a maintenance loop that fails over a long weekend. */
const daysAhead = 7

const dayMillis = 86_400_000

/**
 * Everything in one block of the database's own language, since table names cannot be parameters: for each day that has no partition
 * yet, a table like its parent is made, filled from the default partition and attached.
 */
const makeDays = (sql: SqlClient.SqlClient, from: number) =>
  sql`SELECT make_day_partitions((to_timestamp(${from / 1000}::float8) AT TIME ZONE 'UTC')::date, ${daysAhead}::int)`

const dropDays = (sql: SqlClient.SqlClient, before: number) =>
  sql`SELECT drop_day_partitions((to_timestamp(${before / 1000}::float8) AT TIME ZONE 'UTC')::date)`

/** Rows of history that one statement deletes: the embedded database runs one at a time. */
const historyRows = 2_000

/** Statements of one round, and what is left waits for the next: ten times what 10,000 chargers with forty statuses a day say in an hour. */
const historyStatements = 100

/** Deletes what is older than history is kept; answers how many statements found something. */
export const forgetHistory = (sql: SqlClient.SqlClient, now: number, rows = historyRows) =>
  Effect.gen(function* () {
    const before = new Date(monthsBefore(now, historyMonths))
    for (let n = 0; n < historyStatements; n++) {
      const [gone] = yield* sql<{ readonly most: number }>`SELECT history_forget(${before}, ${rows}) AS most`
      if (gone === undefined || gone.most < rows) return n
    }
    return historyStatements
  })

/** One round of maintenance at `now` (ms epoch). */
export const maintain = (sql: SqlClient.SqlClient, options: PartitionOptions, now: number) =>
  guarded(
    makeDays(sql, now).pipe(
      Effect.andThen(dropDays(sql, now - options.messageRetentionDays * dayMillis)),
      Effect.andThen(forgetHistory(sql, now))
    )
  )

/** Maintains the partitions at the start and every hour. */
export const layer = (options: PartitionOptions): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const round = Effect.suspend(() => maintain(sql, options, Date.now())).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("partitions: maintenance failed, trying again in an hour", cause)
        )
      )
      yield* round
      yield* Effect.forkScoped(Effect.forever(Effect.delay(round, "1 hour")))
    })
  )
