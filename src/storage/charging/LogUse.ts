/**
 * Stores in the database how much of its budgets the message log has used today. It is read when the process starts, so that a restart does
 * not reset the budgets, and stored at intervals and at the end. What a process logged since its last store is unknown to the next one:
 * after a kill, and if a new process starts while the old one is still running.
 */
import { Clock, Effect, Latch, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { float8Array, textArray, uuidArray } from "../kernel/Arrays.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { expendable, writeBehind } from "../kernel/WrittenBehind.ts"
import { dayOf } from "../../domain/values/Day.ts"
import type { LogBudget, Used } from "./LogBudget.ts"

const usedRows = rowsOf(
  Schema.Struct({ organisationId: Schema.String, chargerId: Schema.String, bytes: Schema.Finite })
)

/** How many chargers one statement stores: a larger one would delay the commits of facts. */
const chargersAtOnce = 500

const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10)

/** The stored use of each charger on a day. Computing it from the frames would take minutes for a large fleet. */
const usedOn = (sql: SqlClient.SqlClient, day: number) =>
  guarded(
    usedRows(sql`
      SELECT organisation_id AS "organisationId", charger_id AS "chargerId", bytes::float8 AS bytes
      FROM message_use WHERE day = ${dateOf(day)}::text::date`)
  )

/**
 * Adds to the stored use of a day, in a fixed order, so that two processes do not deadlock. Deletes what is older than the day before; it
 * keeps that day because another process's clock may be behind.
 */
const storeUse = (sql: SqlClient.SqlClient, day: number, used: ReadonlyArray<Used>) => sql`
  WITH gone AS (DELETE FROM message_use WHERE day < ${dateOf(day)}::text::date - 1)
  INSERT INTO message_use AS u (day, organisation_id, charger_id, bytes)
  SELECT ${dateOf(day)}::text::date, x.organisation_id, x.charger_id, sum(x.bytes)
  FROM unnest(${uuidArray(used.map((one) => one.organisationId))}, ${textArray(used.map((one) => one.chargerId))},
    ${float8Array(used.map((one) => one.bytes))}) AS x(organisation_id, charger_id, bytes)
  GROUP BY x.organisation_id, x.charger_id ORDER BY x.organisation_id, x.charger_id
  ON CONFLICT (day, organisation_id, charger_id) DO UPDATE SET bytes = u.bytes + excluded.bytes`

/** Stores what was counted since the last time; what could not be stored is tried again next time. */
const storing = (sql: SqlClient.SqlClient, budget: LogBudget) =>
  Effect.suspend(() => {
    const { day, used } = budget.takeUnstored(chargersAtOnce)
    return guardedWrite(storeUse(sql, day, used)).pipe(
      expendable((cause) => Effect.logWarning("message log: the bytes of the day could not be counted", cause)),
      Effect.tapError(() => Effect.sync(() => budget.again(day, used))),
      Effect.as(used.length)
    )
  })

/** Restores a budget, and stores its counts until the scope closes; returns the latch to open after counting something. */
export const storedUse = (
  sql: SqlClient.SqlClient,
  budget: LogBudget,
  everyMillis: number
): Effect.Effect<Latch.Latch, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pending = Latch.makeUnsafe(false)
    let isRestored = false
    const restored = Effect.sync(() => {
      isRestored = true
      // A flush during the restore found nothing to store and closed it.
      pending.openUnsafe()
    })
    yield* Effect.asVoid(
      writeBehind({
        name: "bytes of the message log",
        everyMillis,
        // What this process has counted must not be read back as if another process had counted it.
        waiting: () => (isRestored ? budget.unstoredCount : 0),
        pending,
        write: storing(sql, budget)
      })
    )
    const began = yield* Clock.currentTimeMillis
    const restore = usedOn(sql, dayOf(began)).pipe(
      Effect.map((used) => budget.restore(dayOf(began), used)),
      Effect.catchCause((cause) =>
        Effect.logWarning("message log: it is unknown how much was logged today; the budgets start again at 0", cause)
      ),
      Effect.andThen(restored)
    )
    // Also if the scope closes before the restore has run: counts are stored at the end.
    yield* Effect.addFinalizer(() => restored)
    yield* Effect.forkScoped(restore)
    return pending
  })
