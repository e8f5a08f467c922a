-- Tariffs and their assignment, prices of sessions, and charge detail records (CDRs).

CREATE TABLE tariff (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  version integer NOT NULL,
  body jsonb NOT NULL,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE tariff IS
  'Tariffs in their current version.';
CREATE INDEX tariff_organisation ON tariff (organisation_id, id);

CREATE TABLE tariff_version (
  tariff_id uuid NOT NULL,
  version integer NOT NULL,
  organisation_id uuid NOT NULL,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tariff_id, version)
);
COMMENT ON TABLE tariff_version IS
  'All versions of tariffs. Kept when the tariff is deleted: sessions and CDRs are explained by them.';

CREATE TABLE tariff_assignment (
  organisation_id uuid NOT NULL,
  scope text NOT NULL CHECK (scope IN ('organisation', 'site', 'charger', 'connector')),
  -- '' for the organisation, otherwise the id of the site or charger; with EVSE and connector for a connector.
  target text NOT NULL,
  evse_id integer NOT NULL DEFAULT 0,
  connector_id integer NOT NULL DEFAULT 0,
  tariff_id uuid NOT NULL REFERENCES tariff (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, scope, target, evse_id, connector_id)
);
COMMENT ON TABLE tariff_assignment IS
  'Which tariff is for which organisation, site, charger or connector.';
CREATE INDEX tariff_assignment_tariff ON tariff_assignment (tariff_id);

CREATE TABLE session_tariff (
  session_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  tariff_id uuid NOT NULL,
  version integer NOT NULL,
  -- The site's time zone when the session began: a later correction of the site changes no earlier price.
  time_zone text
);
COMMENT ON TABLE session_tariff IS
  'Tariff version that a session began under. A tariff that changes later does not change its price.';

CREATE TABLE session_price (
  session_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  -- The session's updated_at on which the price is based.
  based_on timestamptz NOT NULL,
  price jsonb NOT NULL,
  -- The price differs from the issued CDR: a correction is needed.
  differs boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE session_price IS
  'Price of each session as calculated last.';
CREATE INDEX session_price_differing ON session_price (organisation_id, session_id) WHERE differs;

CREATE TABLE cdr_number (
  organisation_id uuid PRIMARY KEY,
  last bigint NOT NULL
);
COMMENT ON TABLE cdr_number IS
  'Last CDR number of each organisation: numbers have no gaps.';

CREATE TABLE cdr (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  number bigint NOT NULL,
  session_id uuid NOT NULL,
  charger_id text NOT NULL,
  site_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- The CDR that this one credits.
  credits uuid UNIQUE REFERENCES cdr (id),
  body jsonb NOT NULL,
  issued_at timestamptz NOT NULL,
  -- The number of the correction that it bills; 0 for the session as reported.
  revision integer NOT NULL,
  partner_id uuid,
  -- When it became visible; issued_at is an earlier time, from before it was stored.
  stored_at timestamptz DEFAULT clock_timestamp(),
  -- The card's key, for filters; the body has its uid as the charger read it.
  token_key text,
  CONSTRAINT cdr_organisation_id_number_key UNIQUE (organisation_id, number)
);
COMMENT ON TABLE cdr IS
  'Charge detail records. Never changed. Kept as long as their sessions. A session has one that bills for each correction, and each has at most one that credits it.';
-- Search: by the beginning of an id.
CREATE INDEX cdr_organisation_id ON cdr (organisation_id, id);
CREATE INDEX cdr_charger ON cdr (organisation_id, charger_id, number);
CREATE INDEX cdr_charger_started ON cdr (organisation_id, charger_id, started_at, number);
CREATE INDEX cdr_site_started ON cdr (organisation_id, site_id, started_at, number);
CREATE INDEX cdr_partner_started ON cdr (organisation_id, partner_id, started_at, number) WHERE (partner_id IS NOT NULL);
CREATE INDEX cdr_token ON cdr (organisation_id, token_key, started_at, number);
CREATE INDEX cdr_of_session ON cdr (session_id);
CREATE INDEX cdr_partner ON cdr (organisation_id, partner_id, number) WHERE (partner_id IS NOT NULL);
CREATE INDEX cdr_partner_stored ON cdr (organisation_id, partner_id, stored_at, number) WHERE (partner_id IS NOT NULL);
-- One CDR that bills, for each session and correction.
CREATE UNIQUE INDEX cdr_session ON cdr (session_id, revision) WHERE (credits IS NULL);
CREATE INDEX cdr_site ON cdr (organisation_id, site_id, number);
-- Lists by start of the session. In the order of numbers, an old month would come after everything numbered since.
CREATE INDEX cdr_started ON cdr (organisation_id, started_at, number);
-- Lists and exports of a month by issue, for bookkeeping.
CREATE INDEX cdr_issued ON cdr (organisation_id, issued_at, number);

-- Deletes the assignments of a deleted site or charger.
CREATE FUNCTION tariff_assignment_forget()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'site' THEN DELETE FROM tariff_assignment WHERE scope = 'site' AND target = OLD.id::text AND organisation_id = OLD.organisation_id;
  ELSE DELETE FROM tariff_assignment WHERE scope IN ('charger', 'connector') AND target = OLD.charger_id AND organisation_id = OLD.organisation_id;
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER charger_tariff_forgotten AFTER DELETE ON charger
  FOR EACH ROW EXECUTE FUNCTION tariff_assignment_forget();

CREATE TRIGGER site_tariff_forgotten AFTER DELETE ON site
  FOR EACH ROW EXECUTE FUNCTION tariff_assignment_forget();

-- A CDR is never changed. Only its retention deletes it, which allows this for its own transaction (`SessionRetention.ts`).
CREATE FUNCTION cdr_sealed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' AND current_setting('voltlane.retention', true) = 'on' THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'a charge detail record is never changed: issue a credit record' USING ERRCODE = 'restrict_violation';
  END
  $function$;

CREATE TRIGGER cdr_sealed BEFORE DELETE OR UPDATE ON cdr
  FOR EACH ROW EXECUTE FUNCTION cdr_sealed();
