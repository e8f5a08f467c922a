-- Roaming partners (OCPI): credentials, parties, commands given by partners and their callbacks, tokens, sessions,
-- and the log of requests exchanged with them.

CREATE TABLE partner (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('Invited', 'Registered', 'Unregistered')),
  suspended boolean NOT NULL DEFAULT false,
  switches jsonb NOT NULL,
  connection jsonb,
  -- The token with which we call the partner.
  their_token sealed,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE partner IS
  'Roaming partners of an organisation: registration, switches and connection.';
-- Partners that are asked about unknown cards.
CREATE INDEX partner_asked ON partner (organisation_id) WHERE ((status = 'Registered') AND (NOT suspended) AND ((switches ->> 'askUnknownTokens') = 'true'));
CREATE INDEX partner_organisation ON partner (organisation_id, id);

CREATE TABLE partner_token (
  verifier bytea PRIMARY KEY,
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  use text NOT NULL CHECK (use IN ('Registration', 'Access', 'Retiring', 'Expected')),
  expires_at timestamptz,
  used_at timestamptz,
  -- Of a registration token: the operator who was shown it, to be looked at when that operator is disabled. NULL if no operator was.
  shown_to uuid,
  created_at timestamptz NOT NULL
);
COMMENT ON TABLE partner_token IS
  'Tokens by which partners call us; verifiers only, each with its use.';
CREATE INDEX partner_token_partner ON partner_token (partner_id);
-- One token of each use at a time, except 'Expected' ones, with which a partner may call while a handshake is in progress. There may be
-- several of those: one sent in a renewal may be the only one that the partner has.
CREATE UNIQUE INDEX partner_token_use ON partner_token (partner_id, use) WHERE (use <> 'Expected');

CREATE TABLE partner_party (
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  country_code text NOT NULL,
  party_id text NOT NULL,
  role text NOT NULL,
  -- True if set by the operator, false if reported by the partner.
  expected boolean NOT NULL,
  PRIMARY KEY (partner_id, country_code, party_id, role)
);
COMMENT ON TABLE partner_party IS
  'Parties of a partner, as the operator expects them or as the partner reported them.';
-- A token belongs to one partner: no two partners of an organisation have the same party in the same role.
CREATE UNIQUE INDEX partner_party_owner ON partner_party (organisation_id, country_code, party_id, role);

CREATE TABLE partner_client (
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  country_code text NOT NULL,
  party_id text NOT NULL,
  role text NOT NULL,
  status text NOT NULL,
  last_updated timestamptz NOT NULL,
  PRIMARY KEY (partner_id, country_code, party_id)
);
COMMENT ON TABLE partner_client IS
  'Parties behind a hub (OCPI HubClientInfo) with their status.';

CREATE TABLE partner_command (
  command_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  kind text NOT NULL,
  version text NOT NULL,
  -- Anyone who knows it can send the partner any result.
  response_url sealed NOT NULL,
  correlation_id text NOT NULL,
  from_party jsonb,
  to_party jsonb,
  location_id text,
  -- The partner's own id: its reservation_id or authorization_reference.
  reference text,
  session_id uuid,
  created_at timestamptz NOT NULL
);
COMMENT ON TABLE partner_command IS
  'Commands that a partner asked for (OCPI commands and charging profiles). Stored in the transaction of the command, deleted with the partner.';
CREATE INDEX partner_command_reference ON partner_command (partner_id, kind, lower(reference), command_id) WHERE (reference IS NOT NULL);
CREATE INDEX partner_command_session ON partner_command (session_id, kind, command_id) WHERE (session_id IS NOT NULL);

CREATE TABLE partner_callback (
  command_id uuid NOT NULL REFERENCES partner_command (command_id) ON DELETE CASCADE,
  about text NOT NULL CHECK (about IN ('Result', 'ReservationCancelled', 'ProfileChanged')),
  organisation_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'Open' CHECK (state IN ('Open', 'Done', 'GivenUp')),
  -- When the partner is informed that the command had no result, if it has not received one.
  answer_by timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  problem text,
  done_at timestamptz,
  PRIMARY KEY (command_id, about)
);
COMMENT ON TABLE partner_callback IS
  'Results that a partner has still to receive (response_url).';
CREATE INDEX partner_callback_open ON partner_callback (due_at) WHERE (state = 'Open');

CREATE TABLE partner_reservation (
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  location_id text NOT NULL,
  reference_key text NOT NULL,
  organisation_id uuid NOT NULL,
  reservation_id integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (partner_id, reference_key, location_id)
);
COMMENT ON TABLE partner_reservation IS
  'A partner''s reservation ids and the numbers by which chargers know them. Given once, so that a repeat replaces the first.';

CREATE TABLE token_grant (
  command_id uuid PRIMARY KEY REFERENCES partner_command (command_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  -- 0: any EVSE of the charger.
  evse_id integer NOT NULL,
  uid_key text NOT NULL,
  roaming jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE token_grant IS
  'Cards that may charge because their partner allowed it in a START_SESSION or RESERVE_NOW. Deleted with their command''s partner_command.';
CREATE INDEX token_grant_uid ON token_grant (charger_id, uid_key, expires_at);

CREATE TABLE roaming_token (
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  uid_key text NOT NULL,
  type_key text NOT NULL,
  country_code text NOT NULL,
  party_id text NOT NULL,
  partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  uid text NOT NULL,
  type text NOT NULL,
  contract_id text NOT NULL,
  visual_number text,
  issuer text NOT NULL,
  group_uid text,
  valid boolean NOT NULL,
  whitelist text NOT NULL,
  language text,
  default_profile_type text,
  energy_contract jsonb,
  last_updated timestamptz NOT NULL,
  -- The number of the token's changes; part of the keys of their facts.
  revision integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, uid_key, type_key, country_code, party_id, partner_id)
);
COMMENT ON TABLE roaming_token IS
  'Tokens of partners'' drivers, each partner''s its own.';
-- Search: by the beginning of a contract id.
CREATE INDEX roaming_token_contract_begins ON roaming_token (organisation_id, lower(contract_id) text_pattern_ops);
-- The order in which operators list a partner's tokens, so that a page among a million is found with the index.
CREATE INDEX roaming_token_listed ON roaming_token (partner_id, uid_key, type_key, country_code, party_id);

CREATE TABLE token_pull (
  partner_id uuid PRIMARY KEY REFERENCES partner (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  -- The registration for which it was made; after a new registration everything is fetched again.
  registered_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  from_at timestamptz,
  failures integer NOT NULL DEFAULT 0,
  tried_at timestamptz,
  pulled_at timestamptz,
  taken integer NOT NULL DEFAULT 0,
  unreadable integer NOT NULL DEFAULT 0,
  problem text
);
COMMENT ON TABLE token_pull IS
  'State of fetching a partner''s tokens.';
CREATE INDEX token_pull_due ON token_pull (due_at);

CREATE TABLE session_roaming (
  session_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  last_updated timestamptz NOT NULL,
  -- The driver's charging preferences, while the session is running.
  preferences jsonb,
  -- When the session was made, which is the beginning of its id.
  made_at timestamptz NOT NULL GENERATED ALWAYS AS (uuid_time(session_id)) STORED
);
COMMENT ON TABLE session_roaming IS
  'Which partner''s driver a session belongs to, for the partner''s lists. The time of change is kept here: in an index of session it would make each meter reading an update of all indexes.';
CREATE INDEX session_roaming_order ON session_roaming (organisation_id, partner_id, session_id);
-- The few sessions that changed last more than a day from when they were made: lists of what changed in a time span are in the order of
-- making.
CREATE INDEX session_roaming_apart ON session_roaming (organisation_id, partner_id, last_updated, session_id)
  WHERE ((last_updated - made_at) NOT BETWEEN '-1 day'::interval AND '1 day'::interval);
CREATE INDEX session_roaming_updated ON session_roaming (organisation_id, partner_id, last_updated, session_id);

-- No foreign key to the partner: entries are written in the background, may arrive after the partner is deleted, and are deleted by their
-- retention.
CREATE TABLE exchange (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  at timestamptz NOT NULL,
  direction text NOT NULL,
  module text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  http_status integer,
  ocpi_status integer,
  failed boolean NOT NULL,
  millis integer NOT NULL,
  request_id text NOT NULL,
  correlation_id text NOT NULL,
  request_body text,
  response_body text,
  error text
);
COMMENT ON TABLE exchange IS
  'Log of requests and responses exchanged with partners. Deleted by the exchange log''s retention.';
-- BRIN, for retention. With a B-tree, the planner might search for a partner with few exchanges among all exchanges.
CREATE INDEX exchange_at ON exchange USING brin (at);
CREATE INDEX exchange_partner ON exchange (partner_id, at, id);

CREATE TABLE exchange_health (
  organisation_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  direction text NOT NULL,
  module text NOT NULL,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text,
  successes bigint NOT NULL,
  failures bigint NOT NULL,
  PRIMARY KEY (partner_id, direction, module)
);
COMMENT ON TABLE exchange_health IS
  'How each module of a partner does: last success, last failure, counts.';

-- A session that is a reservation belongs to the partner that reserved. The start that replaces it has its own partner.
CREATE FUNCTION session_reserved_roaming()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    SELECT g.roaming, (g.roaming ->> 'partnerId')::uuid INTO NEW.roaming, NEW.partner_id FROM token_grant g
    WHERE g.command_id = NEW.id AND g.organisation_id = NEW.organisation_id;
    RETURN NEW;
  END
  $function$;

CREATE TRIGGER session_reserved_roaming BEFORE INSERT ON session
  FOR EACH ROW WHEN (new.reservation_only) EXECUTE FUNCTION session_reserved_roaming();

-- By the database's clock, as late as possible: a row that is stored after a partner's request must not look older than the request.
CREATE FUNCTION session_roaming_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO session_roaming AS r (session_id, organisation_id, partner_id, last_updated)
    VALUES (NEW.id, NEW.organisation_id, NEW.partner_id, clock_timestamp())
    ON CONFLICT (session_id) DO UPDATE SET partner_id = excluded.partner_id,
      last_updated = greatest(excluded.last_updated, r.last_updated + interval '1 millisecond');
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER session_roaming_changed AFTER INSERT OR UPDATE ON session
  FOR EACH ROW WHEN ((new.partner_id IS NOT NULL)) EXECUTE FUNCTION session_roaming_changed();

-- Deletes the row with its session.
CREATE FUNCTION session_roaming_gone()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    DELETE FROM session_roaming WHERE session_id = OLD.id;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER session_roaming_gone AFTER DELETE ON session
  FOR EACH ROW WHEN ((old.partner_id IS NOT NULL)) EXECUTE FUNCTION session_roaming_gone();

-- A price and an operator's correction change what partners see of a session.
CREATE FUNCTION session_roaming_touch()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    UPDATE session_roaming SET last_updated = greatest(clock_timestamp(), last_updated + interval '1 millisecond')
    WHERE session_id = NEW.session_id;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER session_roaming_reviewed AFTER INSERT OR UPDATE ON session_review
  FOR EACH ROW EXECUTE FUNCTION session_roaming_touch();

-- What decides on a card beside the card itself: partners and the parties that they speak for (`token_stamp`).
CREATE TRIGGER roaming_token_stamp_made AFTER INSERT ON roaming_token REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER roaming_token_stamp_changed AFTER UPDATE ON roaming_token REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER roaming_token_stamp_removed AFTER DELETE ON roaming_token REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_party_stamp_made AFTER INSERT ON partner_party REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_party_stamp_changed AFTER UPDATE ON partner_party REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_party_stamp_removed AFTER DELETE ON partner_party REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_stamp_made AFTER INSERT ON partner REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_stamp_changed AFTER UPDATE ON partner REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER partner_stamp_removed AFTER DELETE ON partner REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
