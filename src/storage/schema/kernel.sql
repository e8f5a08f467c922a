-- Nodes of the service, the journal of facts, the OCPP message log, and the partitions by day and month.
-- Service-wide values belong to no organisation.

-- Encrypted text. `voltlane rotate-key` encrypts every column of this type anew.
CREATE DOMAIN sealed AS text;
-- A document in which texts named `sealed` are encrypted.
CREATE DOMAIN sealed_document AS jsonb;

CREATE TABLE service (
  name text PRIMARY KEY,
  value bytea NOT NULL
);
COMMENT ON TABLE service IS
  'Values of the whole service, which belong to no organisation: the keys of all hashes and encrypted values, encrypted under SECRET_KEY. Kept for ever.';

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
  'Running service processes and their leases. A node whose lease has run out is gone, and its connections with it; its row is deleted a month later.';

CREATE TABLE journal (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- First 16 bytes of SHA-256 of the business key. The index is half as large as with the text, and no text can leak.
  key bytea NOT NULL UNIQUE,
  organisation_id uuid NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL,
  body json NOT NULL,
  -- The author, for the audit log. Extracted from the body once, and not for readings, which are by far the most facts and have no author.
  author text GENERATED ALWAYS AS (CASE WHEN type <> 'MeterRead' THEN body ->> 'by' END) STORED
);
COMMENT ON TABLE journal IS
  'Facts in order of commit: the source for subscribers, prices and the audit log. Appended to only, under one advisory lock. Facts with an author are kept as long as the audit log, those of starts and ends as long as sessions (for ever unless set); others are deleted after the facts'' retention.';
-- The audit log: the few facts with an author. It is ordered by -position, newest first, like no other index. There are no statistics about
-- how few facts have an author, so for an order by position PostgreSQL would scan the primary key, with every fact of every organisation.
CREATE INDEX journal_audit ON journal (organisation_id, (- position)) WHERE (author IS NOT NULL);
-- The audit log of one subject.
CREATE INDEX journal_audit_subject ON journal (organisation_id, subject, (- position)) WHERE (author IS NOT NULL);
-- The audit log of one author, of one action, and of a time span.
CREATE INDEX journal_audit_actor ON journal (organisation_id, author, (- position)) WHERE (author IS NOT NULL);
CREATE INDEX journal_audit_action ON journal (organisation_id, type, (- position)) WHERE (author IS NOT NULL);
CREATE INDEX journal_audit_at ON journal (organisation_id, at) WHERE (author IS NOT NULL);
-- Signing requests of a charger.
CREATE INDEX journal_certificate_requests ON journal (subject, position) WHERE (type = 'CertificateSigningRequested');
-- The answers to a card. Uids are ASCII in OCPP 1.6, where lower() is what the domain compares by.
CREATE INDEX journal_authorizations ON journal (organisation_id, lower(body ->> 'tokenUid'), position) WHERE (type = 'TokenAuthorized');
-- The answers to cards in the whole organisation, and the refusals among them. They have an order of their own, like the audit log.
CREATE INDEX journal_answers ON journal (organisation_id, (- position)) WHERE (type IN ('TokenAuthorized', 'SessionStarted'));
CREATE INDEX journal_refusals ON journal (organisation_id, (- position))
  WHERE ((type IN ('TokenAuthorized', 'SessionStarted')) AND ((body #>> '{authorization,status}') <> 'Accepted'));
-- BRIN: positions and times increase together.
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
  -- Bytes of the whole frame if the log has cut it; NULL if the frame is complete.
  cut_from integer
) PARTITION BY RANGE (at);
COMMENT ON TABLE message IS
  'Log of OCPP frames, partitioned by day. Whole days are dropped after the message log''s retention.';
CREATE INDEX message_charger ON message (charger_id, at, id);

CREATE TABLE message_other PARTITION OF message DEFAULT;
COMMENT ON TABLE message_other IS
  'Messages of days that have no partition. Moved when the partition is made, deleted by the message log''s retention.';

CREATE TABLE message_use (
  day date NOT NULL,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (day, organisation_id, charger_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE message_use IS
  'Bytes of the day (UTC) that the message log has of each charger, for its budgets. Deleted two days later, with the first bytes of that day.';

-- The initial values of sequences and readers.
INSERT INTO number_block (name, next) VALUES ('transaction', 1), ('command', 1);
INSERT INTO journal_reader (name, position) VALUES ('prices', 0), ('work', 0), ('retention', 0), ('retention of sessions', 0), ('retention of the audit log', 0),
  ('drift', 0);

-- Creates one partition of a table, and moves rows within its bounds from the default partition.
CREATE FUNCTION make_partition(p_parent text, p_name text, p_column text, p_from text, p_to text)
RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  IF to_regclass(p_name) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', p_name, p_parent);
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', p_parent || '_other');
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
    p_parent || '_other', p_column, p_from, p_column, p_to, p_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, p_from, p_to);
END
$function$;

-- The lowest version 7 UUID of a time (RFC 9562 section 5.7: it begins with the milliseconds).
CREATE FUNCTION uuid_at(p_at timestamp with time zone)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
AS $function$
  SELECT (lpad(to_hex(floor(extract(epoch FROM p_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

-- The time at which a version 7 UUID was made, the inverse of `uuid_at`.
CREATE FUNCTION uuid_time(p_id uuid)
RETURNS timestamp with time zone
LANGUAGE sql
IMMUTABLE
AS $function$
  SELECT to_timestamp(('x' || translate(left(p_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0::float8)
$function$;

-- Creates the partitions of the message log for the coming days, and those of readings for the coming months.
CREATE FUNCTION make_partitions(p_from date, p_days integer)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_day date;
  v_next date;
BEGIN
  -- Two nodes may do this at once; the second one finds that the tables exist.
  PERFORM pg_advisory_xact_lock(7016996766);
  FOR v_day IN SELECT p_from + g FROM generate_series(-1, p_days) g LOOP
    PERFORM make_partition('message', 'message_' || to_char(v_day, 'YYYYMMDD'), 'at', v_day::text || 'T00:00:00Z',
      (v_day + 1)::text || 'T00:00:00Z');
  END LOOP;
  FOR v_day IN SELECT (date_trunc('month', p_from) + g * interval '1 month')::date FROM generate_series(-1, 2) g LOOP
    v_next := (v_day + interval '1 month')::date;
    PERFORM make_partition('meter', 'meter_' || to_char(v_day, 'YYYYMM'), 'session_id',
      uuid_at((v_day::text || 'T00:00:00Z')::timestamptz)::text, uuid_at((v_next::text || 'T00:00:00Z')::timestamptz)::text);
    PERFORM make_partition('meter_unassigned', 'meter_unassigned_' || to_char(v_day, 'YYYYMM'), 'at', v_day::text || 'T00:00:00Z',
      v_next::text || 'T00:00:00Z');
  END LOOP;
END
$function$;

-- Drops the partitions of a table whose day or month is before a date. Rows of a day without a partition of its own are in the default
-- partition and are deleted by the column `p_heard`.
CREATE FUNCTION drop_partitions(p_parent text, p_before date, p_heard text)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_name text;
  v_stamp text;
BEGIN
  PERFORM pg_advisory_xact_lock(7016996766);
  FOR v_name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = p_parent::regclass LOOP
    v_stamp := substring(v_name from '^' || p_parent || '_([0-9]{6}(?:[0-9]{2})?)$');
    IF length(v_stamp) = 8 AND to_date(v_stamp, 'YYYYMMDD') < p_before
      OR length(v_stamp) = 6 AND to_date(v_stamp, 'YYYYMM') + interval '1 month' <= p_before THEN
      EXECUTE format('DROP TABLE %I', v_name);
    END IF;
  END LOOP;
  EXECUTE format('DELETE FROM %I WHERE %I < %L', p_parent || '_other', p_heard, p_before::text || 'T00:00:00Z');
END
$function$;
