-- Sites, chargers, EVSEs and connectors, their connections and their history.
--
-- History is stored as points, not as intervals: the status at a time is the newest point before it. A point that arrives late is inserted
-- at its place, and nothing else changes, whatever the order of arrival.

CREATE TABLE site (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  -- The site's number in the v1 API.
  group_id integer GENERATED ALWAYS AS IDENTITY NOT NULL UNIQUE,
  name text NOT NULL,
  time_zone text NOT NULL,
  street_address text,
  street_number text,
  house_letter text,
  postal_number text,
  city text,
  area text,
  country text,
  latitude double precision,
  longitude double precision,
  opening_hours jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Null: the organisation's own party.
  party_id uuid REFERENCES party (id),
  -- In the domain's form; null if there are none.
  details jsonb
);
COMMENT ON TABLE site IS
  'Places with chargers. A location of OCPI is a site.';
CREATE INDEX site_organisation ON site (organisation_id, id);
CREATE INDEX site_party ON site (party_id) WHERE (party_id IS NOT NULL);

CREATE TABLE charger (
  charger_id text PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  site_id uuid NOT NULL REFERENCES site (id),
  name text NOT NULL,
  security_profile smallint NOT NULL CHECK (security_profile BETWEEN 0 AND 3),
  password_verifier bytea,
  registration text NOT NULL DEFAULT 'Accepted' CHECK (registration IN ('Accepted', 'Pending', 'Rejected')),
  ocpp_version text,
  manufacturer text NOT NULL DEFAULT '',
  model text NOT NULL DEFAULT '',
  serial_number text NOT NULL DEFAULT '',
  firmware_version text NOT NULL DEFAULT '',
  iccid text,
  imsi text,
  meter_type text,
  meter_serial_number text,
  booted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Set by the operator, and may be in a client certificate. A serial number that the charger itself reports proves nothing.
  registered_serial text
);
COMMENT ON TABLE charger IS
  'Registered chargers: settings, credentials and what the last BootNotification reported.';
CREATE UNIQUE INDEX charger_organisation ON charger (organisation_id, charger_id);
CREATE INDEX charger_site ON charger (site_id, charger_id);

CREATE TABLE charger_equipment (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  standard text NOT NULL,
  format text NOT NULL,
  power_type text NOT NULL,
  max_voltage integer NOT NULL,
  max_amperage integer NOT NULL,
  max_power_w integer NOT NULL,
  terms_and_conditions text,
  PRIMARY KEY (charger_id, evse_id, connector_id)
);
COMMENT ON TABLE charger_equipment IS
  'Connectors of a charger as its operator described them.';

CREATE TABLE charger_evse (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  evse_id integer NOT NULL,
  -- In the domain's form.
  details jsonb NOT NULL,
  PRIMARY KEY (charger_id, evse_id)
);
COMMENT ON TABLE charger_evse IS
  'Details of an EVSE that its operator gave. No row where nothing was given.';

CREATE TABLE charger_configuration (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  -- A secret is masked in `value` and encrypted in `sealed`.
  keys sealed_document NOT NULL,
  reported_at timestamptz NOT NULL
);
COMMENT ON TABLE charger_configuration IS
  'Configuration keys as the charger reported them last.';

CREATE TABLE configuration_drift (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  -- The number of keys that differ and could be changed.
  keys integer NOT NULL CHECK (keys > 0),
  since timestamptz NOT NULL
);
COMMENT ON TABLE configuration_drift IS
  'Chargers whose configuration differs from what their organisation expects, as they were compared last. No row where nothing differs.';
CREATE INDEX configuration_drift_organisation ON configuration_drift (organisation_id, charger_id);

CREATE TABLE charger_document (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  kind text NOT NULL,
  body jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (charger_id, kind)
);
COMMENT ON TABLE charger_document IS
  'What else is known of a charger, one whole document of each kind; the last fact replaces it.';

-- Rewritten with every message about a transaction, so it is stored apart from what lasts.
CREATE TABLE provisional_transaction (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  transaction_id text NOT NULL,
  organisation_id uuid NOT NULL,
  -- When its start was received.
  begun_at timestamptz NOT NULL,
  -- The facts of its start and readings, as they are recorded if it becomes a session, and its stop if it was counted.
  body json NOT NULL,
  PRIMARY KEY (charger_id, transaction_id)
);
COMMENT ON TABLE provisional_transaction IS
  'Transactions that a charger began beyond its daily number: those that run and are not plausible yet, and the last ones that were counted. At most 80 of each charger.';

CREATE TABLE negligible_transactions (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  day date NOT NULL,
  organisation_id uuid NOT NULL,
  transactions bigint NOT NULL,
  energy_wh bigint NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (charger_id, day)
);
COMMENT ON TABLE negligible_transactions IS
  'How many transactions of a charger were counted on a day (UTC) and not kept, with their energy.';
CREATE INDEX negligible_transactions_day ON negligible_transactions (day);

CREATE TABLE charger_pending (
  command_id uuid PRIMARY KEY,
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  verifier bytea,
  security_profile smallint
);
COMMENT ON TABLE charger_pending IS
  'Credentials sent to a charger that may or may not have stored them. Until that is known, old and new are accepted, so that rotation never locks a charger out.';
CREATE INDEX charger_pending_charger ON charger_pending (charger_id, command_id);

-- Pages are filled by half, so that the updates of each second stay within their page.
CREATE TABLE charger_seen (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  last_seen timestamptz NOT NULL,
  last_message text NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE charger_seen IS
  'When each charger was last heard from. Written once a second for all chargers in one statement.';

CREATE TABLE connector (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  status text NOT NULL,
  raw_status text NOT NULL,
  error_code text,
  info text,
  vendor_id text,
  vendor_error_code text,
  status_at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL,
  PRIMARY KEY (charger_id, evse_id, connector_id)
);
COMMENT ON TABLE connector IS
  'Current status of each connector. Connector 0 is the charger as a whole.';

CREATE TABLE connector_meter (
  charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  organisation_id uuid NOT NULL,
  step_wh integer NOT NULL,
  reports_power boolean NOT NULL,
  PRIMARY KEY (charger_id, evse_id, connector_id)
);
COMMENT ON TABLE connector_meter IS
  'Step in which the meter of a connector counts, as its sessions showed. No row before the first session with readings. Goes with its charger.';
-- The meters that operators are warned about; most meters are not among them.
CREATE INDEX connector_meter_coarse ON connector_meter (organisation_id, step_wh) WHERE ((NOT reports_power) AND (step_wh > 1));

-- No foreign key, which would cost as much as the row; a trigger deletes the rows of a deleted charger.
CREATE TABLE connector_history (
  charger_id text NOT NULL,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  -- The charger's time if it is plausible, but never later than heard_at.
  from_at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL,
  -- Points of one connector are ordered by (from_at, heard_at, tie); tie is a hash of the fact's key. Of points with equal times the last
  -- counts.
  tie bigint NOT NULL,
  organisation_id uuid NOT NULL,
  status text NOT NULL,
  error_code text,
  info text,
  vendor_id text,
  vendor_error_code text,
  PRIMARY KEY (charger_id, evse_id, connector_id, from_at, heard_at, tie)
);
COMMENT ON TABLE connector_history IS
  'Past statuses of connectors as points in time, for uptime. Deleted by the history''s retention, except the point that was current then.';
-- Availability over weeks is read from these alone, each with the status that ended it. They are few; for each there are hundreds of other
-- statuses.
CREATE INDEX connector_history_troubled ON connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie) WHERE (status IN ('Unavailable', 'Faulted'));
-- BRIN, for retention: rows arrive in the order of heard_at.
CREATE INDEX connector_history_heard ON connector_history USING brin (heard_at);

CREATE TABLE connection (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  node_id text NOT NULL,
  -- Only increases; the highest epoch is a charger's current connection.
  epoch bigint NOT NULL,
  ocpp_version text NOT NULL,
  security_profile smallint NOT NULL,
  remote_address text NOT NULL,
  connected_at timestamptz NOT NULL,
  -- Null: the socket is open.
  closed_at timestamptz,
  closed_reason text
);
COMMENT ON TABLE connection IS
  'Newest connection of each charger, open or closed.';
-- Open connections of a node, to close those of a node that is gone.
CREATE INDEX connection_node ON connection (node_id) WHERE (closed_at IS NULL);

-- No foreign key, which would cost as much as the row; a trigger deletes the rows of a deleted charger.
CREATE TABLE connection_history (
  charger_id text NOT NULL,
  connected_at timestamptz NOT NULL,
  epoch bigint NOT NULL,
  organisation_id uuid NOT NULL,
  disconnected_at timestamptz,
  reason text,
  ocpp_version text NOT NULL,
  security_profile smallint NOT NULL,
  remote_address text NOT NULL,
  PRIMARY KEY (charger_id, connected_at, epoch)
);
COMMENT ON TABLE connection_history IS
  'Connections of chargers, for uptime: written with the connection that opens or closes. Deleted by the history''s retention.';
-- BRIN, for retention: rows arrive in the order of time.
CREATE INDEX connection_history_age ON connection_history USING brin (connected_at);

-- The limits on lengths are the same as those of the service, and apply even if the service does not check.
CREATE TABLE unknown_charger (
  charger_id text PRIMARY KEY CHECK (length(charger_id) <= 48),
  first_seen timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  attempts integer NOT NULL,
  remote_address text NOT NULL CHECK (length(remote_address) <= 64),
  subprotocols text[] NOT NULL CHECK (cardinality(subprotocols) <= 8),
  -- What to change at the charger, a sentence of the service; with it the id may be registered.
  advice text CHECK (length(advice) <= 300)
);
COMMENT ON TABLE unknown_charger IS
  'Charger ids that tried to connect and are not registered, or whose request no charger may send. They belong to no organisation. Bounded in number; a row goes when the charger is registered.';
CREATE INDEX unknown_charger_first ON unknown_charger (first_seen, charger_id);
CREATE INDEX unknown_charger_last ON unknown_charger (last_seen, charger_id);

-- The history tables have no foreign keys; this deletes the rows of a deleted charger.
CREATE FUNCTION charger_history_forget()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM connector_history h USING gone g WHERE h.charger_id = g.charger_id;
  DELETE FROM connection_history h USING gone g WHERE h.charger_id = g.charger_id;
  RETURN NULL;
END
$function$;

CREATE TRIGGER charger_history_forgotten AFTER DELETE ON charger
  REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION charger_history_forget();

-- Deletes points from before a time, except the one that was current then: without it, the period after that time would have no beginning.
CREATE FUNCTION history_forget(p_before timestamp with time zone, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $function$
DECLARE
  v_statuses int;
  v_connections int;
  v_days int;
BEGIN
  DELETE FROM connector_history WHERE ctid = ANY (ARRAY(
    SELECT h.ctid FROM connector_history h
    WHERE h.heard_at < p_before AND EXISTS (
      SELECT 1 FROM connector_history l
      WHERE l.charger_id = h.charger_id AND l.evse_id = h.evse_id AND l.connector_id = h.connector_id
        AND (l.from_at, l.heard_at, l.tie) > (h.from_at, h.heard_at, h.tie) AND l.from_at < p_before)
    LIMIT p_limit));
  GET DIAGNOSTICS v_statuses = ROW_COUNT;
  DELETE FROM connection_history WHERE ctid = ANY (ARRAY(
    SELECT h.ctid FROM connection_history h
    WHERE h.connected_at < p_before AND h.disconnected_at < p_before AND EXISTS (
      SELECT 1 FROM connection_history l
      WHERE l.charger_id = h.charger_id AND (l.connected_at, l.epoch) > (h.connected_at, h.epoch) AND l.connected_at < p_before)
    LIMIT p_limit));
  GET DIAGNOSTICS v_connections = ROW_COUNT;
  DELETE FROM negligible_transactions WHERE ctid = ANY (ARRAY(
    SELECT n.ctid FROM negligible_transactions n WHERE n.day < p_before::date LIMIT p_limit));
  GET DIAGNOSTICS v_days = ROW_COUNT;
  RETURN greatest(v_statuses, v_connections, v_days);
END
$function$;

-- A registered charger is no longer unknown.
CREATE FUNCTION charger_is_known()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM unknown_charger WHERE charger_id = NEW.charger_id;
  RETURN NULL;
END
$function$;

CREATE TRIGGER charger_known AFTER INSERT ON charger
  FOR EACH ROW EXECUTE FUNCTION charger_is_known();

-- Merges single keys that a charger reported or accepted into its reported configuration. A charger that has reported nothing yet gets no
-- row, since it would look as if it had reported everything.
CREATE FUNCTION configuration_learn()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
DECLARE
  v_keys jsonb := (NEW.body -> 'keys')::jsonb;
  v_gone jsonb := (NEW.body -> 'gone')::jsonb;
BEGIN
  UPDATE charger_configuration f SET reported_at = NEW.heard_at, keys = coalesce((
    SELECT jsonb_agg(merged.entry ORDER BY merged.place) FROM (
      -- Keeps the charger's own spelling of a key, and whether it said that the key can be changed.
      SELECT CASE WHEN reported.e IS NULL THEN known.e ELSE (known.e - 'value' - 'sealed') || (reported.e - 'key') END AS entry, known.place
      FROM jsonb_array_elements(f.keys) WITH ORDINALITY AS known(e, place)
      LEFT JOIN LATERAL (
        SELECT t.e FROM jsonb_array_elements(v_keys) AS t(e) WHERE lower(t.e ->> 'key') = lower(known.e ->> 'key') LIMIT 1
      ) reported ON true
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
$function$;

CREATE TRIGGER journal_configuration AFTER INSERT ON journal
  FOR EACH ROW WHEN ((new.type = 'ConfigurationKeysLearned'::text)) EXECUTE FUNCTION configuration_learn();
