/**
 * Readings that name no transaction and came before the start that was queued behind them: they are the session's as if they had come after it,
 * also where they were taken for those of the session before. Looked for once, as the start is stored; of a start that comes as it happens there
 * are none.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Until the next start on the connector, and no longer than a session is believed to last.
  `CREATE FUNCTION session_take_early_readings() RETURNS trigger LANGUAGE plpgsql AS $function$
  DECLARE
    s record;
  BEGIN
    FOR s IN SELECT id, organisation_id, charger_id, evse_id, connector_id, started_at FROM started WHERE NOT reservation_only LOOP
      UPDATE meter m SET session_id = s.id
      WHERE m.charger_id = s.charger_id AND m.at >= s.started_at AND m.at < least(s.started_at + interval '60 days', (
          SELECT min(n.started_at) FROM session n
          WHERE n.charger_id = s.charger_id AND n.evse_id = s.evse_id AND n.connector_id = s.connector_id AND n.started_at > s.started_at
            AND NOT n.reservation_only))
        AND (m.session_id IS NULL OR EXISTS (
          SELECT 1 FROM session e WHERE e.id = m.session_id AND e.started_at < s.started_at AND (e.ended_at IS NULL OR e.ended_at < m.at)))
        AND m.organisation_id = s.organisation_id AND m.evse_id = s.evse_id AND m.connector_id = s.connector_id;
    END LOOP;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER session_early_readings AFTER INSERT ON session REFERENCING NEW TABLE AS started
    FOR EACH STATEMENT EXECUTE FUNCTION session_take_early_readings()`
]

export const earlyReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
