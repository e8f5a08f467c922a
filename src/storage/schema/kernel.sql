-- Nodes of the service, the journal of facts, the OCPP message log, and the partitions by day.
-- Service-wide values belong to no organisation.

CREATE TABLE service (
  name text PRIMARY KEY,
  value bytea NOT NULL
);
COMMENT ON TABLE service IS
  'Values of the whole service, which belong to no organisation. A start checks here that it has the key this database was made with. Kept for ever.';

CREATE TABLE number_block (
  name text PRIMARY KEY,
  next bigint NOT NULL
);
COMMENT ON TABLE number_block IS
  'Number sequences of which a node takes whole blocks (transaction ids, OCPP request ids). Kept for ever.';

CREATE TABLE node (
  node_id text PRIMARY KEY,
  started_at timestamptz NOT NULL,
  lease_until timestamptz NOT NULL
);
COMMENT ON TABLE node IS
  'Running service processes and their leases. A node whose lease has run out is gone, and its connections with it.';

CREATE TABLE journal (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- First 16 bytes of SHA-256 of the business key: half the index of the text, and no text to leak.
  key bytea NOT NULL UNIQUE,
  organisation_id uuid NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL,
  body json NOT NULL
);
COMMENT ON TABLE journal IS
  'Facts in order of commit: the source for subscribers, prices and the audit log. Appended to only, under one advisory lock. Kept for ever.';
-- The audit log: the few facts with an author. Readings have none and are by far the most; their bodies are not parsed for this.
CREATE INDEX journal_audit ON journal (organisation_id, position) WHERE ((type <> 'MeterRead') AND ((body ->> 'by') IS NOT NULL));
-- The audit log of one subject.
CREATE INDEX journal_audit_subject ON journal (organisation_id, subject, position) WHERE ((type <> 'MeterRead') AND ((body ->> 'by') IS NOT NULL));
-- The audit log of one author, of one action, and of a stretch of time.
CREATE INDEX journal_audit_actor ON journal (organisation_id, (body ->> 'by'), position) WHERE ((type <> 'MeterRead') AND ((body ->> 'by') IS NOT NULL));
CREATE INDEX journal_audit_action ON journal (organisation_id, type, position) WHERE ((type <> 'MeterRead') AND ((body ->> 'by') IS NOT NULL));
CREATE INDEX journal_audit_at ON journal (organisation_id, at) WHERE ((type <> 'MeterRead') AND ((body ->> 'by') IS NOT NULL));
-- Signing requests of a charger.
CREATE INDEX journal_certificate_requests ON journal (subject, position) WHERE (type = 'CertificateSigningRequested');
-- What was answered to a card. Uids are ASCII in OCPP 1.6, where lower() is what the domain compares by.
CREATE INDEX journal_authorizations ON journal (organisation_id, lower(body ->> 'tokenUid'), position) WHERE (type = 'TokenAuthorized');
-- What cards were answered in the whole organisation, and the refusals among it.
CREATE INDEX journal_answers ON journal (organisation_id, position) WHERE (type IN ('TokenAuthorized', 'SessionStarted'));
CREATE INDEX journal_refusals ON journal (organisation_id, position)
  WHERE ((type IN ('TokenAuthorized', 'SessionStarted')) AND ((body #>> '{authorization,status}') <> 'Accepted'));
-- BRIN: positions and times grow together.
CREATE INDEX journal_heard ON journal USING brin (heard_at);

CREATE TABLE journal_reader (
  name text PRIMARY KEY,
  position bigint NOT NULL
);
COMMENT ON TABLE journal_reader IS
  'How far a background job has read the journal. One row for each job.';

CREATE TABLE message (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  at timestamptz NOT NULL,
  direction text NOT NULL,
  kind text NOT NULL,
  action text NOT NULL,
  message_id text NOT NULL,
  frame text NOT NULL,
  -- Bytes of the whole frame where the log has cut it; NULL where it has all.
  cut_from integer
) PARTITION BY RANGE (at);
COMMENT ON TABLE message IS
  'Log of OCPP frames, partitioned by day. Whole days are dropped after the message log''s retention.';
CREATE INDEX message_charger ON message (charger_id, at, id);

CREATE TABLE message_other PARTITION OF message DEFAULT;
COMMENT ON TABLE message_other IS
  'Messages of days that have no partition. Moved when the partition is made, deleted by the message log''s retention.';

-- Where each sequence and reader begins.
INSERT INTO number_block (name, next) VALUES ('transaction', 1), ('command', 1);
INSERT INTO journal_reader (name, position) VALUES ('prices', 0), ('work', 0);

-- Notifies readers of the journal with each commit of facts.
CREATE FUNCTION journal_committed()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_notify('voltlane_journal', '');
    RETURN NULL;
  END
  $function$;

CREATE TRIGGER journal_committed AFTER INSERT ON journal
  FOR EACH STATEMENT EXECUTE FUNCTION journal_committed();

-- Makes the partitions of meter and message for the coming days, and moves rows of those days out of the default partition.
CREATE FUNCTION make_day_partitions(p_from date, p_days integer)
RETURNS void
LANGUAGE plpgsql
AS $function$
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
$function$;

-- Drops the partitions of the message log before a day. Readings are kept.
CREATE FUNCTION drop_day_partitions(p_before date)
RETURNS void
LANGUAGE plpgsql
AS $function$
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
$function$;
