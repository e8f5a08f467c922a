/** Maintenance of the two stores that are partitioned by day, `meter` and `message`, in the database's own language. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const makeDays = `
CREATE FUNCTION make_day_partitions(p_from date, p_days int) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_parent text;
  v_day date;
  v_name text;
BEGIN
  -- Two nodes may do this at once; the second finds the tables made.
  PERFORM pg_advisory_xact_lock(7016996766);
  FOREACH v_parent IN ARRAY ARRAY['meter', 'message'] LOOP
    FOR v_day IN SELECT p_from + g FROM generate_series(-1, p_days) g LOOP
      v_name := v_parent || '_' || to_char(v_day, 'YYYYMMDD');
      IF to_regclass(v_name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING CONSTRAINTS)', v_name, v_parent);
        IF v_parent = 'message' THEN
          -- A partition's ids come from its parent when rows go through the parent, which they always do.
          EXECUTE format('ALTER TABLE %I ALTER COLUMN id DROP IDENTITY IF EXISTS', v_name);
        END IF;
        EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', v_parent || '_other');
        EXECUTE format('WITH moved AS (DELETE FROM %I WHERE at >= %L::timestamptz AND at < %L::timestamptz RETURNING *)
          INSERT INTO %I SELECT * FROM moved', v_parent || '_other', v_day::text || 'T00:00:00Z', (v_day + 1)::text || 'T00:00:00Z', v_name);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v_parent, v_name,
          v_day::text || 'T00:00:00Z', (v_day + 1)::text || 'T00:00:00Z');
      END IF;
    END LOOP;
  END LOOP;
END
$function$`

const dropDays = `
CREATE FUNCTION drop_day_partitions(p_before date) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_name text;
BEGIN
  PERFORM pg_advisory_xact_lock(7016996766);
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'message'::regclass AND c.relname ~ '^message_[0-9]{8}$' AND substring(c.relname from 9)::date < p_before
  LOOP
    EXECUTE format('DROP TABLE %I', v_name);
  END LOOP;
  -- What came on a day whose partition was never made is no younger for that.
  DELETE FROM message_other WHERE at < (p_before::text || 'T00:00:00Z')::timestamptz;
END
$function$`

export const partitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(makeDays)
  yield* sql.unsafe(dropDays)
})
