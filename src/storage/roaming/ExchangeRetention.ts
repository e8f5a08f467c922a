/**
 * Limits the log of exchanges: records are deleted after their retention, and for a partner with many exchanges only the newest are kept.
 * So the size of the log depends on the number of partners, and a partner with many exchanges does not displace the records of others.
 */
import { Clock, Effect, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"

export interface KeptOptions {
  /** How long records are kept. */
  readonly retentionDays: number
  /** The number of records of one partner beyond which its oldest are deleted early. Until the next round there may be more. */
  readonly maxPerPartner: number
}

const dayMillis = 86_400_000

/** Rows in one statement (about 30 ms of database time), and statements before a pause: the embedded database runs one statement at a time. */
const pieces = { rows: 2_000, statements: 10 }

/** How often expired records are deleted; they are kept for about two weeks. */
const ageEvery = "1 hour"

/**
 * How often partners with many exchanges are checked. In this time, a partner that receives a hundred changes per second exceeds its limit
 * by 60,000.
 */
const loudEvery = "10 minutes"

// The ids are collected first and then looked up one by one. With a join, PostgreSQL would read a large log completely for each piece.

/** Deletes exchanges from before `before` (ms since 1970); returns how many rows were deleted. */
export const forgetExchanges = (sql: SqlClient.SqlClient, before: number) =>
  deletedInPieces(
    pieces,
    (rows) => sql`
      DELETE FROM exchange WHERE id = ANY (ARRAY(SELECT id FROM exchange WHERE at < ${new Date(before)} LIMIT ${rows}))
      RETURNING id`
  )

/** How many index entries one statement skips. To skip more at once, the planner would read and sort the whole log. */
const stride = 2_000

const placeRows = rowsOf(Schema.Struct({ at: Millis, id: Schema.String }))

/** The time of a partner's `nth` newest exchange, found with an index; undefined if there are fewer. */
const nthNewest = (sql: SqlClient.SqlClient, partnerId: string, nth: number) =>
  Effect.gen(function* () {
    let after: { readonly at: number; readonly id: string } | undefined
    for (let left = nth; left > 0; left -= stride) {
      const [row] = yield* placeRows(sql`
        SELECT e.at, e.id::text AS id FROM exchange e
        WHERE e.partner_id = ${partnerId}
          ${after === undefined ? sql`` : sql`AND (e.at, e.id) < (${new Date(after.at)}, ${after.id}::text::bigint)`}
        ORDER BY e.at DESC, e.id DESC OFFSET ${Math.min(left, stride) - 1}::int LIMIT 1`)
      if (row === undefined) return undefined
      after = row
    }
    return after?.at
  })

/** Deletes each partner's records that are older than its newest `maxPerPartner`; returns how many rows were deleted. */
export const forgetLoud = (sql: SqlClient.SqlClient, maxPerPartner: number) =>
  Effect.gen(function* () {
    // Only partners that have ever had more exchanges than that can have more now, so all others cost nothing.
    const loud = yield* sql<{ readonly id: string }>`
      SELECT h.partner_id AS id FROM exchange_health h GROUP BY h.partner_id
      HAVING sum(h.successes + h.failures) > ${maxPerPartner}::float8`
    let gone = 0
    for (const { id } of loud) {
      const oldest = yield* nthNewest(sql, id, maxPerPartner)
      if (oldest === undefined) continue
      gone += yield* deletedInPieces(
        pieces,
        (rows) => sql`
          DELETE FROM exchange WHERE id = ANY (ARRAY(
            SELECT e.id FROM exchange e WHERE e.partner_id = ${id} AND e.at < ${new Date(oldest)} ORDER BY e.at, e.id LIMIT ${rows}::int))
          RETURNING id`
      )
    }
    return gone
  })

/** Sweeps until the scope closes. */
export const sweepExchanges = (
  sql: SqlClient.SqlClient,
  { maxPerPartner, retentionDays }: KeptOptions
): Effect.Effect<void, never, Scope.Scope> => {
  const old = Effect.flatMap(Clock.currentTimeMillis, (now) => forgetExchanges(sql, now - retentionDays * dayMillis))
  return Effect.gen(function* () {
    yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.ignore(guarded(old)), ageEvery)))
    yield* Effect.forkScoped(
      Effect.forever(Effect.delay(Effect.ignore(guarded(forgetLoud(sql, maxPerPartner))), loudEvery))
    )
  })
}
