/**
 * Deletes what is stored about sessions and records that were sent to partners and ended long ago. It is needed only to compare an object
 * with what was sent before. Old sessions and records are not sent again, and partners' drivers add new ones every day.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { hourly } from "../kernel/Hourly.ts"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

/**
 * How many days this is kept after the object was last due. Sessions and records are corrected within the month that is billed; until then,
 * an object that has not changed is not sent again. A later correction is sent as well: the session as a whole, and the records under ids
 * of their own.
 */
export const sentKeptDays = 40

const dayMillis = 86_400_000

/** Rows in one statement, and statements before a pause: the embedded database does nothing else during a statement. */
const pieces = { rows: 1_000, statements: 100 }

/**
 * Deletes what was sent before `before` (ms since 1970) and has not been due since; returns how many rows were deleted. Objects that are
 * due or parked for an operator are kept.
 */
export const forgetSent = (sql: SqlClient.SqlClient, before: number) =>
  deletedInPieces(
    pieces,
    (rows) => sql`
        DELETE FROM subscription_object o USING (
          SELECT f.subscription_id, f.kind, f.object_id FROM subscription_object f
          WHERE f.next_at IS NULL AND f.parked_at IS NULL AND f.kind IN ('session', 'cdr') AND f.due_at < ${new Date(before)}
          ORDER BY f.due_at LIMIT ${rows} FOR UPDATE SKIP LOCKED
        ) x
        WHERE o.subscription_id = x.subscription_id AND o.kind = x.kind AND o.object_id = x.object_id
        RETURNING o.kind`
  )

/** Runs at the start, and every hour until the scope closes. Two processes may run it at once, each on other rows. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | StorageHealth> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* health.writable
      yield* guardedWrite(forgetSent(sql, now - sentKeptDays * dayMillis))
    })
    yield* hourly("subscriptions: old deliveries could not be deleted", round)
  })
)
