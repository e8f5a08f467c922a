/** The port `Places` over SQL. A location is a site, EVSEs have their own uids, and a connector's id is its number. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type PlaceWanted, Places } from "../../domain/site/Evses.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { ConnectorStatus } from "../charging/ChargerRows.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const PlaceRow = Schema.Struct({
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  status: ConnectorStatus,
  connected: Schema.Boolean
})
const placeRows = rowsOf(PlaceRow)

/** How many connectors of one location are searched for a free one: more than any car park has. */
const placesMax = 1_000

export const layer: Layer.Layer<Places, never, SqlClient.SqlClient> = Layer.effect(
  Places,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Places.of({
      connectors: Effect.fn("Places.connectors")((organisationId: string, wanted: PlaceWanted) => {
        const own = scopedTo(sql, organisationId)
        const { connectorId, evseUid, locationId } = wanted
        if (!isUuid(locationId) || (evseUid !== undefined && !isUuid(evseUid))) return Effect.succeed([])
        return guarded(
          placeRows(own`
            SELECT e.charger_id AS "chargerId", e.site_id AS "siteId", k.evse_id AS "evseId", k.connector_id AS "connectorId", k.status,
              EXISTS (SELECT 1 FROM connection n WHERE n.charger_id = e.charger_id AND n.closed_at IS NULL) AS connected
            FROM evse e
            JOIN charger c ON c.charger_id = e.charger_id AND c.organisation_id = e.organisation_id AND c.site_id = e.site_id
            JOIN connector k ON k.charger_id = e.charger_id AND k.evse_id = e.evse_id
            WHERE ${own.rowsOf("e")} AND e.site_id = ${locationId} AND e.removed_at IS NULL
              ${evseUid === undefined ? sql`` : sql`AND e.uid = ${evseUid}`}
              ${connectorId === undefined ? sql`` : sql`AND k.connector_id::text = ${connectorId}`}
            ORDER BY e.charger_id, k.evse_id, k.connector_id LIMIT ${placesMax}::int`)
        )
      })
    })
  )
)
