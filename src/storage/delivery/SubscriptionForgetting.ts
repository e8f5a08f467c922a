/**
 * Forgets what partners were sent of sessions and records that have been over for long. What was sent is kept to be compared with what is to be sent;
 * of what does not change any more nothing is, and a partner's drivers make more of it every day.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { hourly } from "../kernel/Hourly.ts"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

/**
 * Days since the last word about it. Sessions and records are corrected within the month that is billed, and a correction then costs no word that is the
 * same as before. One that comes later is sent as well: the session whole, and the records under ids of their own.
 */
export const sentKeptDays = 40

const dayMillis = 86_400_000

/** Rows in one statement, and statements until it rests: the embedded database does nothing else meanwhile. */
const pieces = { rows: 1_000, statements: 100 }

/**
 * Deletes what was sent before `before` (ms epoch) and has not been due since; answers how many rows went. What is due, and what is parked for an operator
 * to look at, stays.
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

/** At the start, and once an hour until the scope closes. Two processes do it side by side, each other rows. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | StorageHealth> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* health.writable
      yield* guardedWrite(forgetSent(sql, now - sentKeptDays * dayMillis))
    })
    yield* hourly("subscriptions: what was sent long ago was not deleted", round)
  })
)
