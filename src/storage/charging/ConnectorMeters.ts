/** What is stored about connectors' meters. Parts of `Ledgers` and `Tariffs`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ConnectorMeter } from "../../domain/session/ConnectorMeter.ts"
import { boolArray, int4Array, textArray, uuidArray } from "../kernel/Arrays.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** Stores the latest values; a connector's row changes only with its meter. Chargers that were removed meanwhile are skipped. */
export const putMeters = (sql: SqlClient.SqlClient, meters: ReadonlyArray<ConnectorMeter>) => sql`
  INSERT INTO connector_meter AS m (charger_id, evse_id, connector_id, organisation_id, step_wh, reports_power)
  SELECT DISTINCT ON (x.charger_id, x.evse_id, x.connector_id) x.charger_id, x.evse_id, x.connector_id, x.organisation_id, x.step_wh, x.reports_power
  FROM unnest(${textArray(meters.map((one) => one.chargerId))}, ${int4Array(meters.map((one) => one.evseId))},
    ${int4Array(meters.map((one) => one.connectorId))}, ${uuidArray(meters.map((one) => one.organisationId))},
    ${int4Array(meters.map((one) => one.stepWh))}, ${boolArray(meters.map((one) => one.reportsPower))})
    WITH ORDINALITY AS x(charger_id, evse_id, connector_id, organisation_id, step_wh, reports_power, place)
  JOIN charger c ON c.charger_id = x.charger_id AND c.organisation_id = x.organisation_id
  ORDER BY x.charger_id, x.evse_id, x.connector_id, x.place DESC
  ON CONFLICT (charger_id, evse_id, connector_id) DO UPDATE
    SET organisation_id = excluded.organisation_id, step_wh = excluded.step_wh, reports_power = excluded.reports_power
  WHERE (m.organisation_id, m.step_wh, m.reports_power)
    IS DISTINCT FROM (excluded.organisation_id, excluded.step_wh, excluded.reports_power)`

const coarseRows = rowsOf(
  Schema.Struct({
    chargerId: Schema.String,
    evseId: Schema.Int,
    connectorId: Schema.Int,
    stepWh: Schema.Int,
    standbyPowerW: Schema.Int
  })
)

/** How many meters are shown for one tariff; they are usually of a few makes. */
const shownMost = 20

const isFor = (own: Scoped, tariffId: string) => own`
  EXISTS (
    SELECT 1 FROM tariff_assignment a
    WHERE ${own.rowsOf("a")} AND a.tariff_id = ${tariffId} AND CASE a.scope
      WHEN 'organisation' THEN true
      WHEN 'site' THEN a.target = c.site_id::text
      WHEN 'charger' THEN a.target = c.charger_id
      ELSE a.target = c.charger_id AND a.evse_id = m.evse_id AND a.connector_id = m.connector_id END)`

/**
 * The meters that a tariff is assigned to which report no power and count in steps of at least an hour's standby consumption, the coarsest
 * first.
 */
export const coarseMeters = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.coarseMeters")((organisationId: string, tariffId: string) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      coarseRows(own`
        SELECT m.charger_id AS "chargerId", m.evse_id AS "evseId", m.connector_id AS "connectorId", m.step_wh AS "stepWh",
          o.standby_power_w AS "standbyPowerW"
        FROM connector_meter m JOIN charger c ON c.charger_id = m.charger_id JOIN organisation o ON o.id = m.organisation_id
        WHERE ${own.rowsOf("m")} AND ${own.rowsOf("c")} AND NOT m.reports_power AND m.step_wh > 1 AND m.step_wh >= o.standby_power_w
          AND ${isFor(own, tariffId)}
        ORDER BY m.step_wh DESC, m.charger_id, m.evse_id, m.connector_id LIMIT ${shownMost}`)
    )
  })
