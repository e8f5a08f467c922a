/**
 * A partner that registers anew is read on where it was: sessions that ended and records that were issued while it could not be told are told then. Only at
 * its first registration there is nothing before it that concerns it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE OR REPLACE FUNCTION partner_subscribed() RETURNS trigger LANGUAGE plpgsql AS $function$
  DECLARE
    v_registered boolean := NEW.status = 'Registered';
    v_new boolean := v_registered AND (TG_OP = 'INSERT' OR OLD.status <> 'Registered');
    v_other boolean := v_registered AND NOT v_new
      AND NEW.connection ->> 'version' IS DISTINCT FROM OLD.connection ->> 'version';
  BEGIN
    INSERT INTO subscription (id, organisation_id, kind, active, position)
    VALUES (NEW.id, NEW.organisation_id, 'partner', false, 0) ON CONFLICT (id) DO NOTHING;
    UPDATE subscription SET active = v_registered AND NOT NEW.suspended, failures = 0, opened_at = NULL, not_before = NULL,
      needs_all = needs_all OR v_new OR v_other,
      -- 0 until it is registered for the first time.
      position = CASE WHEN v_new AND position = 0 THEN (SELECT coalesce(max(j.position), 0) FROM journal j) ELSE position END
    WHERE id = NEW.id;
    -- Whoever registers may have lost all that he was told, or reads it in other words now. Records that were taken stay taken.
    IF v_new OR v_other THEN
      UPDATE subscription_object SET hash = NULL WHERE subscription_id = NEW.id AND kind <> 'cdr' AND hash IS NOT NULL;
    END IF;
    RETURN NULL;
  END
  $function$`
]

export const readOn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
