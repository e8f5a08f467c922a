/**
 * Keeps the energy of an organisation's older sessions as a sum (`schema/statistics.sql`), so that computing the total does not read all
 * sessions.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { hourly } from "../kernel/Hourly.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

/**
 * The age at which a session is added to the sum. It is longer than the time by which a reservation's id may be older than the session that
 * uses the reservation, plus differences between clocks: the triggers skip sessions made within the last twenty hours.
 */
const settledMillis = 48 * 3_600_000

/** How many sessions one statement adds: about 10 ms under the journal's lock. */
const rows = 2_000

/** Adds sessions that are old enough to the sums of all organisations; returns how many were added. */
export const advanceTotals = (sql: SqlClient.SqlClient, now: number, most = rows) =>
  Effect.gen(function* () {
    const before = new Date(now - settledMillis)
    const organisations = yield* sql<{ readonly id: string }>`SELECT id FROM organisation ORDER BY id`
    let taken = 0
    for (const { id } of organisations) {
      let last = most
      while (last === most) {
        const [row] = yield* sql<{ readonly taken: number }>`
          SELECT session_total_advance(${id}, ${before}, ${most}) AS taken`
        last = row?.taken ?? 0
        taken += last
      }
    }
    return taken
  })

/** Runs at the start, and every hour until the scope closes. Two processes do it one after the other. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | StorageHealth> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* health.writable
      yield* guardedWrite(advanceTotals(sql, now))
    })
    yield* hourly("statistics: the totals of sessions could not be updated", round)
  })
)
