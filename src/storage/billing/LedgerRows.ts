/**
 * Rows of ledgers: a session with its tariff, its readings as arrays, and related data. Of the samples only power, current and state of
 * charge are read, beside energy.
 */
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { earliestBelievable, latestAheadMillis } from "../../domain/charger/Clock.ts"
import type { Ledger, Observed } from "../../domain/session/Ledger.ts"
import { signedReadingsAtEachEnd } from "../../domain/session/SignedData.ts"
import { TariffBody } from "../../domain/tariff/Tariff.ts"
import { PlaceRow, TokenTypeRow } from "./CdrRows.ts"
import { placeColumn, withPlace } from "../sites/EvseRows.ts"
import { optional, rowsOf } from "../kernel/Rows.ts"
import { Sample } from "../charging/SessionReadings.ts"
import { sessionColumns, sessionOf, SessionRow, withReview } from "../charging/SessionRows.ts"

/** The most readings of one session that are priced: one every ten seconds for a month. Later ones are left out. */
const readingsMost = 270_000

/** The most status changes of one session: one a minute for a week. */
const statusesMost = 10_000

const Reading = Schema.Struct({
  at: Schema.Finite,
  wh: Schema.NullOr(Schema.Finite),
  samples: Schema.NullOr(Schema.Array(Sample))
})

const LedgerRow = Schema.Struct({
  ...SessionRow.fields,
  timeZone: Schema.String,
  tariff: Schema.NullOr(Schema.Struct({ id: Schema.String, version: Schema.Int, body: TariffBody, at: Schema.Finite })),
  readings: Schema.NullOr(Schema.Array(Reading)),
  statuses: Schema.NullOr(Schema.Array(Schema.Struct({ at: Schema.Finite, status: Schema.String }))),
  standbyPowerW: Schema.Int,
  maxPowerW: optional(Schema.Int),
  place: PlaceRow,
  tokenType: optional(TokenTypeRow),
  signed: Schema.NullOr(Schema.Array(Sample)),
  meterPublicKey: optional(Schema.String),
  before: Schema.NullOr(Schema.Struct({ meterStartWh: Schema.Finite, meterStopWh: Schema.Finite })),
  occupancy: Schema.NullOr(
    Schema.Struct({
      evses: Schema.Int,
      sessions: Schema.NullOr(
        Schema.Array(
          Schema.Struct({ evseId: Schema.Int, startedAt: Schema.Finite, endedAt: Schema.NullOr(Schema.Finite) })
        )
      )
    })
  ),
  clockJumped: Schema.Boolean,
  clockAheadMillis: Schema.Int
})
export const ledgerRows = rowsOf(LedgerRow)

/** Converts a row to the domain's ledger. */
export const ledgerOf = (row: typeof LedgerRow.Type): Observed | Ledger => {
  const {
    before,
    clockAheadMillis,
    clockJumped,
    maxPowerW,
    meterPublicKey,
    occupancy,
    place,
    readings,
    signed,
    standbyPowerW,
    statuses,
    tariff,
    timeZone,
    tokenType,
    ...session
  } = row
  const observed: Observed = {
    session: sessionOf({ ...session, price: null }),
    timeZone,
    readings: (readings ?? []).map(({ at, samples, wh }) => ({
      at,
      registerWh: wh ?? undefined,
      samples: samples ?? undefined
    })),
    statuses: statuses ?? undefined,
    surroundings: {
      maxPowerW,
      before: before ?? undefined,
      clockAheadMillis,
      clockJumped,
      standbyPowerW,
      ...(occupancy === null
        ? {}
        : {
            occupancy: {
              evses: occupancy.evses,
              sessions: (occupancy.sessions ?? []).map((one) => ({ ...one, endedAt: one.endedAt ?? undefined }))
            }
          })
    },
    place,
    tokenType,
    signed: signed ?? undefined,
    meterPublicKey
  }
  if (tariff === null) return observed
  const { at, body, id, version } = tariff
  const { organisationId } = session
  return { ...observed, tariff: { id, organisationId, version, body, createdAt: at, updatedAt: at } }
}

/**
 * When a row of `meter x` took place: by the charger's clock if that is plausible, otherwise when it was received. Starts and stops use the
 * same rule.
 */
const occurredAt = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN x.at < ${new Date(earliestBelievable)} OR x.at > x.heard_at + ${latestAheadMillis}::int * interval '1 millisecond'
    THEN x.heard_at ELSE x.at END`

/**
 * The signed samples of `session s` once it has ended, from its first and last readings that have any. A substring test of each reading's
 * text comes first, since it is cheaper than a pattern; only the few matching readings are parsed.
 */
const signedSamples = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN s.ended_at IS NOT NULL THEN (
    SELECT json_agg(q.sample ORDER BY g.n, q.n)
    FROM (
      SELECT x.samples, row_number() OVER (ORDER BY x.at, x.key) AS n, count(*) OVER () AS total FROM meter x
      WHERE x.session_id = s.id AND (strpos(x.samples::text, '"SignedData"') > 0 OR strpos(x.samples::text, '"OCMF|') > 0)
    ) g, json_array_elements(g.samples) WITH ORDINALITY AS q(sample, n)
    WHERE (g.n <= ${signedReadingsAtEachEnd}::int OR g.n > g.total - ${signedReadingsAtEachEnd}::int)
      AND (q.sample ->> 'format' = 'SignedData' OR q.sample ->> 'value' LIKE 'OCMF|%')
  ) END`

/**
 * The public key of the meter of `session s` at `charger c`, from its configuration (OCA's whitepaper on signed meter values for OCPP 1.6:
 * `MeterPublicKey[n]`), or as it sent it by DataTransfer (`charger/MeterKeys`).
 */
const meterPublicKey = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN s.ended_at IS NOT NULL THEN coalesce((
    SELECT k.e ->> 'value' FROM charger_configuration f, jsonb_array_elements(f.keys) AS k(e)
    WHERE f.charger_id = c.charger_id
      AND lower(k.e ->> 'key') IN ('meterpublickey[' || s.evse_id || ']', 'meterpublickey' || s.evse_id)
    ORDER BY k.e ->> 'key' LIMIT 1
  ), (
    SELECT d.body ->> 'publicKey' FROM charger_document d
    WHERE d.charger_id = c.charger_id AND d.kind IN ('meterKey:' || s.evse_id, 'meterKey:0') ORDER BY d.kind DESC LIMIT 1
  )) END`

/**
 * Since when partners had been offered the version `v` of the tariff of `session s` when the session began: since it was made, or since the
 * tariff was first assigned to anything, if that was later.
 */
const offeredSince = (sql: SqlClient.SqlClient) => sql`
  greatest(v.created_at, (
    SELECT min(a.created_at) FROM tariff_assignment a
    WHERE a.tariff_id = v.tariff_id AND a.organisation_id = v.organisation_id AND a.created_at <= greatest(s.started_at, s.created_at)
  ))`

/**
 * The statuses that the connector of `session s` reported when the session began and during it. History is kept for a limited time. Older
 * sessions have none, so a correction of their price uses only their readings.
 */
const statuses = (sql: SqlClient.SqlClient) => {
  const ofConnector = sql`FROM connector_history h WHERE h.organisation_id = s.organisation_id AND h.charger_id = s.charger_id
    AND h.evse_id = s.evse_id AND h.connector_id = s.connector_id`
  return sql`(
    SELECT json_agg(json_build_object('at', extract(epoch FROM h.from_at) * 1000, 'status', h.status)
      ORDER BY h.from_at, h.heard_at, h.tie)
    FROM (
      (SELECT h.from_at, h.heard_at, h.tie, h.status ${ofConnector} AND h.from_at <= s.started_at
        ORDER BY h.from_at DESC, h.heard_at DESC, h.tie DESC LIMIT 1)
      UNION ALL
      (SELECT h.from_at, h.heard_at, h.tie, h.status ${ofConnector} AND h.from_at > s.started_at
        AND h.from_at < coalesce(s.ended_at, 'infinity'::timestamptz) ORDER BY h.from_at, h.heard_at, h.tie LIMIT ${statusesMost})
    ) h
  )`
}

/** How many days before a reservation sessions are searched that may have lasted into it; no session is expected to last longer. */
const occupyingDays = 60

/** For a `session s` that is a reservation: the sessions at its charger during it, and the charger's number of EVSEs. */
const occupancy = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN s.reservation_only THEN json_build_object(
    'evses', (SELECT count(DISTINCT u.evse_id) FROM connector u WHERE u.charger_id = s.charger_id AND u.evse_id > 0),
    'sessions', (
      SELECT json_agg(json_build_object('evseId', n.evse_id, 'startedAt', extract(epoch FROM n.from_at) * 1000,
        'endedAt', extract(epoch FROM n.to_at) * 1000))
      FROM (
        SELECT o.evse_id, coalesce(q.started_at, o.started_at) AS from_at, coalesce(q.ended_at, o.ended_at,
          -- One that was closed for silence is over since its last reading.
          CASE WHEN o.closed_as_of IS NOT DISTINCT FROM o.updated_at THEN greatest(o.started_at, o.register_at) END) AS to_at
        FROM session o LEFT JOIN session_review q ON q.session_id = o.id AND q.organisation_id = o.organisation_id
        WHERE o.charger_id = s.charger_id AND o.organisation_id = s.organisation_id AND NOT o.reservation_only
          AND o.status <> 'INVALID' AND o.started_at < s.ended_at
          AND o.started_at > s.started_at - ${occupyingDays}::int * interval '1 day'
      ) n WHERE n.to_at IS NULL OR n.to_at > s.started_at)) END`

/** Whether the record of `session s` goes to a partner. */
const isPartners = (sql: SqlClient.SqlClient) => sql`(s.ended_at IS NOT NULL AND s.partner_id IS NOT NULL)`

/**
 * The ledgers of the matching sessions. With `forRecords`, a record may be made of them, so they include signed meter values and the place
 * that partners see.
 */
export const ledgers = (sql: SqlClient.SqlClient, which: Statement.Fragment, forRecords: boolean) => sql<
  Record<string, unknown>
>`
  SELECT ${sessionColumns(sql)}, coalesce(t.time_zone, i.time_zone, 'UTC') AS "timeZone", CASE WHEN v.tariff_id IS NOT NULL THEN
      json_build_object('id', v.tariff_id, 'version', v.version, 'body', v.body, 'at', extract(epoch FROM ${offeredSince(sql)}) * 1000) END AS tariff, (
      SELECT json_agg(json_build_object('at', extract(epoch FROM m.at) * 1000, 'wh', m.energy_wh,
        'samples', (
          SELECT json_agg(p.sample) FROM json_array_elements(m.samples) AS p(sample)
          WHERE p.sample ->> 'measurand' IN ('Power.Active.Import', 'Current.Import', 'SoC')
        )) ORDER BY m.at, m.key)
      FROM (
        SELECT ${occurredAt(sql)} AS at, x.key, x.energy_wh, x.samples FROM meter x
        WHERE x.session_id = s.id AND x.energy_wh IS NOT NULL ORDER BY x.at, x.key LIMIT ${readingsMost}
      ) m
    ) AS readings, ${statuses(sql)} AS statuses, org.standby_power_w AS "standbyPowerW", ${forRecords ? signedSamples(sql) : sql`NULL::json`} AS signed,
    ${forRecords ? meterPublicKey(sql) : sql`NULL::text`} AS "meterPublicKey", e.max_power_w AS "maxPowerW", ${placeColumn(sql, forRecords ? isPartners(sql) : sql`false`)} AS place, k.type AS "tokenType", (
      SELECT json_build_object('meterStartWh', b.meter_start_wh, 'meterStopWh', b.stop_wh)
      FROM (
        SELECT o.meter_start_wh, CASE WHEN NOT o.superseded THEN o.meter_stop_wh
          -- Of one whose stop is lost a reading replaces it, which may be of this very session.
          ELSE (
            SELECT y.energy_wh FROM meter y WHERE y.session_id = o.id AND y.at < s.started_at AND y.energy_wh IS NOT NULL
            ORDER BY y.at DESC LIMIT 1
          ) END AS stop_wh
        FROM session o
        WHERE o.charger_id = s.charger_id AND o.evse_id = s.evse_id AND o.connector_id = s.connector_id
          AND o.organisation_id = s.organisation_id AND o.started_at < s.started_at AND o.meter_stop_wh IS NOT NULL
        ORDER BY o.started_at DESC LIMIT 1
      ) b WHERE b.stop_wh IS NOT NULL
    ) AS before, ${occupancy(sql)} AS occupancy, s.clock_jumped AS "clockJumped", s.clock_ahead_ms AS "clockAheadMillis"
  FROM session s
  JOIN organisation org ON org.id = s.organisation_id
  ${withReview(sql)}
  LEFT JOIN session_tariff t ON t.session_id = s.id AND t.organisation_id = s.organisation_id
  LEFT JOIN tariff_version v ON v.tariff_id = t.tariff_id AND v.version = t.version
  ${withPlace(sql)}
  LEFT JOIN token k ON k.organisation_id = s.organisation_id AND k.uid_key = s.token_key
  WHERE ${which}`
