/**
 * Changes of locations that no fact tells: those of time, of a node whose lease runs out or begins again, and of an upgrade. A mark says so of itself,
 * and whoever works it in records what has become of the location. Beside it, how told sessions and records that are long over are found.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE location_stale ADD COLUMN untold boolean NOT NULL DEFAULT false`,
  // The connections of a node whose lease had run out stand again.
  `CREATE OR REPLACE FUNCTION location_node_revived() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO location_stale (organisation_id, site_id, untold)
    SELECT DISTINCT c.organisation_id, c.site_id, true
    FROM connection n JOIN charger c ON c.charger_id = n.charger_id WHERE n.node_id = NEW.node_id AND n.closed_at IS NULL;
    RETURN NULL;
  END
  $function$`,
  `CREATE INDEX subscription_object_over ON subscription_object (due_at)
    WHERE next_at IS NULL AND parked_at IS NULL AND kind IN ('session', 'cdr')`
]

export const untold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
