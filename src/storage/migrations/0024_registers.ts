/**
 * A start's register that only the stop's own readings told: it stands in place of the start's, and the session is no longer held for want of
 * it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE FUNCTION session_start_told() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE session SET meter_start_wh = (NEW.body ->> 'meterStartWh')::bigint
    WHERE id = (NEW.body ->> 'sessionId')::uuid AND organisation_id = NEW.organisation_id;
    DELETE FROM session_review
    WHERE session_id = (NEW.body ->> 'sessionId')::uuid AND held_reason = 'MeterStartMissing' AND released_at IS NULL AND revision = 0;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER journal_start_told AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type = 'SessionEnded' AND NEW.body ->> 'meterStartWh' IS NOT NULL) EXECUTE FUNCTION session_start_told()`
]

export const registers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
