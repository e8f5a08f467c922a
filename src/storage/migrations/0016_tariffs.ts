/**
 * Tariffs in their versions, what each is for, and which one a session began under. The last is found by a trigger once for all starts of a
 * statement, in the transaction that stores them: a tariff that is changed in the next moment does not change their price.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `CREATE TABLE tariff (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id),
    version integer NOT NULL,
    body jsonb NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX tariff_organisation ON tariff (organisation_id, id)`,
  // Kept when the tariff goes: sessions and records are explained by them.
  `CREATE TABLE tariff_version (
    tariff_id uuid NOT NULL,
    version integer NOT NULL,
    organisation_id uuid NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tariff_id, version)
  )`,
  `CREATE TABLE tariff_assignment (
    organisation_id uuid NOT NULL,
    scope text NOT NULL CHECK (scope IN ('organisation', 'site', 'charger', 'connector')),
    -- '' for the organisation, otherwise the id of the site or charger; with evse and connector for a connector.
    target text NOT NULL,
    evse_id integer NOT NULL DEFAULT 0,
    connector_id integer NOT NULL DEFAULT 0,
    tariff_id uuid NOT NULL REFERENCES tariff (id),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, scope, target, evse_id, connector_id)
  )`,
  `CREATE INDEX tariff_assignment_tariff ON tariff_assignment (tariff_id)`,
  `CREATE TABLE session_tariff (
    session_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    tariff_id uuid NOT NULL,
    version integer NOT NULL
  )`
]

const choose = `
CREATE FUNCTION session_tariff_choose() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version)
  SELECT s.id, s.organisation_id, t.id, t.version
  FROM started s
  CROSS JOIN LATERAL (
    SELECT t.id, t.version FROM tariff_assignment a JOIN tariff t ON t.id = a.tariff_id
    WHERE a.organisation_id = s.organisation_id AND (
        (a.scope = 'connector' AND a.target = s.charger_id AND a.evse_id = s.evse_id AND a.connector_id = s.connector_id)
        OR (a.scope = 'charger' AND a.target = s.charger_id) OR (a.scope = 'site' AND a.target = s.site_id::text)
        OR (a.scope = 'organisation' AND a.target = ''))
      AND (t.starts_at IS NULL OR t.starts_at <= s.started_at) AND (t.ends_at IS NULL OR t.ends_at > s.started_at)
    ORDER BY CASE a.scope WHEN 'connector' THEN 1 WHEN 'charger' THEN 2 WHEN 'site' THEN 3 ELSE 4 END
    LIMIT 1
  ) t
  ON CONFLICT (session_id) DO NOTHING;
  RETURN NULL;
END
$function$`

const forget = `
CREATE FUNCTION tariff_assignment_forget() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_TABLE_NAME = 'site' THEN DELETE FROM tariff_assignment WHERE scope = 'site' AND target = OLD.id::text AND organisation_id = OLD.organisation_id;
  ELSE DELETE FROM tariff_assignment WHERE scope IN ('charger', 'connector') AND target = OLD.charger_id AND organisation_id = OLD.organisation_id;
  END IF;
  RETURN NULL;
END
$function$`

const triggers = [
  `CREATE TRIGGER session_tariff_chosen AFTER INSERT ON session REFERENCING NEW TABLE AS started
    FOR EACH STATEMENT EXECUTE FUNCTION session_tariff_choose()`,
  `CREATE TRIGGER site_tariff_forgotten AFTER DELETE ON site FOR EACH ROW EXECUTE FUNCTION tariff_assignment_forget()`,
  `CREATE TRIGGER charger_tariff_forgotten AFTER DELETE ON charger FOR EACH ROW EXECUTE FUNCTION tariff_assignment_forget()`
]

export const tariffs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, choose, forget, ...triggers]) yield* sql.unsafe(statement)
})
