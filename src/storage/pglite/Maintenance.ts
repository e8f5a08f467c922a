/**
 * Maintenance that a PostgreSQL server does in the background and the embedded one does not: it vacuums tables and updates the planner's
 * statistics. This also has the second part of the free-space guard: on a nearly full disk the session becomes read-only, which stops
 * writers that did not call the guard first.
 */
import { Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Engine } from "./Engine.ts"
import type { FreeSpace } from "./FreeSpace.ts"

export interface Intervals {
  /** How often to search for a table that needs a vacuum. Each time only one is vacuumed, since nothing else can run meanwhile. */
  readonly vacuumMillis: number
  /** How often the free space is checked while the database is in use or the disk is full. */
  readonly spaceMillis: number
}

const intervals: Intervals = { vacuumMillis: 30_000, spaceMillis: 1_000 }

const isFull = (space: FreeSpace): Effect.Effect<boolean> =>
  Effect.match(space.check, { onFailure: () => true, onSuccess: () => false })

type Due = { readonly schema: string; readonly name: string }

/**
 * Vacuums one table, chosen by PostgreSQL's own rule and thresholds (autovacuum), the worst table first. Vacuuming writes, so it is skipped
 * on a full disk.
 */
const vacuumOne = Effect.fnUntraced(function* (engine: Engine, space: FreeSpace, sql: SqlClient.SqlClient) {
  if (yield* isFull(space)) return
  const [due] = yield* sql<Due>`SELECT schemaname AS schema, relname AS name FROM pg_stat_user_tables
    WHERE n_dead_tup > 50 + 0.2 * n_live_tup OR n_mod_since_analyze > 50 + 0.1 * n_live_tup
    ORDER BY n_dead_tup + n_mod_since_analyze DESC LIMIT 1`
  if (due === undefined) return
  yield* engine.unwatched(sql`VACUUM (ANALYZE) ${sql(due.schema)}.${sql(due.name)}`)
})

const makeWall = (space: FreeSpace, sql: SqlClient.SqlClient) => {
  let isReadOnly = false
  const look: Effect.Effect<void, SqlError> = Effect.gen(function* () {
    const full = yield* isFull(space)
    if (full === isReadOnly) return
    // A checkpoint writes changed pages while there is still room, and lets PostgreSQL remove old log.
    if (full) yield* sql`CHECKPOINT`
    yield* full ? sql`SET default_transaction_read_only = on` : sql`SET default_transaction_read_only = off`
    isReadOnly = full
    yield* full
      ? Effect.logError("the disk of DATA_DIR is nearly full: writes are refused until space is freed")
      : Effect.logWarning("the disk of DATA_DIR has free space again: writes continue")
  })
  return { look, isUp: () => isReadOnly }
}

/** Runs both until the scope closes. */
export const maintain = (
  engine: Engine,
  space: FreeSpace,
  { spaceMillis, vacuumMillis }: Intervals = intervals
): Effect.Effect<void, never, Scope.Scope | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const after = (pause: Effect.Effect<void>, task: Effect.Effect<void, SqlError>) =>
      pause.pipe(
        Effect.andThen(task),
        Effect.catch((error) => Effect.logWarning(`maintenance of the embedded database failed: ${error.message}`)),
        Effect.forever,
        Effect.forkScoped
      )
    yield* after(Effect.sleep(vacuumMillis), vacuumOne(engine, space, sql))
    const { used } = engine
    const wall = makeWall(space, sql)
    // A database that is not in use writes nothing, so its disk is not checked.
    const isUsed = used.await.pipe(
      Effect.andThen(Effect.sleep(spaceMillis)),
      Effect.andThen(Effect.sync(() => used.closeUnsafe()))
    )
    const look = wall.look.pipe(
      Effect.ensuring(
        Effect.sync(() => {
          if (wall.isUp()) used.openUnsafe()
        })
      )
    )
    yield* after(Effect.asVoid(isUsed), look)
  })
