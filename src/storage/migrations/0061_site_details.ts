/**
 * What operators tell of sites, evses and connectors beside what they must. It is kept as the domain has it, and nothing is kept where nothing was told.
 * A location may be hidden from versions of OCPI that cannot say for whom it is.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE site ADD COLUMN details jsonb`,
  `ALTER TABLE charger_equipment ADD COLUMN terms_and_conditions text`,
  `CREATE TABLE charger_evse (
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    evse_id integer NOT NULL,
    details jsonb NOT NULL,
    PRIMARY KEY (charger_id, evse_id)
  )`,
  `CREATE TRIGGER charger_evse_location AFTER INSERT OR UPDATE OR DELETE ON charger_evse
    FOR EACH ROW EXECUTE FUNCTION location_mark_charger()`,
  // Formats in which it is not shown. Most are hidden nowhere, and lists ask of their organisation whether any is.
  `ALTER TABLE location ADD COLUMN hidden_in text[] NOT NULL DEFAULT '{}'`,
  `CREATE INDEX location_hidden ON location (organisation_id) WHERE hidden_in <> '{}'`
]

export const siteDetails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
