-- Charging sessions, meter readings, transaction messages without a session, and reviews. The session's own row keeps what the charger
-- reported; operators' decisions are stored in session_review.

-- charger_id and site_id have no foreign keys, since sessions outlive the charger. Pages are filled by half, so that a reading updates the
-- row within its page.
CREATE TABLE session (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  site_id uuid NOT NULL,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  -- Unique for each charger, as in OCPP.
  transaction_id text NOT NULL,
  ocpp_version text NOT NULL,
  token_uid text NOT NULL,
  token_key text NOT NULL,
  status text NOT NULL,
  authorization_status text NOT NULL,
  authorization_source text NOT NULL,
  authorized_at timestamptz NOT NULL,
  parent_uid text,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  meter_start_wh bigint NOT NULL,
  meter_stop_wh bigint,
  -- The newest register by the charger's time, in whatever order the readings arrived.
  register_wh bigint,
  register_at timestamptz,
  energy_wh bigint NOT NULL DEFAULT 0,
  stop_reason text,
  held_reason text,
  -- A newer start showed that it has ended, although no stop was received. Its own stop may still arrive and then replaces that end.
  superseded boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  reservation_id integer,
  -- The value of updated_at for which the session was closed. Anything stored afterwards opens the session again; a real stop ends it.
  closed_as_of timestamptz,
  close_reason text,
  -- The row is a reservation. It has an end from the beginning, so that no query for running sessions finds it.
  reservation_only boolean NOT NULL DEFAULT false,
  -- The charger's clock contradicts the order of the connector's sessions, so that all times of this one are those of receipt.
  clock_ignored boolean NOT NULL DEFAULT false,
  -- The charger's clock jumped during the session, so that its length is not known.
  clock_jumped boolean NOT NULL DEFAULT false,
  -- An operator has released or corrected it, so it no longer waits for one.
  reviewed boolean NOT NULL DEFAULT false,
  -- How far the charger's clock is ahead of the service's, which matters for prices that depend on the time of day.
  clock_ahead_ms integer NOT NULL DEFAULT 0,
  partner_id uuid,
  -- The partner's contract at the start.
  roaming jsonb,
  -- Until when the charger may remember the answer to the start, so that a repeated start gets the complete answer.
  authorized_until timestamptz,
  -- The content of the stop that ended the session, to recognise a further stop with different content.
  reported_stop jsonb,
  -- A further stop contradicts the first one; the session is held until it is corrected.
  contradicted boolean NOT NULL DEFAULT false,
  -- The power at its newest reading with one, for live views: reported by the meter, or computed from two registers.
  power_w integer,
  power_at timestamptz,
  CONSTRAINT session_charger_id_transaction_id_key UNIQUE (charger_id, transaction_id)
) WITH (fillfactor = 50);
COMMENT ON TABLE session IS
  'Charging sessions, and reservations that cost something (reservation_only). Kept for ever unless a retention is set.';
CREATE INDEX session_charger ON session (charger_id, id);
-- Filtered lists are in the order of starts, each with an index of its own. No meter reading changes an indexed column, so its update stays
-- within the page. Search: by the beginning of a transaction id.
CREATE INDEX session_transaction_begins ON session (organisation_id, transaction_id text_pattern_ops);
CREATE INDEX session_started ON session (organisation_id, started_at, id);
CREATE INDEX session_charger_started ON session (charger_id, started_at, id);
CREATE INDEX session_site ON session (organisation_id, site_id, started_at, id);
CREATE INDEX session_token ON session (organisation_id, token_key, started_at, id);
CREATE INDEX session_partner_started ON session (organisation_id, partner_id, started_at, id) WHERE (partner_id IS NOT NULL);
CREATE INDEX session_pending ON session (organisation_id, id) WHERE (status = 'PENDING');
-- Sessions that a message of the charger may be about.
CREATE INDEX session_charger_open ON session (charger_id, id) WHERE ((ended_at IS NULL) OR superseded);
-- The previous session on a connector, for its registers.
CREATE INDEX session_connector ON session (charger_id, evse_id, connector_id, started_at);
-- A reading does not change it.
CREATE INDEX session_contradicted ON session (organisation_id, id) WHERE contradicted;
-- Without running sessions: otherwise a plan made while there are few sessions would use it to find all running sessions of an
-- organisation.
CREATE INDEX session_ended ON session (organisation_id, ended_at) WHERE (ended_at IS NOT NULL);
-- The few sessions that overlap a time although they began more than a day before it.
CREATE INDEX session_long ON session (organisation_id, ended_at) WHERE ((ended_at - started_at) > '1 day'::interval);
-- Sessions that wait for an operator, among millions. A reading changes none of its columns, so it stays an update within its page.
CREATE INDEX session_held ON session (organisation_id, id) WHERE ((NOT reviewed) AND (status <> 'INVALID') AND ((held_reason IS NOT NULL) OR ((closed_as_of IS NOT NULL) AND (ended_at IS NULL))));
-- Few of an organisation's sessions; used to filter by status.
CREATE INDEX session_invalid ON session (organisation_id, id) WHERE (status = 'INVALID');
CREATE INDEX session_partner ON session (organisation_id, partner_id, id) WHERE (partner_id IS NOT NULL);
-- Few of an organisation's sessions; used to filter by status.
CREATE INDEX session_reserved ON session (organisation_id, id) WHERE (status = 'RESERVATION');
-- Unused reservations, by charger. A session that is reported late may have run at a reserved connector, which changes the reservation's
-- price.
CREATE INDEX session_reserved_charger ON session (charger_id, ended_at) WHERE reservation_only;
-- For lookups of single sessions. These indexes come last: while there are few sessions, a plan costs the same with any index, and
-- PostgreSQL chooses the newest.
CREATE INDEX session_organisation ON session (organisation_id, id);
CREATE INDEX session_open ON session (organisation_id, token_key) WHERE (ended_at IS NULL);

CREATE TABLE orphan (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  action text NOT NULL,
  raw_transaction_id text,
  token_uid text,
  meter_stop_wh bigint,
  reason text,
  raw_at text,
  problem text NOT NULL,
  raw text NOT NULL,
  at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL,
  -- The message may still find its session.
  at_hand boolean NOT NULL,
  session_id uuid,
  -- The readings in a stop that waits for its start.
  readings json,
  -- The ended session that this further stop contradicts.
  contradicts uuid
);
COMMENT ON TABLE orphan IS
  'Transaction messages that fit no session: a stop whose start is not known yet, a second stop, unreadable ones. Kept as long as sessions.';
-- Messages that matter for decisions; the others are only shown to people.
CREATE INDEX orphan_charger ON orphan (charger_id, id) WHERE (at_hand AND (session_id IS NULL));

CREATE TABLE session_review (
  session_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  held_reason text,
  released_at timestamptz,
  -- The number of corrections; each has a CDR of its own.
  revision integer NOT NULL DEFAULT 0,
  energy_wh bigint,
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE session_review IS
  'What an operator or a check decided about an ended session: held, released or corrected.';
CREATE INDEX session_review_held ON session_review (organisation_id, session_id) WHERE ((held_reason IS NOT NULL) AND (released_at IS NULL));

-- Sessions whose start or end was corrected, by the corrected time.
CREATE INDEX session_review_started ON session_review (organisation_id, started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX session_review_ended ON session_review (organisation_id, ended_at) WHERE (ended_at IS NOT NULL);

-- Partitioned by the month in which the session was made, with which its id begins (UUID version 7). So all readings of a session are in
-- one partition, whatever the charger's clock says, and every lookup is by session.
CREATE TABLE meter (
  session_id uuid NOT NULL,
  at timestamptz NOT NULL,
  key bytea NOT NULL,
  charger_id text NOT NULL,
  organisation_id uuid NOT NULL,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  heard_at timestamptz NOT NULL,
  raw_at text,
  energy_wh bigint,
  samples json NOT NULL,
  PRIMARY KEY (session_id, at, key)
) PARTITION BY RANGE (session_id);
COMMENT ON TABLE meter IS
  'Meter readings of sessions, partitioned by the month of the session. Whole months are dropped after the readings'' retention.';

CREATE TABLE meter_other PARTITION OF meter DEFAULT;
COMMENT ON TABLE meter_other IS
  'Readings of sessions whose month has no partition. Moved when the partition is made.';

-- Partitioned by the charger's time. A unique index must contain the partition key, so it contains the time.
CREATE TABLE meter_unassigned (
  charger_id text NOT NULL,
  at timestamptz NOT NULL,
  key bytea NOT NULL,
  organisation_id uuid NOT NULL,
  evse_id integer NOT NULL,
  connector_id integer NOT NULL,
  heard_at timestamptz NOT NULL,
  raw_at text,
  energy_wh bigint,
  samples json NOT NULL,
  PRIMARY KEY (charger_id, at, key)
) PARTITION BY RANGE (at);
COMMENT ON TABLE meter_unassigned IS
  'Readings that belong to no session, until a start that comes later shows that they do. Whole months are dropped once no start is expected any more.';

CREATE TABLE meter_unassigned_other PARTITION OF meter_unassigned DEFAULT;
COMMENT ON TABLE meter_unassigned_other IS
  'Readings of no session of months that have no partition. Moved when the partition is made, deleted with the others heard at that time.';

-- A session as a charger's actor knows it (`KnownSession`): the only list of its columns, for all readers.
CREATE FUNCTION session_known(s session)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $function$
  SELECT jsonb_build_object('sessionId', s.id, 'transactionId', s.transaction_id, 'evseId', s.evse_id, 'connectorId', s.connector_id,
    'tokenUid', s.token_uid, 'startedAt', extract(epoch FROM s.started_at) * 1000, 'heardAt', extract(epoch FROM s.created_at) * 1000,
    'clockIgnored', s.clock_ignored,
    'meterStartWh', s.meter_start_wh, 'authorization', s.authorization_status,
    'authorizedUntil', extract(epoch FROM s.authorized_until) * 1000, 'parentUid', s.parent_uid, 'superseded', s.superseded,
    'reportedStop', s.reported_stop, 'ended', s.ended_at IS NOT NULL, 'endedAt', extract(epoch FROM s.ended_at) * 1000,
    'registerWh', s.register_wh, 'registerAt', extract(epoch FROM s.register_at) * 1000)
$function$;

-- Readings without a transaction that arrived before a delayed start belong to its session, even if they were assigned to an earlier
-- session on the connector. They are searched once, when the start is stored, with one query for all starts of a commit.
CREATE FUNCTION session_take_early_readings()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $function$
  DECLARE
    s record;
    v_until timestamptz;
  BEGIN
    FOR s IN
      SELECT x.id, x.organisation_id, x.charger_id, x.evse_id, x.connector_id, x.started_at, e.earlier FROM started x
      CROSS JOIN LATERAL (
        SELECT array_agg(b.id) AS earlier FROM (
          SELECT o.id FROM session o
          WHERE o.charger_id = x.charger_id AND o.evse_id = x.evse_id AND o.connector_id = x.connector_id
            AND o.started_at < x.started_at AND NOT o.reservation_only
          -- Readings without a transaction are assigned to the running session, so to one of the last ones before.
          ORDER BY o.started_at DESC LIMIT 3
        ) b
      ) e
      WHERE NOT x.reservation_only AND (
        EXISTS (SELECT FROM meter_unassigned u WHERE u.charger_id = x.charger_id AND u.at >= x.started_at)
        OR EXISTS (SELECT FROM unnest(e.earlier) AS b(id) JOIN meter m ON m.session_id = b.id AND m.at >= x.started_at))
    LOOP
      v_until := least(s.started_at + interval '60 days', (
        SELECT min(n.started_at) FROM session n
        WHERE n.charger_id = s.charger_id AND n.evse_id = s.evse_id AND n.connector_id = s.connector_id AND n.started_at > s.started_at
          AND NOT n.reservation_only));
      WITH early AS (
        DELETE FROM meter_unassigned u
        WHERE u.charger_id = s.charger_id AND u.at >= s.started_at AND u.at < v_until
          AND u.organisation_id = s.organisation_id AND u.evse_id = s.evse_id AND u.connector_id = s.connector_id
        RETURNING u.*
      )
      INSERT INTO meter (session_id, at, key, charger_id, organisation_id, evse_id, connector_id, heard_at, raw_at, energy_wh, samples)
      SELECT s.id, u.at, u.key, u.charger_id, u.organisation_id, u.evse_id, u.connector_id, u.heard_at, u.raw_at, u.energy_wh, u.samples
      FROM early u
      ON CONFLICT DO NOTHING;
      UPDATE meter m SET session_id = s.id
      FROM session e
      WHERE e.id = ANY (s.earlier) AND m.session_id = e.id AND m.at >= s.started_at AND m.at < v_until
        AND (e.ended_at IS NULL OR e.ended_at < m.at)
        AND m.organisation_id = s.organisation_id AND m.evse_id = s.evse_id AND m.connector_id = s.connector_id;
    END LOOP;
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER session_early_readings AFTER INSERT ON session
  REFERENCING NEW TABLE AS started
  FOR EACH STATEMENT EXECUTE FUNCTION session_take_early_readings();
