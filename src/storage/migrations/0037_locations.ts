/**
 * Locations as partners see them: a projection of sites, chargers, connectors and assignments, kept ready to be sent. Whatever changes one of
 * those marks its site in the same transaction; who reads a location brings the marked ones up to date first. Evses have names of their
 * own, given when a connector is first reported, as the charger's identity is nobody else's business.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  // No foreign keys to site and charger: what was shown to partners is told to be gone, and never forgotten.
  `CREATE TABLE evse (
    uid uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
    site_id uuid NOT NULL,
    charger_id text NOT NULL,
    evse_id integer NOT NULL,
    -- Of the organisation's evses; one that moves to another site is another evse there, of the same number.
    number integer NOT NULL,
    -- ISO 15118: NL*ABC*E000001.
    public_id text NOT NULL,
    created_at timestamptz NOT NULL,
    removed_at timestamptz,
    UNIQUE (organisation_id, charger_id, evse_id, site_id)
  )`,
  `CREATE INDEX evse_site ON evse (site_id)`,
  `CREATE INDEX evse_number ON evse (organisation_id, number)`,
  `CREATE TABLE location (
    -- Of the site.
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
    -- 1 and up without a gap in the order of creation: a page is found by it wherever it is.
    ordinal integer NOT NULL,
    body jsonb NOT NULL,
    last_updated timestamptz NOT NULL,
    -- When it changes by time alone: a tariff that begins or ends, an evse that has been gone for long enough.
    due_at timestamptz,
    looked_at timestamptz NOT NULL
  )`,
  `CREATE INDEX location_order ON location (organisation_id, ordinal)`,
  `CREATE INDEX location_changed ON location (organisation_id, last_updated, ordinal)`,
  `CREATE INDEX location_due ON location (due_at) WHERE due_at IS NOT NULL`,
  // As they are sent, in each of the formats; what is written once is read by every partner.
  `CREATE TABLE location_text (
    format text NOT NULL,
    location_id uuid NOT NULL REFERENCES location (id) ON DELETE CASCADE,
    text text NOT NULL,
    PRIMARY KEY (format, location_id)
  )`,
  `CREATE INDEX location_text_location ON location_text (location_id)`,
  `ALTER TABLE location_text ALTER COLUMN text SET STORAGE EXTERNAL`,
  // One row for each mark, so that who marks never waits for who looks.
  `CREATE TABLE location_stale (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id uuid NOT NULL,
    site_id uuid NOT NULL
  )`,
  `CREATE INDEX location_stale_organisation ON location_stale (organisation_id, site_id)`
]

/** Names the evses of reported connectors that have none at the site where their charger stands. Writers hold the journal's lock. */
const nameEvses = `
CREATE FUNCTION evse_name(p_chargers text[]) RETURNS void LANGUAGE sql AS $function$
  INSERT INTO evse AS e (uid, organisation_id, site_id, charger_id, evse_id, number, public_id, created_at)
  SELECT gen_random_uuid(), n.organisation_id, n.site_id, n.charger_id, n.evse_id, n.number,
    upper(p.country_code) || '*' || upper(p.party_id) || '*E' || lpad(n.number::text, greatest(6, length(n.number::text)), '0'), now()
  FROM (
    SELECT w.*, coalesce(w.former, w.highest + (row_number() OVER (PARTITION BY w.organisation_id, w.former IS NULL
      ORDER BY w.charger_id, w.evse_id))::int) AS number
    FROM (
      SELECT DISTINCT c.organisation_id, c.site_id, c.charger_id, k.evse_id,
        (SELECT f.number FROM evse f WHERE f.organisation_id = c.organisation_id AND f.charger_id = c.charger_id AND f.evse_id = k.evse_id
          LIMIT 1) AS former,
        coalesce((SELECT max(m.number) FROM evse m WHERE m.organisation_id = c.organisation_id), 0) AS highest
      FROM charger c JOIN connector k ON k.charger_id = c.charger_id
      WHERE c.charger_id = ANY (p_chargers) AND k.evse_id > 0
    ) w
  ) n
  JOIN site s ON s.id = n.site_id
  JOIN party p ON p.id = coalesce(s.party_id, (SELECT d.id FROM party d WHERE d.organisation_id = n.organisation_id AND d.is_default))
  -- What was there before, and was taken away, is the same again.
  ON CONFLICT (organisation_id, charger_id, evse_id, site_id) DO UPDATE SET removed_at = NULL WHERE e.removed_at IS NOT NULL
$function$`

const functions = [
  nameEvses,
  `CREATE FUNCTION location_mark_connectors() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      PERFORM evse_name(array_agg(DISTINCT k.charger_id)) FROM changed k;
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT DISTINCT c.organisation_id, c.site_id FROM changed k JOIN charger c ON c.charger_id = k.charger_id;
    ELSE
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT DISTINCT c.organisation_id, c.site_id
      FROM changed k
      JOIN former f ON f.charger_id = k.charger_id AND f.evse_id = k.evse_id AND f.connector_id = k.connector_id
      JOIN charger c ON c.charger_id = k.charger_id
      WHERE k.status <> f.status;
    END IF;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_mark_connections() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT DISTINCT c.organisation_id, c.site_id FROM changed n JOIN charger c ON c.charger_id = n.charger_id;
    ELSE
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT DISTINCT c.organisation_id, c.site_id
      FROM changed n JOIN former f ON f.charger_id = n.charger_id JOIN charger c ON c.charger_id = n.charger_id
      WHERE (n.closed_at IS NULL) <> (f.closed_at IS NULL) OR n.node_id <> f.node_id;
    END IF;
    RETURN NULL;
  END
  $function$`,
  // What belongs to a charger, by a column charger_id.
  `CREATE FUNCTION location_mark_charger() RETURNS trigger LANGUAGE plpgsql AS $function$
  DECLARE
    v_charger text;
  BEGIN
    IF TG_OP = 'DELETE' THEN v_charger := OLD.charger_id; ELSE v_charger := NEW.charger_id; END IF;
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT c.organisation_id, c.site_id FROM charger c WHERE c.charger_id = v_charger;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_charger_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'DELETE' OR OLD.site_id <> NEW.site_id THEN
      UPDATE evse SET removed_at = now()
      WHERE organisation_id = OLD.organisation_id AND charger_id = OLD.charger_id AND site_id = OLD.site_id AND removed_at IS NULL;
      INSERT INTO location_stale (organisation_id, site_id) VALUES (OLD.organisation_id, OLD.site_id);
    END IF;
    IF TG_OP = 'UPDATE' THEN
      IF OLD.site_id <> NEW.site_id THEN PERFORM evse_name(ARRAY[NEW.charger_id]); END IF;
      INSERT INTO location_stale (organisation_id, site_id) VALUES (NEW.organisation_id, NEW.site_id);
    END IF;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_mark_site() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN INSERT INTO location_stale (organisation_id, site_id) VALUES (OLD.organisation_id, OLD.id);
    ELSE INSERT INTO location_stale (organisation_id, site_id) VALUES (NEW.organisation_id, NEW.id);
    END IF;
    RETURN NULL;
  END
  $function$`,
  // Every site of an organisation where an evse is or was.
  `CREATE FUNCTION location_mark_all(p_organisation uuid) RETURNS void LANGUAGE sql AS $function$
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT DISTINCT e.organisation_id, e.site_id FROM evse e WHERE e.organisation_id = p_organisation
  $function$`,
  `CREATE FUNCTION location_mark_assignment(p_organisation uuid, p_scope text, p_target text) RETURNS void LANGUAGE plpgsql AS $function$
  BEGIN
    IF p_scope = 'organisation' THEN PERFORM location_mark_all(p_organisation);
    ELSIF p_scope = 'site' THEN INSERT INTO location_stale (organisation_id, site_id) VALUES (p_organisation, p_target::uuid);
    ELSE
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT c.organisation_id, c.site_id FROM charger c WHERE c.charger_id = p_target AND c.organisation_id = p_organisation;
    END IF;
  END
  $function$`,
  `CREATE FUNCTION location_assignment_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN PERFORM location_mark_assignment(OLD.organisation_id, OLD.scope, OLD.target);
    ELSE PERFORM location_mark_assignment(NEW.organisation_id, NEW.scope, NEW.target);
    END IF;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_tariff_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    PERFORM location_mark_assignment(a.organisation_id, a.scope, a.target) FROM tariff_assignment a WHERE a.tariff_id = NEW.id;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_organisation_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    PERFORM location_mark_all(NEW.id);
    RETURN NULL;
  END
  $function$`,
  // The connections of a node whose lease had run out stand again.
  `CREATE FUNCTION location_node_revived() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT DISTINCT c.organisation_id, c.site_id
    FROM connection n JOIN charger c ON c.charger_id = n.charger_id WHERE n.node_id = NEW.node_id AND n.closed_at IS NULL;
    RETURN NULL;
  END
  $function$`,
  `CREATE FUNCTION location_party_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    PERFORM location_mark_all(NEW.organisation_id);
    RETURN NULL;
  END
  $function$`
]

const triggers = [
  `CREATE TRIGGER connector_location_made AFTER INSERT ON connector REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connectors()`,
  `CREATE TRIGGER connector_location_changed AFTER UPDATE ON connector REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connectors()`,
  `CREATE TRIGGER connection_location_made AFTER INSERT ON connection REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connections()`,
  `CREATE TRIGGER connection_location_changed AFTER UPDATE ON connection REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connections()`,
  `CREATE TRIGGER configuration_location AFTER INSERT OR UPDATE ON charger_configuration
    FOR EACH ROW EXECUTE FUNCTION location_mark_charger()`,
  `CREATE TRIGGER equipment_location AFTER INSERT OR UPDATE OR DELETE ON charger_equipment
    FOR EACH ROW EXECUTE FUNCTION location_mark_charger()`,
  `CREATE TRIGGER charger_location_changed AFTER UPDATE ON charger FOR EACH ROW
    WHEN (OLD.site_id <> NEW.site_id OR OLD.registration <> NEW.registration) EXECUTE FUNCTION location_charger_changed()`,
  `CREATE TRIGGER charger_location_removed AFTER DELETE ON charger FOR EACH ROW EXECUTE FUNCTION location_charger_changed()`,
  `CREATE TRIGGER site_location AFTER INSERT OR UPDATE OR DELETE ON site FOR EACH ROW EXECUTE FUNCTION location_mark_site()`,
  `CREATE TRIGGER assignment_location AFTER INSERT OR UPDATE OR DELETE ON tariff_assignment
    FOR EACH ROW EXECUTE FUNCTION location_assignment_changed()`,
  `CREATE TRIGGER tariff_location AFTER UPDATE ON tariff FOR EACH ROW
    WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.ends_at IS DISTINCT FROM NEW.ends_at)
    EXECUTE FUNCTION location_tariff_changed()`,
  `CREATE TRIGGER organisation_location AFTER UPDATE ON organisation FOR EACH ROW WHEN (OLD.name <> NEW.name)
    EXECUTE FUNCTION location_organisation_changed()`,
  `CREATE TRIGGER node_location AFTER UPDATE ON node FOR EACH ROW WHEN (OLD.lease_until <= now() AND NEW.lease_until > now())
    EXECUTE FUNCTION location_node_revived()`,
  `CREATE TRIGGER party_location AFTER UPDATE ON party FOR EACH ROW EXECUTE FUNCTION location_party_changed()`
]

/** What chargers have reported already. */
const fill = [
  `SELECT evse_name(array_agg(c.charger_id)) FROM charger c`,
  `INSERT INTO location_stale (organisation_id, site_id) SELECT DISTINCT e.organisation_id, e.site_id FROM evse e`
]

export const locations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, ...functions, ...triggers, ...fill]) yield* sql.unsafe(statement)
})
