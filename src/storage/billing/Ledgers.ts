/**
 * The port `Ledgers` over SQL. A ledger is one row: the session, its tariff, and its readings as arrays. The background loop of
 * prices works for all organisations at once and reads the journal behind a position.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Ledgers, type Priced } from "../../domain/session/Ledgers.ts"
import type { ConnectorMeter } from "../../domain/session/ConnectorMeter.ts"
import { isPriced } from "../../domain/session/Ledger.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { compareWithRecords } from "./Differing.ts"
import { putMeters } from "../charging/ConnectorMeters.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { ledgerOf, ledgerRows, ledgers } from "./LedgerRows.ts"
import { rowOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

const changedRow = rowOf(
  Schema.Struct({
    upTo: Schema.NullOr(Schema.Finite),
    seen: Schema.Int,
    sessionIds: Schema.NullOr(Schema.Array(Schema.String)),
    metered: Schema.NullOr(Schema.Array(Schema.String))
  })
)

const changed = (sql: SqlClient.SqlClient) =>
  Effect.fn("Ledgers.changed")(function* (limit: number) {
    const row = yield* guarded(
      changedRow(sql`
        WITH seen AS MATERIALIZED (
          SELECT j.position, j.type, j.body FROM journal j
          WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = 'prices')
          ORDER BY j.position LIMIT ${limit}
        ), reported AS MATERIALIZED (
          SELECT s.type, CASE WHEN s.type IN ('SessionStarted', 'MeterRead', 'SessionEnded', 'SessionReserved', 'ReservationEnded')
              THEN s.body ->> 'sessionId'
            WHEN s.type IN ('SessionClosed', 'SessionReleased', 'SessionCorrected') THEN s.body #>> '{after,sessionId}' END AS id
          FROM seen s
        )
        SELECT (SELECT max(position)::float8 FROM seen) AS "upTo", (SELECT count(*)::int FROM seen) AS seen, array_agg(c.id) AS "sessionIds",
          array_agg(c.id) FILTER (WHERE c.metered) AS metered
        FROM (
          SELECT n.id, bool_and(n.type = 'MeterRead') AS metered, bool_and(n.type IN ('MeterRead', 'SessionStarted')) AS goes_on FROM (
            SELECT t.type, t.id FROM reported t
            UNION ALL
            -- A start ends those before it on its connector.
            SELECT 'SessionSuperseded', json_array_elements_text(s.body -> 'supersedes') FROM seen s WHERE s.type = 'SessionStarted'
            UNION ALL
            -- One that is heard of late may have been where a connector was reserved, that expired unused.
            SELECT 'ConnectorTaken', x.id::text FROM reported t
            JOIN session o ON o.id = t.id::uuid AND NOT o.reservation_only
            JOIN session x ON x.charger_id = o.charger_id AND x.organisation_id = o.organisation_id AND x.reservation_only
              AND x.status = 'COMPLETED' AND x.ended_at > o.started_at AND x.started_at < o.started_at + interval '60 days'
            WHERE t.type IN ('SessionStarted', 'SessionEnded', 'SessionCorrected')
          ) n WHERE n.id IS NOT NULL GROUP BY n.id
        ) c
        -- One without a tariff has no price to keep: it is looked at when it ends.
        WHERE NOT c.goes_on OR EXISTS (SELECT 1 FROM session_tariff t WHERE t.session_id = c.id::uuid)`)
    )
    return {
      isFull: (row?.seen ?? 0) >= limit,
      upTo: row?.upTo ?? undefined,
      sessionIds: row?.sessionIds ?? [],
      metered: row?.metered ?? []
    }
  })

/** Keeps prices; an older one never replaces a newer. */
const upsertPrices = (sql: SqlClient.SqlClient, prices: ReadonlyArray<Omit<Priced, "isAwaited">>) => sql`
  INSERT INTO session_price (session_id, organisation_id, based_on, price)
  SELECT x.session_id, x.organisation_id, x.based_on, x.price::jsonb
  FROM unnest(${uuidArray(prices.map((one) => one.sessionId))}, ${uuidArray(prices.map((one) => one.organisationId))},
    ${timestamptzArray(prices.map((one) => one.basedOn))}, ${textArray(prices.map((one) => JSON.stringify(one.price)))})
    AS x(session_id, organisation_id, based_on, price)
  ORDER BY x.session_id
  ON CONFLICT (session_id) DO UPDATE SET based_on = excluded.based_on, price = excluded.price
  WHERE session_price.based_on <= excluded.based_on`

/** Keeps prices and compares them with the records of their sessions. */
export const putPrices = (sql: SqlClient.SqlClient, prices: ReadonlyArray<Omit<Priced, "isAwaited">>) =>
  Effect.andThen(
    upsertPrices(sql, prices),
    compareWithRecords(
      sql,
      prices.map(({ sessionId }) => sessionId)
    )
  )

/** For readers the session has changed, and subscribers look for its fact. */
const given = ({ secrets, sql }: Recording, prices: ReadonlyArray<Priced>, now: number) =>
  Effect.gen(function* () {
    const awaited = prices.filter(({ isAwaited }) => isAwaited)
    if (awaited.length === 0) return []
    yield* sql`
      UPDATE session_roaming SET last_updated = greatest(clock_timestamp(), last_updated + interval '1 millisecond')
      WHERE session_id = ANY (${uuidArray(awaited.map(({ sessionId }) => sessionId))})`
    return awaited.map(({ organisationId, sessionId }) => {
      const by = { organisationId, actor: "platform" }
      const fact = factOf("SessionPriced", `session:${sessionId}`, secrets.uuid(now), { by, now })
      return { ...fact, body: { sessionId } }
    })
  })

const keep = (recording: Recording) =>
  Effect.fn("Ledgers.keep")(function* (
    prices: ReadonlyArray<Priced>,
    meters: ReadonlyArray<ConnectorMeter>,
    upTo: number | undefined,
    now: number
  ) {
    const { journaled, sql, writable } = recording
    const write = Effect.gen(function* () {
      if (prices.length > 0) yield* putPrices(sql, prices)
      if (meters.length > 0) yield* putMeters(sql, meters)
      if (upTo === undefined) return
      yield* sql`UPDATE journal_reader SET position = greatest(position, ${upTo}::float8::bigint) WHERE name = 'prices'`
    })
    // Only a fact needs the journal, for which everybody else waits.
    const isReported = prices.some(({ isAwaited }) => isAwaited)
    if (!isReported) return yield* Effect.andThen(writable, guardedWrite(sql.withTransaction(write)))
    const facts = Effect.andThen(write, given(recording, prices, now))
    yield* journaled(Effect.map(facts, (facts) => ({ result: undefined, facts })))
  })

export const layer: Layer.Layer<Ledgers, never, RecordingServices> = Layer.effect(
  Ledgers,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Ledgers.of({
      ofSession: Effect.fn("Ledgers.ofSession")(function* (organisationId: string, sessionId: string) {
        if (!isUuid(sessionId)) return undefined
        const own = scopedTo(sql, organisationId)
        const rows = yield* guarded(ledgerRows(ledgers(sql, own`${own.rowsOf("s")} AND s.id = ${sessionId}`, false)))
        return rows.map(ledgerOf).find(isPriced)
      }),
      read: Effect.fn("Ledgers.read")((sessionIds: ReadonlyArray<string>) =>
        Effect.map(guarded(ledgerRows(ledgers(sql, sql`s.id = ANY (${uuidArray(sessionIds)})`, true))), (rows) =>
          rows.map(ledgerOf)
        )
      ),
      changed: changed(sql),
      keep: keep(records)
    })
  })
)
