/**
 * How much of the log of exchanges is kept: what is younger than its retention, and of a partner with many exchanges no more than its newest. So
 * the log is as large as there are partners, whatever one of them does, and the log of one that is quiet is not pushed out by a loud one.
 */
import { Clock, Effect, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"

export interface KeptOptions {
  /** How long records are kept. */
  readonly retentionDays: number
  /** Records of one partner beyond which its oldest go sooner; until the next round there may be more. */
  readonly maxPerPartner: number
}

const dayMillis = 86_400_000

/** Rows in one statement, some 30 ms of a database's time, and statements in a row: the embedded database runs one at a time. */
const pieces = { rows: 2_000, statements: 10 }

/** What is older is looked for once an hour, of two weeks. */
const ageEvery = "1 hour"

/** Loud partners are looked at more often: one that gets a hundred changes in a second is 60,000 over its bound by then. */
const loudEvery = "10 minutes"

// Ids are gathered first and then looked up one by one: joined to them, a log of some size would be read whole for each piece.

/** Deletes what was exchanged before `before` (ms epoch); answers how many rows went. */
export const forgetExchanges = (sql: SqlClient.SqlClient, before: number) =>
  deletedInPieces(
    pieces,
    (rows) => sql`
      DELETE FROM exchange WHERE id = ANY (ARRAY(SELECT id FROM exchange WHERE at < ${new Date(before)} LIMIT ${rows}))
      RETURNING id`
  )

/** Entries of the index that one statement passes by: for many at once the planner reads the whole log and sorts it. */
const stride = 2_000

const placeRows = rowsOf(Schema.Struct({ at: Millis, id: Schema.String }))

/** When the `nth` newest exchange of a partner was, along its index; undefined where there are fewer. */
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

/** Deletes of each partner what is older than its newest so many; answers how many rows went. */
export const forgetLoud = (sql: SqlClient.SqlClient, maxPerPartner: number) =>
  Effect.gen(function* () {
    // A partner that never had so many does not have them now: all others cost nothing.
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
