-- OCPI locations: a projection of sites, chargers, connectors and tariff assignments, stored ready to be sent. Every change of one of those
-- marks its site in location_stale in the same transaction; a reader first refreshes the marked sites. Marks are made by triggers, and for
-- connections by the functions that open and close them (journal.sql).

CREATE TABLE evse (
  uid uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  -- No foreign keys to site and charger, since EVSEs that partners have seen are never forgotten.
  site_id uuid NOT NULL,
  charger_id text NOT NULL,
  evse_id integer NOT NULL,
  -- The EVSE's number within the organisation.
  number integer NOT NULL,
  -- ISO 15118: NL*ABC*E000001.
  public_id text NOT NULL,
  created_at timestamptz NOT NULL,
  removed_at timestamptz,
  CONSTRAINT evse_organisation_id_charger_id_evse_id_site_id_key UNIQUE (organisation_id, charger_id, evse_id, site_id)
);
COMMENT ON TABLE evse IS
  'EVSEs as partners know them. An EVSE that moves to another site is another row with the same number. Never deleted: partners hear that it was removed.';
CREATE INDEX evse_number ON evse (organisation_id, number);
CREATE INDEX evse_site ON evse (site_id);

CREATE TABLE location (
  -- The site's id.
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  -- From 1 without gaps in the order of creation, so that a page is found by its number.
  ordinal integer NOT NULL,
  body jsonb NOT NULL,
  last_updated timestamptz NOT NULL,
  -- When the location changes by time alone: a tariff begins or ends, or an EVSE was removed long enough ago.
  due_at timestamptz,
  looked_at timestamptz NOT NULL,
  -- OCPI formats in which it is not shown, since they cannot say whom it is for. Most locations are hidden in none.
  hidden_in text[] NOT NULL DEFAULT '{}'::text[]
);
COMMENT ON TABLE location IS
  'Locations of OCPI as of their last refresh.';
CREATE INDEX location_changed ON location (organisation_id, last_updated, ordinal);
CREATE INDEX location_due ON location (due_at) WHERE (due_at IS NOT NULL);
-- Few locations: lists check whether the organisation has any.
CREATE INDEX location_hidden ON location (organisation_id) WHERE (hidden_in <> '{}'::text[]);
CREATE INDEX location_order ON location (organisation_id, ordinal);

CREATE TABLE location_text (
  format text NOT NULL,
  location_id uuid NOT NULL REFERENCES location (id) ON DELETE CASCADE,
  -- Stored out of line and uncompressed, since it is sent unchanged.
  text text NOT NULL,
  PRIMARY KEY (format, location_id)
);
ALTER TABLE location_text ALTER COLUMN text SET STORAGE EXTERNAL;
COMMENT ON TABLE location_text IS
  'Locations as they are sent, one text for each OCPI format. Written once, read by every partner.';
CREATE INDEX location_text_location ON location_text (location_id);

CREATE TABLE location_stale (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL,
  site_id uuid NOT NULL,
  -- No fact records this change (time, a node's lease, an upgrade), so the refresh of the location records one.
  unrecorded boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE location_stale IS
  'Sites whose location has to be refreshed. One row for each change, so that a writer never waits for a reader.';
CREATE INDEX location_stale_organisation ON location_stale (organisation_id, site_id);

-- Creates EVSEs for reported connectors that have none at their charger's site. An EVSE that was removed before becomes valid again.
-- Callers hold the journal's lock.
CREATE FUNCTION evse_name(p_chargers text[])
RETURNS void
LANGUAGE sql
AS $function$
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
  -- An EVSE that existed before and was removed becomes valid again.
  ON CONFLICT (organisation_id, charger_id, evse_id, site_id) DO UPDATE SET removed_at = NULL WHERE e.removed_at IS NOT NULL
$function$;

-- Marks every site of an organisation where an EVSE is or was.
CREATE FUNCTION location_mark_all(p_organisation uuid)
RETURNS void
LANGUAGE sql
AS $function$
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT DISTINCT e.organisation_id, e.site_id FROM evse e WHERE e.organisation_id = p_organisation
  $function$;

-- Marks the sites of reported or changed connectors.
CREATE FUNCTION location_mark_connectors()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      PERFORM evse_name(array_agg(DISTINCT k.charger_id)) FROM changed k;
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT DISTINCT c.organisation_id, c.site_id FROM changed k JOIN charger c ON c.charger_id = k.charger_id
      UNION
      -- Where they were removed before: their public id is used again.
      SELECT e.organisation_id, e.site_id FROM changed k JOIN charger c ON c.charger_id = k.charger_id
      JOIN evse e ON e.organisation_id = c.organisation_id AND e.charger_id = c.charger_id AND e.site_id <> c.site_id;
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
  $function$;

CREATE TRIGGER connector_location_changed AFTER UPDATE ON connector
  REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connectors();

CREATE TRIGGER connector_location_made AFTER INSERT ON connector
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION location_mark_connectors();

-- Marks the site of rows that belong to a charger, by their column charger_id.
CREATE FUNCTION location_mark_charger()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  DECLARE
    v_charger text;
  BEGIN
    IF TG_OP = 'DELETE' THEN v_charger := OLD.charger_id; ELSE v_charger := NEW.charger_id; END IF;
    INSERT INTO location_stale (organisation_id, site_id)
    SELECT c.organisation_id, c.site_id FROM charger c WHERE c.charger_id = v_charger;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER configuration_location_made AFTER INSERT ON charger_configuration
  FOR EACH ROW EXECUTE FUNCTION location_mark_charger();

-- Every charger reports its configuration after each boot, and it has rarely changed. Encrypted values differ each time, and no location shows them.
CREATE TRIGGER configuration_location_changed AFTER UPDATE ON charger_configuration
  FOR EACH ROW WHEN ((jsonb_path_query_array(old.keys, '$[*] ? (!exists (@."sealed"))') IS DISTINCT FROM jsonb_path_query_array(new.keys, '$[*] ? (!exists (@."sealed"))'))) EXECUTE FUNCTION location_mark_charger();

CREATE TRIGGER equipment_location AFTER INSERT OR DELETE OR UPDATE ON charger_equipment
  FOR EACH ROW EXECUTE FUNCTION location_mark_charger();

CREATE TRIGGER charger_evse_location AFTER INSERT OR DELETE OR UPDATE ON charger_evse
  FOR EACH ROW EXECUTE FUNCTION location_mark_charger();

-- Removes and creates EVSEs when a charger is deleted or moved.
CREATE FUNCTION location_charger_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
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
  $function$;

CREATE TRIGGER charger_location_changed AFTER UPDATE ON charger
  FOR EACH ROW WHEN (((old.site_id <> new.site_id) OR (old.registration <> new.registration))) EXECUTE FUNCTION location_charger_changed();

CREATE TRIGGER charger_location_removed AFTER DELETE ON charger
  FOR EACH ROW EXECUTE FUNCTION location_charger_changed();

-- Marks a site that changed.
CREATE FUNCTION location_mark_site()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN INSERT INTO location_stale (organisation_id, site_id) VALUES (OLD.organisation_id, OLD.id);
    ELSE INSERT INTO location_stale (organisation_id, site_id) VALUES (NEW.organisation_id, NEW.id);
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER site_location AFTER INSERT OR DELETE OR UPDATE ON site
  FOR EACH ROW EXECUTE FUNCTION location_mark_site();

-- Marks the sites that an assignment applies to.
CREATE FUNCTION location_mark_assignment(p_organisation uuid, p_scope text, p_target text)
RETURNS void
LANGUAGE plpgsql
AS $function$
  BEGIN
    IF p_scope = 'organisation' THEN PERFORM location_mark_all(p_organisation);
    ELSIF p_scope = 'site' THEN INSERT INTO location_stale (organisation_id, site_id) VALUES (p_organisation, p_target::uuid);
    ELSE
      INSERT INTO location_stale (organisation_id, site_id)
      SELECT c.organisation_id, c.site_id FROM charger c WHERE c.charger_id = p_target AND c.organisation_id = p_organisation;
    END IF;
  END
  $function$;

-- Marks the sites of an assignment that changed.
CREATE FUNCTION location_assignment_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN PERFORM location_mark_assignment(OLD.organisation_id, OLD.scope, OLD.target);
    ELSE PERFORM location_mark_assignment(NEW.organisation_id, NEW.scope, NEW.target);
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER assignment_location AFTER INSERT OR DELETE OR UPDATE ON tariff_assignment
  FOR EACH ROW EXECUTE FUNCTION location_assignment_changed();

-- Marks the sites where a changed tariff is assigned.
CREATE FUNCTION location_tariff_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM location_mark_assignment(a.organisation_id, a.scope, a.target) FROM tariff_assignment a WHERE a.tariff_id = NEW.id;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER tariff_location AFTER UPDATE ON tariff
  FOR EACH ROW WHEN (((old.starts_at IS DISTINCT FROM new.starts_at) OR (old.ends_at IS DISTINCT FROM new.ends_at))) EXECUTE FUNCTION location_tariff_changed();

-- The organisation's name is part of its locations.
CREATE FUNCTION location_organisation_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM location_mark_all(NEW.id);
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER organisation_location AFTER UPDATE ON organisation
  FOR EACH ROW WHEN ((old.name <> new.name)) EXECUTE FUNCTION location_organisation_changed();

-- The connections of a node whose lease had run out count as open again. No fact records this.
CREATE FUNCTION location_node_revived()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO location_stale (organisation_id, site_id, unrecorded)
    SELECT DISTINCT c.organisation_id, c.site_id, true
    FROM connection n JOIN charger c ON c.charger_id = n.charger_id WHERE n.node_id = NEW.node_id AND n.closed_at IS NULL;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER node_location AFTER UPDATE ON node
  FOR EACH ROW WHEN (((old.lease_until <= now()) AND (new.lease_until > now()))) EXECUTE FUNCTION location_node_revived();

-- A party's details are part of its locations.
CREATE FUNCTION location_party_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM location_mark_all(NEW.organisation_id);
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER party_location AFTER UPDATE ON party
  FOR EACH ROW EXECUTE FUNCTION location_party_changed();
