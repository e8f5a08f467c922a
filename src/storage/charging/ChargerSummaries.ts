/**
 * Chargers with few columns, and counts of them by state: what tables and live views read about thousands of chargers at once. Part of
 * `Chargers`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  type OverallState,
  overallStates,
  type ChargerSummary,
  type FleetCounts,
  noChargers,
  statusRank,
  unreportedState
} from "../../domain/charger/ChargerRow.ts"
import { type FleetFilter, maxSummaries, type SummaryFilter } from "../../domain/charger/Chargers.ts"
import { presentPowerMillis } from "../../domain/charger/Power.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { mentions } from "../kernel/TextSearch.ts"
import { ConnectorStatus, isConnected } from "./ChargerRows.ts"
import { isClosed } from "./SessionRows.ts"

const text = optional(Schema.String)
const number = optional(Schema.Finite)

const place = { evseId: Schema.Int, connectorId: Schema.Int }

const SummaryRow = Schema.Struct({
  chargerId: Schema.String,
  name: Schema.String,
  siteId: Schema.String,
  siteName: Schema.String,
  manufacturer: Schema.String,
  model: Schema.String,
  firmwareVersion: Schema.String,
  ocppVersion: text,
  lastSeen: optional(Millis),
  epoch: number,
  connected: Schema.Boolean,
  connectors: optional(
    Schema.Array(
      Schema.Struct({ ...place, status: ConnectorStatus, errorCode: text, info: text, statusAt: Schema.Finite })
    )
  ),
  sessions: optional(
    Schema.Array(Schema.Struct({ ...place, sessionId: Schema.String, powerW: number, powerAt: number }))
  )
})

const summaryRows = rowsOf(SummaryRow)

const pages = pagedList("charger-rows", TextKey, (row: typeof SummaryRow.Type) => row.chargerId, maxSummaries)

/** EVSE 0 is the whole charger and not a connector. */
const summaryOf = ({ connectors = [], sessions = [], ...row }: typeof SummaryRow.Type): ChargerSummary => ({
  ...row,
  connectors: connectors.filter(({ evseId }) => evseId > 0),
  wholeStatus: connectors.find(({ evseId }) => evseId === 0)?.status,
  sessions
})

/** Whether a session `s` is running. */
const isRunning = (sql: SqlClient.SqlClient) => sql`s.ended_at IS NULL AND NOT ${isClosed(sql)}`

/** The tables that states and filters use: `charger c`, its `site t`, its newest connection `n` and the node `l` that holds it. */
const fleet = (sql: SqlClient.SqlClient) => sql`
  FROM charger c
  JOIN site t ON t.id = c.site_id
  LEFT JOIN connection n ON n.charger_id = c.charger_id
  LEFT JOIN node l ON l.node_id = n.node_id`

/** The state of a charger of `fleet`, by the domain's ranking of statuses: `overallStateOf` in SQL. */
const stateOf = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN n.charger_id IS NULL THEN ${"NeverConnected" satisfies OverallState}
    WHEN NOT ${isConnected(sql)} THEN ${"Offline" satisfies OverallState}
    ELSE coalesce((${textArray(statusRank)}::text[])[
      (SELECT min(array_position(${textArray(statusRank)}::text[], w.status)) FROM connector w WHERE w.charger_id = c.charger_id)
    ], ${unreportedState}) END`

/** The conditions of a filter on `fleet`; undefined if nothing can match. */
const conditions = (sql: SqlClient.SqlClient, filter: SummaryFilter) => {
  const { connected, firmwareVersion, siteId, states, text: searched } = filter
  if (siteId !== undefined && !isUuid(siteId)) return undefined
  if ([firmwareVersion, searched].some((one) => one !== undefined && unstorableText(one))) return undefined
  const columns = [sql`c.charger_id`, sql`c.name`, sql`t.name`, sql`(c.manufacturer || ' ' || c.model)`]
  return sql.and([
    sql`true`,
    ...(siteId === undefined ? [] : [sql`c.site_id = ${siteId}`]),
    ...(firmwareVersion === undefined ? [] : [sql`c.firmware_version = ${firmwareVersion}`]),
    ...(searched === undefined ? [] : [mentions(sql, columns, searched)]),
    ...(connected === undefined ? [] : [connected ? isConnected(sql) : sql`NOT ${isConnected(sql)}`]),
    ...(states === undefined ? [] : [sql`${stateOf(sql)} = ANY (${textArray(states)})`])
  ])
}

/** The ids of all chargers that match a filter; undefined if nothing can match. */
export const chargersThatFit = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  filter: SummaryFilter
): Statement.Fragment | undefined => {
  const fits = conditions(sql, filter)
  return fits === undefined ? undefined : own`SELECT c.charger_id ${fleet(sql)} WHERE ${own.rowsOf("c")} AND ${fits}`
}

const selectSummaries = (sql: SqlClient.SqlClient, own: Scoped) => own`
  SELECT c.charger_id AS "chargerId", c.name, c.site_id AS "siteId", t.name AS "siteName", c.manufacturer, c.model,
    c.firmware_version AS "firmwareVersion", c.ocpp_version AS "ocppVersion", n.epoch::float8 AS epoch, ${isConnected(sql)} AS connected,
    (SELECT h.last_seen FROM charger_seen h WHERE h.charger_id = c.charger_id) AS "lastSeen",
    (SELECT jsonb_agg(jsonb_build_object('evseId', k.evse_id, 'connectorId', k.connector_id, 'status', k.status, 'errorCode', k.error_code,
        'info', k.info, 'statusAt', trunc(extract(epoch FROM k.status_at) * 1000)) ORDER BY k.evse_id, k.connector_id)
      FROM connector k WHERE k.charger_id = c.charger_id) AS connectors,
    (SELECT jsonb_agg(jsonb_build_object('sessionId', s.id, 'evseId', s.evse_id, 'connectorId', s.connector_id, 'powerW', s.power_w,
        'powerAt', trunc(extract(epoch FROM s.power_at) * 1000)) ORDER BY s.id DESC)
      FROM session s WHERE ${own.rowsOf("s")} AND s.charger_id = c.charger_id AND ${isRunning(sql)}) AS sessions`

export const summaries = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.summaries")(function* (organisationId: string, request: PageRequest & SummaryFilter) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const filter = conditions(sql, request)
    if (filter === undefined) return { items: [], nextCursor: null }
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        ${selectSummaries(sql, own)} ${fleet(sql)}
        WHERE ${own.rowsOf("c")} AND ${filter} ${after === undefined ? sql`` : sql`AND c.charger_id > ${after}`}
        ORDER BY c.charger_id LIMIT ${pages.rows(request)}`,
        rows: summaryRows,
        item: summaryOf
      })
    )
  })

/** A row with a state has a number of chargers; a row without one has the power of a site's sessions. */
const countRows = rowsOf(
  Schema.Struct({
    siteId: text,
    state: optional(Schema.Literals(overallStates)),
    count: Schema.Int,
    powerW: Schema.Finite
  })
)

/** The numbers of chargers that match `filter`, grouped by `group`. */
const counted = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  {
    filter,
    group,
    now
  }: { readonly filter: Statement.Fragment; readonly group: Statement.Fragment; readonly now: number }
) =>
  Effect.map(
    guarded(
      countRows(own`
      SELECT f.site AS "siteId", f.state, count(*)::int AS count, 0::float8 AS "powerW"
      FROM (SELECT ${group} AS site, ${stateOf(sql)} AS state ${fleet(sql)} WHERE ${own.rowsOf("c")} AND ${filter}) f
      GROUP BY f.site, f.state
      UNION ALL
      SELECT p.site, NULL, 0, sum(p.power_w)::float8
      FROM (
        SELECT ${group} AS site, s.power_w ${fleet(sql)}
        JOIN session s ON s.charger_id = c.charger_id AND ${own.rowsOf("s")} AND ${isRunning(sql)}
          AND s.power_at > ${new Date(now - presentPowerMillis)}
        WHERE ${own.rowsOf("c")} AND ${filter} AND ${isConnected(sql)}
      ) p
      GROUP BY p.site`)
    ),
    (rows) => {
      const sites = new Map<string | undefined, FleetCounts>()
      for (const { count, powerW, siteId, state } of rows) {
        const { byState, powerW: before } = sites.get(siteId) ?? noChargers
        const states = state === undefined ? byState : { ...byState, [state]: count }
        sites.set(siteId, { byState: states, powerW: before + powerW })
      }
      return sites
    }
  )

export const counts = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.counts")(function* (organisationId: string, wanted: FleetFilter, now: number) {
    const filter = conditions(sql, wanted)
    if (filter === undefined) return noChargers
    const found = yield* counted(sql, scopedTo(sql, organisationId), { filter, group: sql`NULL::text`, now })
    return found.get(undefined) ?? noChargers
  })

export const countsOfSites = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.countsOfSites")(function* (organisationId: string, siteIds: ReadonlyArray<string>, now: number) {
    const ids = siteIds.filter(isUuid)
    if (ids.length === 0) return new Map<string, FleetCounts>()
    const filter = sql`c.site_id = ANY (${uuidArray(ids)})`
    const found = yield* counted(sql, scopedTo(sql, organisationId), { filter, group: sql`c.site_id::text`, now })
    return new Map([...found].flatMap(([siteId, one]) => (siteId === undefined ? [] : [[siteId, one] as const])))
  })
