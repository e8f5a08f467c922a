-- An organisation's own tokens, numbered by change so that local lists can be brought up to date.
-- Partners' tokens are in roaming.sql.

-- Change numbers of tokens, for all organisations.
CREATE SEQUENCE token_change;

CREATE TABLE token (
  organisation_id uuid NOT NULL REFERENCES organisation (id),
  -- The uid in the form by which it is compared (case-insensitive).
  uid_key text NOT NULL,
  uid text NOT NULL,
  type text NOT NULL,
  status text NOT NULL CHECK (status IN ('Accepted', 'Blocked', 'Expired')),
  parent_uid text,
  expires_at timestamptz,
  visual_number text,
  note text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The number of the token's last change. Numbers become visible in order, since they are assigned under the journal's lock.
  changed_seq bigint NOT NULL DEFAULT nextval('token_change'::regclass),
  PRIMARY KEY (organisation_id, uid_key)
);
COMMENT ON TABLE token IS
  'RFID cards and other tokens of the organisation''s own drivers.';
CREATE INDEX token_status ON token (organisation_id, status, uid_key);
-- Search: by the beginning of a uid, printed number or note, with any collation of the database. A whole note may be too long for an index.
CREATE INDEX token_uid_begins ON token (organisation_id, uid_key text_pattern_ops);
CREATE INDEX token_printed_begins ON token (organisation_id, lower(visual_number) text_pattern_ops) WHERE (visual_number IS NOT NULL);
CREATE INDEX token_note_begins ON token (organisation_id, lower("left"(note, 100)) text_pattern_ops) WHERE (note IS NOT NULL);
CREATE INDEX token_changed ON token (organisation_id, changed_seq);

CREATE TABLE token_stamp (
  organisation_id uuid PRIMARY KEY,
  stamp bigint NOT NULL
);
COMMENT ON TABLE token_stamp IS
  'Moves with every write of an organisation''s cards, its own or partners'', and of partners. Who remembers a card compares it. One row for each organisation.';

CREATE TABLE token_removed (
  organisation_id uuid NOT NULL,
  uid_key text NOT NULL,
  uid text NOT NULL,
  removed_seq bigint NOT NULL,
  removed_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, uid_key)
);
COMMENT ON TABLE token_removed IS
  'Deleted tokens that may still be on a charger''s local list. Deleted by age.';
CREATE INDEX token_removed_age ON token_removed (removed_at);
CREATE INDEX token_removed_seq ON token_removed (organisation_id, removed_seq);

-- Assigns the next change number to a changed token.
CREATE FUNCTION token_change_number()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.changed_seq := nextval('token_change');
  RETURN NEW;
END
$function$;

CREATE TRIGGER token_numbered BEFORE UPDATE ON token FOR EACH ROW
  WHEN ((OLD.uid, OLD.status, OLD.parent_uid, OLD.expires_at) IS DISTINCT FROM (NEW.uid, NEW.status, NEW.parent_uid, NEW.expires_at))
  EXECUTE FUNCTION token_change_number();

-- Keeps a deleted token for the local lists that may still contain it.
CREATE FUNCTION token_gone()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO token_removed (organisation_id, uid_key, uid, removed_seq, removed_at)
  VALUES (OLD.organisation_id, OLD.uid_key, OLD.uid, nextval('token_change'), now())
  ON CONFLICT (organisation_id, uid_key) DO UPDATE SET uid = excluded.uid, removed_seq = excluded.removed_seq,
    removed_at = excluded.removed_at;
  RETURN NULL;
END
$function$;

CREATE TRIGGER token_buried AFTER DELETE ON token
  FOR EACH ROW EXECUTE FUNCTION token_gone();

-- Changes the stamps of organisations whose cards or partners were written, in the same transaction.
CREATE FUNCTION token_stamp_moved()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO token_stamp AS s (organisation_id, stamp)
  SELECT DISTINCT c.organisation_id, 1 FROM changed c ORDER BY c.organisation_id
  ON CONFLICT (organisation_id) DO UPDATE SET stamp = s.stamp + 1;
  RETURN NULL;
END
$function$;

CREATE TRIGGER token_stamp_made AFTER INSERT ON token REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER token_stamp_changed AFTER UPDATE ON token REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();
CREATE TRIGGER token_stamp_removed AFTER DELETE ON token REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION token_stamp_moved();

-- A deleted token that is added again no longer counts as deleted.
CREATE FUNCTION token_back()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM token_removed WHERE organisation_id = NEW.organisation_id AND uid_key = NEW.uid_key;
  RETURN NULL;
END
$function$;

CREATE TRIGGER token_returned AFTER INSERT ON token
  FOR EACH ROW EXECUTE FUNCTION token_back();
