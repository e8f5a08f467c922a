/**
 * The port `Ledgers` over SQL. A ledger is one row: the session, its tariff, and its readings as arrays; samples come along only where the
 * tariff asks for power or current. The keeper of prices works for all organisations at once and reads the journal behind a position.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Ledgers, type Priced } from "../domain/ports/Ledgers.ts"
import { StorageHealth } from "../domain/ports/StorageHealth.ts"
import type { Ledger } from "../domain/session/Ledger.ts"
import { TariffBody } from "../domain/tariff/Tariff.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { textArray, timestamptzArray, uuidArray } from "./Arrays.ts"
import { Millis, rowOf, rowsOf } from "./rows.ts"
import { scopedTo } from "./Scoped.ts"
import { Sample } from "./SessionReadings.ts"
import { sessionColumns, sessionOf, SessionRow } from "./SessionRows.ts"
import { guarded, guardedWrite } from "./SqlErrors.ts"

/** Readings of one session that are priced: a month, one every ten seconds. Later ones are left out. */
const readingsMost = 270_000

const Reading = Schema.Struct({
  at: Schema.Finite,
  wh: Schema.NullOr(Schema.Finite),
  samples: Schema.NullOr(Schema.Array(Sample))
})

const LedgerRow = Schema.Struct({
  ...SessionRow.fields,
  timeZone: Schema.String,
  tariffId: Schema.String,
  version: Schema.Int,
  body: TariffBody,
  tariffAt: Millis,
  readings: Schema.NullOr(Schema.Array(Reading))
})
const ledgerRows = rowsOf(LedgerRow)

const ledgerOf = (row: typeof LedgerRow.Type): Ledger => {
  const { body, readings, tariffAt, tariffId, timeZone, version, ...session } = row
  const { organisationId } = session
  return {
    session: sessionOf({ ...session, price: null }),
    timeZone,
    tariff: { id: tariffId, organisationId, version, body, createdAt: tariffAt, updatedAt: tariffAt },
    readings: (readings ?? []).map(({ at, samples, wh }) => ({
      at,
      registerWh: wh ?? undefined,
      samples: samples ?? undefined
    }))
  }
}

/** Restrictions on power and current, as they stand in the text of a tariff. */
const asksForPower = "(min|max)(Power|Current)"

const ledgers = (sql: SqlClient.SqlClient, which: Statement.Fragment) => sql<Record<string, unknown>>`
  SELECT ${sessionColumns(sql)}, coalesce(i.time_zone, 'UTC') AS "timeZone", v.tariff_id AS "tariffId", v.version, v.body,
    v.created_at AS "tariffAt", (
      SELECT json_agg(json_build_object('at', extract(epoch FROM m.at) * 1000, 'wh', m.energy_wh,
        'samples', CASE WHEN v.body::text ~ ${asksForPower} THEN m.samples END) ORDER BY m.at, m.key)
      FROM (
        SELECT x.at, x.key, x.energy_wh, x.samples FROM meter x
        WHERE x.session_id = s.id AND x.energy_wh IS NOT NULL ORDER BY x.at, x.key LIMIT ${readingsMost}
      ) m
    ) AS readings
  FROM session s
  JOIN session_tariff t ON t.session_id = s.id AND t.organisation_id = s.organisation_id
  JOIN tariff_version v ON v.tariff_id = t.tariff_id AND v.version = t.version
  LEFT JOIN site i ON i.id = s.site_id AND i.organisation_id = s.organisation_id
  WHERE ${which}`

const changedRow = rowOf(
  Schema.Struct({ upTo: Schema.NullOr(Schema.Finite), sessionIds: Schema.NullOr(Schema.Array(Schema.String)) })
)

const changed = (sql: SqlClient.SqlClient) =>
  Effect.fn("Ledgers.changed")(function* (limit: number) {
    const row = yield* guarded(
      changedRow(sql`
        WITH seen AS MATERIALIZED (
          SELECT j.position, j.type, j.body FROM journal j
          WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = 'prices')
          ORDER BY j.position LIMIT ${limit}
        )
        SELECT (SELECT max(position)::float8 FROM seen) AS "upTo", (
          SELECT array_agg(DISTINCT n.body ->> 'sessionId') FROM seen n
          WHERE n.type IN ('SessionStarted', 'MeterRead', 'SessionEnded') AND n.body ->> 'sessionId' IS NOT NULL
        ) AS "sessionIds"`)
    )
    return { upTo: row?.upTo ?? undefined, sessionIds: row?.sessionIds ?? [] }
  })

const keep = (sql: SqlClient.SqlClient) =>
  Effect.fn("Ledgers.keep")(function* (prices: ReadonlyArray<Priced>, upTo: number) {
    const write = Effect.gen(function* () {
      if (prices.length > 0) {
        yield* sql`
          INSERT INTO session_price (session_id, organisation_id, based_on, price)
          SELECT x.session_id, x.organisation_id, x.based_on, x.price::jsonb
          FROM unnest(${uuidArray(prices.map((one) => one.sessionId))}, ${uuidArray(prices.map((one) => one.organisationId))},
            ${timestamptzArray(prices.map((one) => one.basedOn))}, ${textArray(prices.map((one) => JSON.stringify(one.price)))})
            AS x(session_id, organisation_id, based_on, price)
          ON CONFLICT (session_id) DO UPDATE SET based_on = excluded.based_on, price = excluded.price
          WHERE session_price.based_on <= excluded.based_on`
      }
      yield* sql`UPDATE journal_reader SET position = greatest(position, ${upTo}::float8::bigint) WHERE name = 'prices'`
    })
    yield* guardedWrite(sql.withTransaction(write))
  })

export const layer: Layer.Layer<Ledgers, never, SqlClient.SqlClient | StorageHealth> = Layer.effect(
  Ledgers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const write = keep(sql)
    return Ledgers.of({
      ofSession: Effect.fn("Ledgers.ofSession")(function* (organisationId: string, sessionId: string) {
        if (!isUuid(sessionId)) return undefined
        const own = scopedTo(sql, organisationId)
        const rows = yield* guarded(ledgerRows(ledgers(sql, own`${own.rowsOf("s")} AND s.id = ${sessionId}`)))
        return rows[0] === undefined ? undefined : ledgerOf(rows[0])
      }),
      read: Effect.fn("Ledgers.read")((sessionIds: ReadonlyArray<string>) =>
        Effect.map(guarded(ledgerRows(ledgers(sql, sql`s.id = ANY (${uuidArray(sessionIds)})`))), (rows) =>
          rows.map(ledgerOf)
        )
      ),
      changed: changed(sql),
      keep: (prices, upTo) => Effect.andThen(health.writable, write(prices, upTo))
    })
  })
)
