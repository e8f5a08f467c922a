/**
 * The port `ChargerHistory` over the history tables of `schema/chargers.sql`: pages of statuses, of connections and of counted transactions. Uptime is in
 * `ConnectorUptime`, and its series in `ConnectorAvailability`.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  ChargerHistory,
  type PastConnection,
  type PastStatus,
  type TimeFilter
} from "../../domain/charger/ChargerHistory.ts"
import type { NegligibleTransactions } from "../../domain/charger/Fact.ts"
import { Presence } from "../../domain/charger/Presence.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { ConnectorStatus } from "./ChargerRows.ts"
import { asRemembered, leftOpen } from "./ConnectionEnds.ts"
import { availability } from "./ConnectorAvailability.ts"
import { uptime } from "./ConnectorUptime.ts"
import { StoredNegligible } from "./Provisional.ts"
import { LongKey, pagedList, TimeKey } from "../kernel/Cursor.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const text = optional(Schema.String)

const StatusRow = Schema.Struct({
  evseId: Schema.Int,
  connectorId: Schema.Int,
  at: Millis,
  heardAt: Millis,
  tie: Schema.BigInt,
  status: ConnectorStatus,
  errorCode: text,
  info: text,
  vendorId: text,
  vendorErrorCode: text
})

const ConnectionRow = Schema.Struct({
  connectedAt: Millis,
  epoch: Schema.BigInt,
  disconnectedAt: optional(Millis),
  reason: text,
  ocppVersion: Schema.String,
  securityProfile: Schema.Int,
  remoteAddress: Schema.String
})

const countedRows = rowsOf(StoredNegligible)
const statusRows = rowsOf(StatusRow)
const connectionRows = rowsOf(ConnectionRow)

const statusPages = pagedList(
  "history/connectors",
  Schema.Tuple([TimeKey, TimeKey, LongKey]),
  (row: typeof StatusRow.Type) => [row.at, row.heardAt, String(row.tie)] as const
)

const connectionPages = pagedList(
  "history/connections",
  Schema.Tuple([TimeKey, LongKey]),
  (row: typeof ConnectionRow.Type) => [row.connectedAt, String(row.epoch)] as const
)

const countedPages = pagedList("history/counted-transactions", TimeKey, ({ day }: NegligibleTransactions) => day)

/**
 * The newest statuses of each of the charger's connectors are read from the history's only index, and then merged. A second index by
 * charger alone would save the merge, but would make every write of a status slower.
 */
const connectors = (sql: SqlClient.SqlClient) =>
  Effect.fn("ChargerHistory.connectors")(function* (
    organisationId: string,
    chargerId: string,
    request: PageRequest &
      TimeFilter & { readonly evseId?: number | undefined; readonly connectorId?: number | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* statusPages.after(request)
    const { connectorId, evseId, from, to } = request
    return yield* guarded(
      statusPages.read(sql, request, {
        statement: own`
        SELECT h.evse_id AS "evseId", h.connector_id AS "connectorId", h.from_at AS at, h.heard_at AS "heardAt", h.tie, h.status,
          h.error_code AS "errorCode", h.info, h.vendor_id AS "vendorId", h.vendor_error_code AS "vendorErrorCode"
        FROM connector k CROSS JOIN LATERAL (
          SELECT * FROM connector_history p
          WHERE ${own.rowsOf("p")}
            AND p.charger_id = k.charger_id AND p.evse_id = k.evse_id AND p.connector_id = k.connector_id
            ${from === undefined ? sql`` : sql`AND p.from_at >= ${new Date(from)}`}
            ${to === undefined ? sql`` : sql`AND p.from_at < ${new Date(to)}`}
            ${
              after === undefined
                ? sql``
                : sql`AND (p.from_at, p.heard_at, p.tie) < (${new Date(after[0])}, ${new Date(after[1])}, ${after[2]}::text::bigint)`
            }
          ORDER BY p.from_at DESC, p.heard_at DESC, p.tie DESC LIMIT ${statusPages.rows(request)}
        ) h
        WHERE k.charger_id = ${chargerId}
          ${evseId === undefined ? sql`` : sql`AND k.evse_id = ${evseId}`}
          ${connectorId === undefined ? sql`` : sql`AND k.connector_id = ${connectorId}`}
        ORDER BY h.from_at DESC, h.heard_at DESC, h.tie DESC LIMIT ${statusPages.rows(request)}`,
        rows: statusRows,
        item: ({ tie: _, ...row }): PastStatus => row
      })
    )
  })

const connections = (sql: SqlClient.SqlClient, presence: Presence["Service"]) =>
  Effect.fn("ChargerHistory.connections")(function* (
    organisationId: string,
    chargerId: string,
    request: PageRequest & TimeFilter
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* connectionPages.after(request)
    const { from, to } = request
    return yield* guarded(
      connectionPages.read(sql, request, {
        statement: own`
        SELECT h.connected_at AS "connectedAt", h.epoch, coalesce(h.disconnected_at, e.at) AS "disconnectedAt",
          CASE WHEN h.disconnected_at IS NULL THEN e.reason ELSE h.reason END AS reason, h.ocpp_version AS "ocppVersion",
          h.security_profile AS "securityProfile", h.remote_address AS "remoteAddress"
        FROM connection_history h ${leftOpen(sql)}
        WHERE ${own.rowsOf("h")} AND h.charger_id = ${chargerId}
          ${from === undefined ? sql`` : sql`AND h.connected_at >= ${new Date(from)}`}
          ${to === undefined ? sql`` : sql`AND h.connected_at < ${new Date(to)}`}
          ${after === undefined ? sql`` : sql`AND (h.connected_at, h.epoch) < (${new Date(after[0])}, ${after[1]}::text::bigint)`}
        ORDER BY h.connected_at DESC, h.epoch DESC LIMIT ${connectionPages.rows(request)}`,
        rows: connectionRows,
        item: (row): PastConnection => {
          const { epoch: _, ...connection } = asRemembered(presence, chargerId, row)
          return connection
        }
      })
    )
  })

const countedDays = (sql: SqlClient.SqlClient) =>
  Effect.fn("ChargerHistory.countedDays")(function* (organisationId: string, chargerId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* countedPages.after(request)
    return yield* guarded(
      countedPages.read(sql, request, {
        statement: own`
        SELECT (extract(epoch FROM n.day) * 1000)::float8 AS day, n.transactions::float8, n.energy_wh::float8 AS "energyWh",
          (extract(epoch FROM n.first_at) * 1000)::float8 AS "firstAt", (extract(epoch FROM n.last_at) * 1000)::float8 AS "lastAt"
        FROM negligible_transactions n
        WHERE ${own.rowsOf("n")} AND n.charger_id = ${chargerId} ${after === undefined ? sql`` : sql`AND n.day < (${new Date(after)}::timestamptz AT TIME ZONE 'UTC')::date`}
        ORDER BY n.day DESC LIMIT ${countedPages.rows(request)}`,
        rows: countedRows,
        item: (row): NegligibleTransactions => row
      })
    )
  })

export const layer: Layer.Layer<ChargerHistory, never, Presence | SqlClient.SqlClient> = Layer.effect(
  ChargerHistory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const presence = yield* Presence
    return ChargerHistory.of({
      connectors: connectors(sql),
      connections: connections(sql, presence),
      countedDays: countedDays(sql),
      uptime: uptime(sql, presence),
      availability: availability(sql, presence)
    })
  })
)
