/**
 * Partners that have set a charging profile for a session hear of it when somebody else changes what the session may draw (OCPI 2.2.1 §14.2.2): the
 * change makes it due in its own transaction. One word stands for any number of changes, since what is told is what stands when it is told.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE partner_callback DROP CONSTRAINT partner_callback_about_check`,
  `ALTER TABLE partner_callback ADD CONSTRAINT partner_callback_about_check
    CHECK (about IN ('Result', 'ReservationCancelled', 'ProfileChanged'))`,
  `CREATE FUNCTION partner_profile_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_evse int := coalesce((NEW.command #>> '{place,evseId}')::int, 0);
BEGIN
  INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
  SELECT DISTINCT ON (e.partner_id, e.session_id) e.command_id, 'ProfileChanged', e.organisation_id, NEW.completed_at, NEW.completed_at
  FROM session s
  JOIN partner_errand e ON e.session_id = s.id AND e.organisation_id = s.organisation_id AND e.kind = 'SetProfile'
  JOIN command m ON m.id = e.command_id AND m.status = 'Accepted'
  WHERE s.charger_id = NEW.charger_id AND s.organisation_id = NEW.organisation_id AND s.ended_at IS NULL AND s.status = 'ACTIVE'
    AND (v_evse = 0 OR v_evse = s.evse_id) AND NEW.issued_by <> 'partner:' || e.partner_id
  ORDER BY e.partner_id, e.session_id, e.command_id DESC
  ON CONFLICT (command_id, about) DO UPDATE SET state = 'Open', due_at = excluded.due_at, tries = 0, problem = NULL, done_at = NULL;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER command_changes_profiles AFTER UPDATE OF status ON command FOR EACH ROW
    WHEN (NEW.status = 'Accepted' AND OLD.status <> 'Accepted' AND NEW.type IN ('SetChargingProfile', 'ClearChargingProfile'))
    EXECUTE FUNCTION partner_profile_changed()`
]

export const activeProfiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
