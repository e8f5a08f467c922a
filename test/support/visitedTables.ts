/** Counts which tables a look-up visits, as the database itself counts it: to show that it visits the partitions that it needs and no others. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The names of the tables like `pattern` that are scanned while `effect` runs, in order. The counts of a connection are read in one transaction, before
 * and after.
 */
export const visitedTables = <A, E, R>(pattern: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const counts = Effect.map(
      sql<{ name: string; scans: number }>`
        SELECT relname AS name, (coalesce(idx_scan, 0) + seq_scan)::int AS scans FROM pg_stat_xact_user_tables
        WHERE relname LIKE ${pattern} ORDER BY 1`,
      (rows) => new Map(rows.map(({ name, scans }) => [name, scans]))
    )
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* counts
        yield* effect
        return [...(yield* counts)].flatMap(([name, scans]) => (scans > (before.get(name) ?? 0) ? [name] : []))
      })
    )
  })
