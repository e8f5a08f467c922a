/**
 * Readings that came before the start which was queued behind them are looked for as before, yet only of starts whose charger has told any reading of that
 * time: of all starts of a commit by one question, where each was an update of its own of every day's readings. Hardly any has, and the updates
 * were a sixth of what a commit costs.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE OR REPLACE FUNCTION session_take_early_readings() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $function$
  DECLARE
    s record;
  BEGIN
    FOR s IN
      SELECT x.id, x.organisation_id, x.charger_id, x.evse_id, x.connector_id, x.started_at FROM started x
      CROSS JOIN LATERAL (SELECT 1 FROM meter m WHERE m.charger_id = x.charger_id AND m.at >= x.started_at LIMIT 1) e
      WHERE NOT x.reservation_only
    LOOP
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
  $function$`
]

export const fewEarlyReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
