/** Keeps the energy of an organisation's older sessions as a sum (`schema/statistics.sql`), so that the total does not read all of them. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { hourly } from "../kernel/Hourly.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

/**
 * A session is taken into the sum when it is so old. Longer than a reservation's id may be older than the session that takes it, and than our clocks differ:
 * the triggers pass over what was made within twenty hours.
 */
const settledMillis = 48 * 3_600_000

/** Sessions that one statement takes: under the journal's lock, some 10 ms. */
const rows = 2_000

/** Takes what is old enough into the sums of all organisations; answers how many sessions that were. */
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

/** At the start, and once an hour until the scope closes. Two processes do it one after the other. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | StorageHealth> = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* health.writable
      yield* guardedWrite(advanceTotals(sql, now))
    })
    yield* hourly("statistics: the sums of sessions were not advanced", round)
  })
)
