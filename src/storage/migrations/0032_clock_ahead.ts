/** By how much the clock of a session's charger is known to be ahead of ours, beside whether it jumped: prices that depend on the time of day do on it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** T28's five minutes. */
const tolerance = "interval '5 minutes'"

const statements = [
  `ALTER TABLE session ADD COLUMN clock_ahead_ms integer NOT NULL DEFAULT 0`,
  // Along the key from the first stop on, as before.
  `CREATE OR REPLACE FUNCTION session_doubt_clock() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $function$
  DECLARE
    v_id uuid := (NEW.body ->> 'sessionId')::uuid;
    v_organisation uuid;
    v_start interval;
    v_stop interval := NEW.at - NEW.heard_at;
    v_ahead interval;
    v_jumped boolean;
  BEGIN
    -- Messages wait and come late, so that a time long past tells nothing. One that is ahead is of a wrong clock; and if start and stop are not
    -- off by the same, its time passed otherwise than ours. A stop without a time of its own, heard from a charger that was away since the
    -- start, may have waited for days.
    -- By its key alone: a plan that was made while the table was small may take the index of another condition for good.
    SELECT s.organisation_id, s.started_at - s.created_at, NEW.body ->> 'untimed' = 'true' AND EXISTS (
        SELECT 1 FROM connection n WHERE n.charger_id = s.charger_id AND n.connected_at > s.created_at)
      INTO v_organisation, v_start, v_jumped FROM session s WHERE s.id = v_id;
    IF v_organisation IS DISTINCT FROM NEW.organisation_id THEN RETURN NULL; END IF;
    v_ahead := greatest(v_start, v_stop);
    IF v_ahead > ${tolerance} THEN v_jumped := v_jumped OR v_ahead - least(v_start, v_stop) > ${tolerance};
    ELSE v_ahead := interval '0';
    END IF;
    IF v_jumped OR v_ahead > interval '0' THEN
      UPDATE session SET clock_jumped = coalesce(v_jumped, false), clock_ahead_ms = extract(epoch FROM v_ahead) * 1000
      WHERE id = v_id;
    END IF;
    RETURN NULL;
  END
  $function$`,
  `ALTER FUNCTION session_take_early_readings() SET enable_seqscan = off`
]

export const clockAhead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
