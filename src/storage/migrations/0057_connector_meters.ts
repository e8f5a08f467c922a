/**
 * In which steps the meters behind connectors count, as their sessions showed: one row for each connector, and none before its first session with
 * readings. It goes with its charger.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE connector_meter (
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    organisation_id uuid NOT NULL,
    step_wh integer NOT NULL,
    tells_power boolean NOT NULL,
    PRIMARY KEY (charger_id, evse_id, connector_id)
  )`,
  // Those that an operator is warned of; most meters are none of them.
  `CREATE INDEX connector_meter_coarse ON connector_meter (organisation_id, step_wh) WHERE NOT tells_power AND step_wh > 1`
]

export const connectorMeters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
