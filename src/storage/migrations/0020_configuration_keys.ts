/**
 * Single configuration keys that a charger told or took, laid over what it told as a whole. One that has told nothing yet gets no row of a
 * few keys: it would look as if it had told all it has.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const learn = `
CREATE FUNCTION configuration_learn() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_keys jsonb := (NEW.body -> 'keys')::jsonb;
  v_gone jsonb := (NEW.body -> 'gone')::jsonb;
BEGIN
  UPDATE charger_configuration f SET reported_at = NEW.heard_at, keys = coalesce((
    SELECT jsonb_agg(merged.entry ORDER BY merged.place) FROM (
      -- The charger's own spelling of a key stays, and so does what it said of changing it.
      SELECT CASE WHEN told.e IS NULL THEN known.e ELSE (known.e - 'value') || (told.e - 'key') END AS entry, known.place
      FROM jsonb_array_elements(f.keys) WITH ORDINALITY AS known(e, place)
      LEFT JOIN LATERAL (
        SELECT t.e FROM jsonb_array_elements(v_keys) AS t(e) WHERE lower(t.e ->> 'key') = lower(known.e ->> 'key') LIMIT 1
      ) told ON true
      WHERE NOT EXISTS (SELECT 1 FROM jsonb_array_elements_text(v_gone) AS g(name) WHERE lower(g.name) = lower(known.e ->> 'key'))
      UNION ALL
      SELECT jsonb_build_object('readonly', false) || fresh.e, 1000000 + fresh.place
      FROM jsonb_array_elements(v_keys) WITH ORDINALITY AS fresh(e, place)
      WHERE NOT EXISTS (SELECT 1 FROM jsonb_array_elements(f.keys) AS k(e) WHERE lower(k.e ->> 'key') = lower(fresh.e ->> 'key'))
    ) merged
  ), '[]'::jsonb)
  FROM charger c
  WHERE c.charger_id = substring(NEW.subject from 9) AND c.organisation_id = NEW.organisation_id AND f.charger_id = c.charger_id;
  RETURN NULL;
END
$function$`

const statements = [
  learn,
  `CREATE TRIGGER journal_configuration AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type = 'ConfigurationKeysLearned') EXECUTE FUNCTION configuration_learn()`
]

export const configurationKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
