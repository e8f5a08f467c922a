/** Ids that knocked and are not registered. They belong to no organisation, and are gone when one registers them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements: ReadonlyArray<string> = [
  // The bounds are those of what is let in; they hold whatever the service does.
  `CREATE TABLE unknown_charger (
    charger_id text PRIMARY KEY CHECK (length(charger_id) <= 48),
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    attempts integer NOT NULL,
    remote_address text NOT NULL CHECK (length(remote_address) <= 64),
    subprotocols text[] NOT NULL CHECK (cardinality(subprotocols) <= 8)
  )`,
  `CREATE INDEX unknown_charger_last ON unknown_charger (last_seen, charger_id)`,
  `CREATE INDEX unknown_charger_first ON unknown_charger (first_seen, charger_id)`,
  `CREATE FUNCTION charger_is_known() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM unknown_charger WHERE charger_id = NEW.charger_id;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER charger_known AFTER INSERT ON charger FOR EACH ROW EXECUTE FUNCTION charger_is_known()`
]

export const unknownChargers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
