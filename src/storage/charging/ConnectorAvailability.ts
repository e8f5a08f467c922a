/**
 * The availability of all connectors of an organisation, a site or a charger over time, summed up over groups of connectors. Part of
 * `ChargerHistory`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Presence } from "../../domain/charger/Presence.ts"
import {
  addAvailability,
  availabilityOf,
  maxSeriesChanges,
  maxSeriesConnectors,
  noAvailability,
  type SeriesRange,
  type SeriesScope
} from "../../domain/charger/Series.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { historiesOf } from "./ConnectorHistories.ts"

/** How many connectors one statement reads. The embedded database runs one statement at a time, so a long one delays all others. */
const connectorsPerStatement = 200

const connectorRows = rowsOf(Schema.Struct({ chargerId: Schema.String, evseId: Schema.Int, connectorId: Schema.Int }))

const refused = (pointer: string, detail: string) => new InvalidInput({ pointer, detail })

/** Refuses a request for too many connectors or changes: a series of only some of them would be wrong without anyone noticing. */
export const availability = (
  sql: SqlClient.SqlClient,
  presence: Presence["Service"],
  most = { connectors: maxSeriesConnectors, changes: maxSeriesChanges }
) =>
  Effect.fn("ChargerHistory.availability")(function* (
    organisationId: string,
    { chargerId, siteId, ...range }: SeriesRange & SeriesScope,
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const connectors = yield* guarded(
      connectorRows(own`
        SELECT c.charger_id AS "chargerId", k.evse_id AS "evseId", k.connector_id AS "connectorId"
        FROM charger c JOIN connector k ON k.charger_id = c.charger_id
        WHERE ${own.rowsOf("c")} AND k.evse_id > 0
          ${siteId === undefined ? sql`` : sql`AND c.site_id = ${siteId}`}
          ${chargerId === undefined ? sql`` : sql`AND c.charger_id = ${chargerId}`}
        ORDER BY c.charger_id LIMIT ${most.connectors + 1}`)
    )
    if (connectors.length > most.connectors) {
      return yield* refused("/siteId", `is required: there are more than ${most.connectors} connectors`)
    }
    const sums = noAvailability(range, now)
    let left = most.changes
    for (let i = 0; i < connectors.length; i += connectorsPerStatement) {
      const asked = connectors.slice(i, i + connectorsPerStatement).map((one) => ({ ...one, span: range }))
      const { histories, rows } = yield* guarded(historiesOf(sql, presence, own, asked, now, left + 1))
      left -= rows
      if (left < 0) {
        const detail = `begins a range with more than ${most.changes} changes: choose a shorter range, or one site`
        return yield* refused("/from", detail)
      }
      for (const history of histories) addAvailability(sums, history, range, now)
    }
    return availabilityOf(sums, range)
  })
