/**
 * The port `UnknownChargerAttempts` over SQL. Attempts are counted in memory and written in the background, for all ids in one statement.
 * The table is limited: ids that have not tried for the longest time are deleted first. So a charger that keeps trying stays, whatever
 * other ids are invented.
 */
import { Clock, Effect, Latch, Layer, Metric, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { UnknownChargerAttempts } from "../../domain/charger/UnknownChargerAttempts.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { int4Array, textArray, timestamptzArray } from "../kernel/Arrays.ts"
import { pagedList, TextKey, TimeKey } from "../kernel/Cursor.ts"
import { type AttemptLimits, AttemptMemory, type Waiting } from "./AttemptMemory.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { factOf, recording, type RecordingServices } from "../kernel/Facts.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { writeBehind } from "../kernel/WrittenBehind.ts"

export interface AttemptsOptions extends AttemptLimits {
  readonly flushEveryMillis: number
  /** The most ids in one statement. */
  readonly maxBatch: number
  /** How many days an id is kept after its last attempt. */
  readonly keepDays: number
}

const dayMillis = 86_400_000

const unrecorded = Metric.counter("unknown_chargers_unrecorded_total", {
  description: "Attempts of unknown chargers that were not listed because the list was full",
  incremental: true
})

export const unknownChargerMetrics = [unrecorded]

const Row = Schema.Struct({
  chargerId: Schema.String,
  firstSeenAt: Millis,
  lastSeenAt: Millis,
  attempts: Schema.Int,
  remoteAddress: Schema.String,
  subprotocols: Schema.Array(Schema.String),
  advice: Schema.NullOr(Schema.String)
})

const rows = rowsOf(Row)
const Position = Schema.Struct({ at: TimeKey, id: TextKey })
// In the order of first attempts: an order that further attempts change would hide some ids between two pages.
const pages = pagedList("unknown-chargers", Position, (row: typeof Row.Type) => ({
  at: row.firstSeenAt,
  id: row.chargerId
}))

/** Returns for each row whether it is new (was never updated). Names of subprotocols contain no comma. */
const write = (sql: SqlClient.SqlClient, batch: ReadonlyArray<Waiting>) => sql<{ readonly fresh: boolean }>`
  INSERT INTO unknown_charger AS u (charger_id, first_seen, last_seen, attempts, remote_address, subprotocols, advice)
  SELECT x.charger_id, x.first_seen, x.last_seen, x.attempts, x.remote_address, string_to_array(x.subprotocols, ','),
    nullif(x.advice, '')
  FROM unnest(${textArray(batch.map((one) => one.chargerId))}, ${timestamptzArray(batch.map((one) => one.firstSeenAt))},
    ${timestamptzArray(batch.map((one) => one.lastSeenAt))}, ${int4Array(batch.map((one) => one.attempts))},
    ${textArray(batch.map((one) => one.remoteAddress))}, ${textArray(batch.map((one) => one.subprotocols.join(",")))},
    ${textArray(batch.map((one) => one.advice ?? ""))})
    AS x(charger_id, first_seen, last_seen, attempts, remote_address, subprotocols, advice)
  WHERE x.advice <> '' OR NOT EXISTS (SELECT 1 FROM charger c WHERE c.charger_id = x.charger_id)
  ON CONFLICT (charger_id) DO UPDATE SET last_seen = greatest(u.last_seen, excluded.last_seen),
    attempts = least(u.attempts::bigint + excluded.attempts, 2147483647)::integer,
    remote_address = excluded.remote_address, subprotocols = excluded.subprotocols, advice = excluded.advice
  RETURNING u.xmax = 0 AS fresh`

const prune = (sql: SqlClient.SqlClient, { keepDays, maxRows }: AttemptsOptions, now: number) => sql`
  DELETE FROM unknown_charger WHERE last_seen < ${new Date(now - keepDays * dayMillis)} OR charger_id IN (
    SELECT o.charger_id FROM unknown_charger o ORDER BY o.last_seen DESC, o.charger_id DESC OFFSET ${maxRows})`

/** The trigger on `charger` deletes ids that become registered; one that was being written at that time is left out here. */
const list = (sql: SqlClient.SqlClient, { keepDays }: AttemptsOptions) =>
  Effect.fn("UnknownChargerAttempts.list")(function* (request: PageRequest) {
    const after = yield* pages.after(request)
    const now = yield* Clock.currentTimeMillis
    return yield* guarded(
      pages.read(sql, request, {
        statement: sql`
        SELECT u.charger_id AS "chargerId", u.first_seen AS "firstSeenAt", u.last_seen AS "lastSeenAt", u.attempts,
          u.remote_address AS "remoteAddress", u.subprotocols, u.advice
        FROM unknown_charger u
        WHERE u.last_seen >= ${new Date(now - keepDays * dayMillis)}
          AND (u.advice IS NOT NULL OR NOT EXISTS (SELECT 1 FROM charger c WHERE c.charger_id = u.charger_id))
          ${after === undefined ? sql`` : sql`AND (u.first_seen, u.charger_id) < (${new Date(after.at)}, ${after.id})`}
        ORDER BY u.first_seen DESC, u.charger_id DESC LIMIT ${pages.rows(request)}`,
        rows: rows,
        item: (row) => row
      })
    )
  })

/** Provides `UnknownChargerAttempts`; waiting attempts are written when the layer is closed. */
export const layer = (options: AttemptsOptions): Layer.Layer<UnknownChargerAttempts, never, RecordingServices> =>
  Layer.effect(
    UnknownChargerAttempts,
    Effect.gen(function* () {
      const { journaled, secrets, sql } = yield* recording
      const context = yield* Effect.context<never>()
      const memory = new AttemptMemory(options)
      const pending = Latch.makeUnsafe(false)
      // Starts the counter at 0, so that an alarm sees the first one as an increase.
      unrecorded.updateUnsafe(0, context)

      const tidy = Effect.flatMap(Clock.currentTimeMillis, (now) => guarded(prune(sql, options, now))).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("unknown chargers: could not be pruned; trying again later", cause)
        )
      )
      const flush = yield* writeBehind({
        name: "unknown chargers",
        everyMillis: options.flushEveryMillis,
        waiting: () => memory.size,
        pending,
        write: Effect.suspend(() => {
          const batch = memory.take(options.maxBatch)
          return guarded(write(sql, batch)).pipe(
            Effect.tapError(() => Effect.sync(() => memory.again(batch))),
            Effect.flatMap((written) => (written.some(({ fresh }) => fresh) ? tidy : Effect.void)),
            Effect.catchDefect((defect) => Effect.logWarning("unknown chargers: could not be written", defect)),
            Effect.as(batch.length)
          )
        })
      })

      // After a restart, ids that are stored do not count as new.
      const kept = guarded(sql<{ id: string }>`
        SELECT charger_id AS id FROM unknown_charger ORDER BY last_seen DESC LIMIT ${options.maxRows}`)
      yield* Effect.andThen(tidy, kept).pipe(
        Effect.map((ids) => ids.toReversed().forEach(({ id }) => memory.recognise(id))),
        Effect.catch((error) =>
          Effect.logWarning("unknown chargers: earlier attempts could not be read, so known ids count as new", error)
        )
      )
      yield* Effect.forkScoped(Effect.forever(Effect.delay(tidy, "1 hour")))

      return UnknownChargerAttempts.of({
        attempted: (attempt) => {
          if (!memory.attempted(attempt)) unrecorded.updateUnsafe(1, context)
          if (memory.size > 0) pending.openUnsafe()
        },
        list: (request) => Effect.andThen(flush, list(sql, options)(request)),
        forget: Effect.fn("UnknownChargerAttempts.forget")(function* (chargerId: string, audit: AuditContext) {
          yield* flush
          memory.forget(chargerId)
          const write = Effect.gen(function* () {
            const gone = yield* sql`DELETE FROM unknown_charger WHERE charger_id = ${chargerId} RETURNING charger_id`
            if (gone.length === 0) return yield* new NotFound({ kind: "unknown charger", id: chargerId })
            const fact = factOf("UnknownChargerForgotten", `charger:${chargerId}`, secrets.uuid(audit.now), audit)
            return { result: undefined, facts: [{ ...fact, body: { by: audit.by.actor, before: { chargerId } } }] }
          })
          yield* journaled(write)
        }),
        concernOnly: Effect.fn("UnknownChargerAttempts.concernOnly")(function* (organisationId: string) {
          const others = yield* guarded(sql`SELECT 1 FROM organisation o WHERE o.id <> ${organisationId} LIMIT 1`)
          return others.length === 0
        })
      })
    })
  )
