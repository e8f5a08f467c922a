/**
 * The log of exchanges in the database, written in the background like `MessageLog`: a crash may lose the last second. The success and
 * failures of each module are counted separately, so that they can be shown without reading the log.
 */
import { type Cause, Effect, Latch, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ExchangeRecord, isSuccess } from "../../domain/roaming/ExchangeRecord.ts"
import { Exchanges, type ExchangeSearch } from "../../domain/roaming/Exchanges.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { jsonbArray } from "../kernel/Arrays.ts"
import { LongKey, pagedList, TimeKey } from "../kernel/Cursor.ts"
import { type KeptOptions, sweepExchanges } from "./ExchangeRetention.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"
import { expendable, writeBehind } from "../kernel/WrittenBehind.ts"

export interface ExchangesOptions extends KeptOptions {
  /** How many characters may wait in memory; further records are dropped and counted. */
  readonly maxWaitingChars: number
  /** The most records in one statement, and the most characters: larger statements would delay others. */
  readonly maxBatch: number
  readonly maxBatchChars: number
  readonly flushEveryMillis: number
}

const dropped = Metric.counter("ocpi_exchanges_dropped_total", {
  description: "Exchanges with partners that were not logged because their log was full",
  incremental: true
})

export const exchangeMetrics = [dropped]

/** The size of a record beside its texts. */
const recordChars = 500

const charsOf = ({ error, path, requestBody, responseBody }: ExchangeRecord): number =>
  recordChars + path.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0) + (error?.length ?? 0)

/** The waiting records that fit into one statement. */
const batchOf = (
  waiting: ReadonlyArray<ExchangeRecord>,
  { maxBatch, maxBatchChars }: Pick<ExchangesOptions, "maxBatch" | "maxBatchChars">
): ReadonlyArray<ExchangeRecord> => {
  let chars = 0
  let n = 0
  for (const record of waiting) {
    chars += charsOf(record)
    if (n === maxBatch || (n > 0 && chars > maxBatchChars)) break
    n++
  }
  return waiting.slice(0, n)
}

/** Records are passed as one JSON object each, instead of one parameter per column. */
const inserted = (record: ExchangeRecord) => ({ ...record, failed: !isSuccess(record) })

const insert = (sql: SqlClient.SqlClient, records: ReadonlyArray<ExchangeRecord>) => sql`
  WITH given AS (
    SELECT * FROM unnest(${jsonbArray(records.map(inserted))}) WITH ORDINALITY AS u(given, place),
      jsonb_to_record(u.given) AS r("organisationId" uuid, "partnerId" uuid, at float8, direction text, module text, method text,
        path text, "httpStatus" integer, "ocpiStatus" integer, failed boolean, millis float8, "requestId" text, "correlationId" text,
        "requestBody" text, "responseBody" text, error text)
  ), logged AS (
    INSERT INTO exchange (organisation_id, partner_id, at, direction, module, method, path, http_status, ocpi_status, failed, millis,
      request_id, correlation_id, request_body, response_body, error)
    SELECT "organisationId", "partnerId", to_timestamp(at / 1000), direction, module, method, path, "httpStatus", "ocpiStatus", failed,
      millis::integer, "requestId", "correlationId", "requestBody", "responseBody", error
    FROM given ORDER BY place
  )
  INSERT INTO exchange_health AS h (organisation_id, partner_id, direction, module, last_success_at, last_failure_at, last_failure,
    successes, failures)
  SELECT "organisationId", "partnerId", direction, module,
    to_timestamp(max(at) FILTER (WHERE NOT failed) / 1000), to_timestamp(max(at) FILTER (WHERE failed) / 1000),
    (array_agg(coalesce(error, concat_ws(', ', 'HTTP ' || "httpStatus", 'status ' || "ocpiStatus")) ORDER BY place DESC)
      FILTER (WHERE failed))[1],
    count(*) FILTER (WHERE NOT failed), count(*) FILTER (WHERE failed)
  FROM given GROUP BY "organisationId", "partnerId", direction, module
  ON CONFLICT (partner_id, direction, module) DO UPDATE SET
    last_success_at = greatest(h.last_success_at, excluded.last_success_at),
    last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
    last_failure = coalesce(excluded.last_failure, h.last_failure),
    successes = h.successes + excluded.successes, failures = h.failures + excluded.failures`

/** Position in the log: time, then id, since many records share a millisecond. */
const Position = Schema.Struct({ at: TimeKey, id: LongKey })

const Row = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  partnerId: Schema.String,
  at: Millis,
  direction: Schema.Literals(["in", "out"]),
  module: Schema.String,
  method: Schema.String,
  path: Schema.String,
  httpStatus: optional(Schema.Int),
  ocpiStatus: optional(Schema.Int),
  millis: Schema.Int,
  requestId: Schema.String,
  correlationId: Schema.String,
  requestBody: optional(Schema.String),
  responseBody: optional(Schema.String),
  error: optional(Schema.String)
})
const logRows = rowsOf(Row)

const log = pagedList("exchanges", Position, ({ at, id }: typeof Row.Type) => ({ at, id }))

const search = (sql: SqlClient.SqlClient, organisationId: string, partnerId: string, wanted: ExchangeSearch) =>
  Effect.gen(function* () {
    const after = yield* log.after(wanted)
    if (!isUuid(partnerId)) return { items: [], nextCursor: null }
    const own = scopedTo(sql, organisationId)
    const { direction, failed, from, module, to } = wanted
    return yield* guarded(
      log.read(sql, wanted, {
        statement: own`
        SELECT e.id::text AS id, e.organisation_id AS "organisationId", e.partner_id AS "partnerId", e.at, e.direction, e.module, e.method,
          e.path, e.http_status AS "httpStatus", e.ocpi_status AS "ocpiStatus", e.millis, e.request_id AS "requestId",
          e.correlation_id AS "correlationId", e.request_body AS "requestBody", e.response_body AS "responseBody", e.error
        FROM exchange e
        WHERE ${own.rowsOf("e")} AND e.partner_id = ${partnerId}
          ${from === undefined ? sql`` : sql`AND e.at >= ${new Date(from)}`}
          ${to === undefined ? sql`` : sql`AND e.at < ${new Date(to)}`}
          ${module === undefined ? sql`` : sql`AND e.module = ${module}`}
          ${direction === undefined ? sql`` : sql`AND e.direction = ${direction}`}
          ${failed === undefined ? sql`` : sql`AND e.failed = ${failed}`}
          ${after === undefined ? sql`` : sql`AND (e.at, e.id) < (${new Date(after.at)}, ${after.id}::text::bigint)`}
        ORDER BY e.at DESC, e.id DESC LIMIT ${log.rows(wanted)}`,
        rows: logRows,
        item: (row) => row
      })
    )
  })

const healthRows = rowsOf(
  Schema.Struct({
    module: Schema.String,
    direction: Schema.Literals(["in", "out"]),
    lastSuccessAt: optional(Millis),
    lastFailureAt: optional(Millis),
    lastFailure: optional(Schema.String),
    successes: Whole,
    failures: Whole
  })
)

const health = (sql: SqlClient.SqlClient, organisationId: string, partnerId: string) => {
  const own = scopedTo(sql, organisationId)
  return guarded(
    healthRows(own`
      SELECT h.module, h.direction, h.last_success_at AS "lastSuccessAt", h.last_failure_at AS "lastFailureAt",
        h.last_failure AS "lastFailure", h.successes, h.failures
      FROM exchange_health h WHERE ${own.rowsOf("h")} AND h.partner_id = ${partnerId} ORDER BY h.module, h.direction`)
  )
}

/** Provides `Exchanges`; waiting records are written when the layer is closed. */
export const layer = (options: ExchangesOptions): Layer.Layer<Exchanges, never, SqlClient.SqlClient> =>
  Layer.effect(
    Exchanges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const context = yield* Effect.context<never>()
      let waiting: Array<ExchangeRecord> = []
      let chars = 0
      const pending = Latch.makeUnsafe(false)

      const taken = (records: ReadonlyArray<ExchangeRecord>): void => {
        waiting = waiting.slice(records.length)
        for (const record of records) chars -= charsOf(record)
      }

      /** Records may be lost. They are given up if they may already have been written, or if the database will never accept them. */
      const lost = (records: ReadonlyArray<ExchangeRecord>, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
        taken(records)
        dropped.updateUnsafe(records.length, context)
        return Effect.logWarning("log of exchanges: records lost", cause)
      }

      const flush = yield* writeBehind({
        name: "log of exchanges",
        everyMillis: options.flushEveryMillis,
        waiting: () => waiting.length,
        pending,
        write: Effect.suspend(() => {
          const records = batchOf(waiting, options)
          return guardedWrite(insert(sql, records)).pipe(
            Effect.map(() => taken(records)),
            expendable((cause) => lost(records, cause)),
            Effect.as(records.length)
          )
        })
      })

      yield* sweepExchanges(sql, options)

      return Exchanges.of({
        record: (record) => {
          if (chars + charsOf(record) > options.maxWaitingChars) return dropped.updateUnsafe(1, context)
          chars += charsOf(record)
          waiting.push(record)
          pending.openUnsafe()
        },
        search: (organisationId, partnerId, wanted) =>
          Effect.andThen(flush, search(sql, organisationId, partnerId, wanted)),
        health: (organisationId, partnerId) => Effect.andThen(flush, health(sql, organisationId, partnerId))
      })
    })
  )
