/**
 * The port `Ledgers` over SQL. A ledger is one row: the session, its tariff, and its readings as arrays. The background loop that makes
 * prices works for all organisations at once and reads the journal from a stored position.
 */
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Ledgers, type Priced } from "../../domain/session/Ledgers.ts"
import type { ConnectorMeter } from "../../domain/session/ConnectorMeter.ts"
import { isPriced } from "../../domain/session/Ledger.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray, timestamptzArray, unsized, uuidArray } from "../kernel/Arrays.ts"
import { compareWithRecords } from "./Differing.ts"
import { putMeters } from "../charging/ConnectorMeters.ts"
import { factOf, recording, type Recording, type RecordingServices } from "../kernel/Facts.ts"
import { ledgerOf, ledgerRows, ledgers } from "./LedgerRows.ts"
import { rowOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

const Meter = Schema.Struct({ stepWh: Schema.Int, reportsPower: Schema.Boolean })

const changedRow = rowOf(
  Schema.Struct({
    upTo: Schema.NullOr(Schema.Finite),
    seen: Schema.Int,
    sessionIds: Schema.NullOr(Schema.Array(Schema.String)),
    metered: Schema.NullOr(Schema.Array(Schema.String)),
    plain: Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          sessionId: Schema.String,
          plain: Schema.Struct({ powerW: Schema.Finite, meter: Schema.optional(Meter) }),
          meterStartWh: Schema.Finite,
          maxPowerW: Schema.NullOr(Schema.Int),
          before: Schema.NullOr(Schema.Struct({ isSuperseded: Schema.Boolean, meterStopWh: Schema.Finite })),
          meter: Schema.NullOr(Meter)
        })
      )
    )
  })
)

/** For the plain ends `p`: their content with the connector's power limit and meter, and the previous session. */
const plainlyEnded = (sql: SqlClient.SqlClient) => sql`
  SELECT json_agg(json_build_object('sessionId', s.id, 'plain', p.plain::json, 'meterStartWh', s.meter_start_wh, 'maxPowerW', e.max_power_w,
    'before', (
      SELECT json_build_object('isSuperseded', o.superseded, 'meterStopWh', o.meter_stop_wh) FROM session o
      WHERE o.charger_id = s.charger_id AND o.evse_id = s.evse_id AND o.connector_id = s.connector_id
        AND o.organisation_id = s.organisation_id AND o.started_at < s.started_at AND o.meter_stop_wh IS NOT NULL
      ORDER BY o.started_at DESC LIMIT 1
    ), 'meter', (
      SELECT json_build_object('stepWh', m.step_wh, 'reportsPower', m.reports_power) FROM connector_meter m
      WHERE m.charger_id = s.charger_id AND m.evse_id = s.evse_id AND m.connector_id = s.connector_id
        AND m.organisation_id = s.organisation_id)))
  FROM looked p
  JOIN session s ON s.id = p.id::uuid
  LEFT JOIN charger_equipment e ON e.charger_id = s.charger_id AND e.evse_id = s.evse_id AND e.connector_id = s.connector_id
  WHERE p.plain IS NOT NULL`

const changed = (sql: SqlClient.SqlClient) =>
  Effect.fn("Ledgers.changed")(function* (limit: number) {
    const row = yield* guarded(
      changedRow(sql`
        WITH seen AS MATERIALIZED (
          SELECT j.position, j.type, j.body FROM journal j
          WHERE j.position > (SELECT r.position FROM journal_reader r WHERE r.name = 'prices')
          ORDER BY j.position LIMIT ${limit}
        ), reported AS MATERIALIZED (
          SELECT s.position, s.type, CASE WHEN s.type IN ('SessionStarted', 'MeterRead', 'SessionEnded', 'SessionReserved', 'ReservationEnded')
              THEN s.body ->> 'sessionId'
            WHEN s.type IN ('SessionClosed', 'SessionReleased', 'SessionCorrected') THEN s.body #>> '{after,sessionId}' END AS id,
            CASE WHEN s.type = 'SessionEnded' THEN s.body ->> 'plain' END AS plain
          FROM seen s
        ), looked AS MATERIALIZED (
          SELECT c.id, c.metered, CASE WHEN NOT c.goes_on AND c.is_plain
            AND NOT EXISTS (SELECT 1 FROM session_tariff t WHERE t.session_id = c.id::uuid)
            -- A partner's is held if it has no tariff.
            AND NOT EXISTS (SELECT 1 FROM session o WHERE o.id = c.id::uuid AND o.partner_id IS NOT NULL) THEN c.plain END AS plain
          FROM (
            SELECT n.id, bool_and(n.type = 'MeterRead') AS metered, bool_and(n.type IN ('MeterRead', 'SessionStarted')) AS goes_on,
              -- One end, nothing else that says something of it, and no reading that its end does not know.
              bool_and(n.type IN ('MeterRead', 'SessionStarted', 'SessionEnded'))
                AND count(*) FILTER (WHERE n.type = 'SessionEnded') = 1
                AND max(n.position) FILTER (WHERE n.type = 'SessionEnded') = max(n.position) AS is_plain,
              max(n.plain) AS plain
            FROM (
              SELECT t.position, t.type, t.id, t.plain FROM reported t
              UNION ALL
              -- A start ends those before it on its connector.
              SELECT s.position, 'SessionSuperseded', json_array_elements_text(s.body -> 'supersedes'), NULL FROM seen s
              WHERE s.type = 'SessionStarted'
              UNION ALL
              -- One that is heard of late may have been where a connector was reserved, that expired unused.
              SELECT t.position, 'ConnectorTaken', x.id::text, NULL FROM reported t
              JOIN session o ON o.id = t.id::uuid AND NOT o.reservation_only
              JOIN session x ON x.charger_id = o.charger_id AND x.organisation_id = o.organisation_id AND x.reservation_only
                AND x.status = 'COMPLETED' AND x.ended_at > o.started_at AND x.started_at < o.started_at + interval '60 days'
              WHERE t.type IN ('SessionStarted', 'SessionEnded', 'SessionCorrected')
            ) n WHERE n.id IS NOT NULL GROUP BY n.id
          ) c
          -- One without a tariff has no price to keep: it is looked at when it ends.
          WHERE NOT c.goes_on OR EXISTS (SELECT 1 FROM session_tariff t WHERE t.session_id = c.id::uuid)
        )
        SELECT (SELECT max(position)::float8 FROM seen) AS "upTo", (SELECT count(*)::int FROM seen) AS seen,
          array_agg(l.id) FILTER (WHERE l.plain IS NULL) AS "sessionIds", array_agg(l.id) FILTER (WHERE l.metered) AS metered,
          (${plainlyEnded(sql)}) AS plain
        FROM looked l`)
    )
    return {
      facts: row?.seen ?? 0,
      upTo: row?.upTo ?? undefined,
      sessionIds: row?.sessionIds ?? [],
      metered: row?.metered ?? [],
      plainlyEnded: (row?.plain ?? []).map((one) => ({
        ...one,
        maxPowerW: one.maxPowerW ?? undefined,
        before: one.before ?? undefined,
        meter: one.meter ?? undefined
      }))
    }
  })

/** Stores prices; an older price never replaces a newer one. */
const upsertPrices = (sql: SqlClient.SqlClient, prices: ReadonlyArray<Omit<Priced, "isAwaited">>) => sql`
  INSERT INTO session_price (session_id, organisation_id, based_on, price)
  SELECT x.session_id, x.organisation_id, x.based_on, x.price::jsonb
  FROM unnest(${uuidArray(prices.map((one) => one.sessionId))}, ${uuidArray(prices.map((one) => one.organisationId))},
    ${timestamptzArray(prices.map((one) => one.basedOn))}, ${textArray(prices.map((one) => JSON.stringify(one.price)))})
    AS x(session_id, organisation_id, based_on, price)
  ORDER BY x.session_id
  ON CONFLICT (session_id) DO UPDATE SET based_on = excluded.based_on, price = excluded.price
  WHERE session_price.based_on <= excluded.based_on`

/** Stores prices and compares them with the records of their sessions. */
export const putPrices = (sql: SqlClient.SqlClient, prices: ReadonlyArray<Omit<Priced, "isAwaited">>) =>
  Effect.andThen(
    upsertPrices(sql, prices),
    compareWithRecords(
      sql,
      prices.map(({ sessionId }) => sessionId)
    )
  )

/** Marks sessions as changed for partners and makes the facts that subscribers read. */
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
    // Only facts need the journal's lock, for which all other writers wait.
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
        Effect.map(
          guarded(
            ledgerRows(
              ledgers(sql, sql`s.id = ANY (ARRAY(SELECT unnest(${unsized(sql, uuidArray(sessionIds))})))`, true)
            )
          ),
          (rows) => rows.map(ledgerOf)
        )
      ),
      changed: changed(sql),
      keep: keep(records)
    })
  })
)
