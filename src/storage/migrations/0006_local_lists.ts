/**
 * Local authorisation lists: in which order an organisation's tokens changed, which of its chargers holds what of them, and what the end
 * of a command tells about it. Every write of a token is made under the journal's lock, so that its number is seen in order.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `ALTER TABLE organisation ADD COLUMN local_lists text NOT NULL DEFAULT 'Manual' CHECK (local_lists IN ('Manual', 'Managed'))`,
  `CREATE SEQUENCE token_change`,
  `ALTER TABLE token ADD COLUMN changed_seq bigint NOT NULL DEFAULT nextval('token_change')`,
  `CREATE INDEX token_changed ON token (organisation_id, changed_seq)`,
  // What a charger may still have on its list although it is gone.
  `CREATE TABLE token_removed (
    organisation_id uuid NOT NULL,
    uid_key text NOT NULL,
    uid text NOT NULL,
    removed_seq bigint NOT NULL,
    removed_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, uid_key)
  )`,
  `CREATE INDEX token_removed_seq ON token_removed (organisation_id, removed_seq)`,
  `CREATE INDEX token_removed_age ON token_removed (removed_at)`,
  // pending_…: what the message on its way comes to, once the charger has said yes to it. fill_to: where a list that takes several
  // messages is complete.
  `CREATE TABLE local_list (
    charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 0,
    synced_seq bigint NOT NULL DEFAULT 0,
    fill_to bigint NOT NULL DEFAULT 0,
    needs_full boolean NOT NULL DEFAULT true,
    state text NOT NULL DEFAULT 'Unknown' CHECK (state IN ('Unknown', 'InStep', 'Sending', 'Unsupported', 'Failed')),
    checked_epoch bigint,
    checked_at timestamptz,
    pending_version integer,
    pending_seq bigint,
    pending_fill bigint,
    pending_full boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0,
    looked_at timestamptz NOT NULL,
    next_look_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX local_list_organisation ON local_list (organisation_id, charger_id)`,
  `CREATE INDEX command_composite ON command (charger_id, id) WHERE type = 'GetCompositeSchedule'`
]

const tokenChanged = `
CREATE FUNCTION token_change_number() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  NEW.changed_seq := nextval('token_change');
  RETURN NEW;
END
$function$`

const tokenGone = `
CREATE FUNCTION token_gone() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO token_removed (organisation_id, uid_key, uid, removed_seq, removed_at)
  VALUES (OLD.organisation_id, OLD.uid_key, OLD.uid, nextval('token_change'), now())
  ON CONFLICT (organisation_id, uid_key) DO UPDATE SET uid = excluded.uid, removed_seq = excluded.removed_seq,
    removed_at = excluded.removed_at;
  RETURN NULL;
END
$function$`

const tokenBack = `
CREATE FUNCTION token_back() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM token_removed WHERE organisation_id = NEW.organisation_id AND uid_key = NEW.uid_key;
  RETURN NULL;
END
$function$`

/**
 * The end of GetLocalListVersion. The version that a message on its way would have given says that it arrived; another one than ours says
 * that the charger's list is not what we sent, and it is sent whole again. -1 is OCPP 1.6's word for no such list (§6.30).
 */
const versionTold = `
CREATE FUNCTION local_list_version_told(l local_list, c command) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_told integer := CASE WHEN c.result ->> 'listVersion' ~ '^-?[0-9]{1,9}$' THEN (c.result ->> 'listVersion')::int END;
  v_code text := lower(coalesce(c.result ->> 'errorCode', ''));
BEGIN
  IF v_told = -1 OR v_code IN ('notsupported', 'notimplemented') THEN
    UPDATE local_list SET state = 'Unsupported', checked_epoch = c.sent_epoch, checked_at = c.completed_at, pending_version = NULL,
      updated_at = c.completed_at WHERE charger_id = l.charger_id;
  ELSIF c.status = 'Accepted' AND v_told >= 0 THEN
    UPDATE local_list SET
      checked_epoch = c.sent_epoch, checked_at = c.completed_at, version = v_told,
      synced_seq = CASE WHEN v_told = l.pending_version THEN l.pending_seq ELSE l.synced_seq END,
      fill_to = CASE WHEN v_told = l.pending_version THEN l.pending_fill ELSE l.fill_to END,
      needs_full = CASE WHEN v_told = l.pending_version THEN l.needs_full AND NOT l.pending_full WHEN v_told <> l.version THEN true ELSE l.needs_full END,
      state = CASE WHEN v_told = l.pending_version OR (v_told = l.version AND NOT l.needs_full) THEN 'InStep' ELSE 'Unknown' END,
      attempts = CASE WHEN v_told = l.pending_version THEN 0 ELSE l.attempts END,
      pending_version = NULL, next_look_at = c.completed_at, updated_at = c.completed_at
    WHERE charger_id = l.charger_id;
  ELSIF c.sent_at IS NOT NULL AND v_code <> 'connectionlost' THEN
    PERFORM local_list_failed(l, c);
  END IF;
END
$function$`

/** Something went wrong that may go well later: ever longer, up to six hours, until the next try. */
const failed = `
CREATE FUNCTION local_list_failed(l local_list, c command) RETURNS void LANGUAGE sql AS $function$
  UPDATE local_list SET state = 'Failed', attempts = least(attempts + 1, 20), updated_at = c.completed_at,
    next_look_at = c.completed_at + least(interval '6 hours', interval '30 seconds' * 2 ^ least(attempts, 20))
  WHERE charger_id = l.charger_id
$function$`

/** The end of SendLocalList (OCPP 1.6 §5.15, §7.47). */
const listSent = `
CREATE FUNCTION local_list_sent(l local_list, c command) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_ours boolean := c.issued_by = 'platform' AND l.pending_version IS NOT NULL
    AND (c.command ->> 'listVersion') = l.pending_version::text;
  v_word text := lower(coalesce(c.result ->> 'status', c.result ->> 'errorCode', ''));
BEGIN
  IF c.sent_at IS NULL OR v_word = 'toomanycommands' THEN
    UPDATE local_list SET pending_version = NULL, state = 'Unknown', updated_at = c.completed_at
    WHERE charger_id = l.charger_id AND v_ours;
  ELSIF c.status = 'Accepted' AND v_ours THEN
    UPDATE local_list SET version = l.pending_version, synced_seq = l.pending_seq, fill_to = l.pending_fill,
      needs_full = l.needs_full AND NOT l.pending_full,
      attempts = 0, state = 'InStep', pending_version = NULL, next_look_at = c.completed_at, updated_at = c.completed_at
    WHERE charger_id = l.charger_id;
  ELSIF v_word IN ('notsupported', 'notimplemented') THEN
    UPDATE local_list SET state = 'Unsupported', pending_version = NULL, updated_at = c.completed_at WHERE charger_id = l.charger_id;
  ELSIF c.status = 'Accepted' OR v_word = 'versionmismatch' THEN
    -- Somebody else sent a list, or the charger's version is not what we thought: it is asked, and gets the whole list.
    UPDATE local_list SET needs_full = true, checked_epoch = NULL, state = 'Unknown', pending_version = NULL,
      next_look_at = c.completed_at, updated_at = c.completed_at
    WHERE charger_id = l.charger_id;
  ELSIF c.status = 'TimedOut' OR v_word IN ('connectionlost', 'unreadableanswer') THEN
    -- What came of it nobody knows: the version tells. It is asked at once, since a connection that is lost gives time enough.
    UPDATE local_list SET checked_epoch = NULL, state = 'Unknown', next_look_at = c.completed_at, updated_at = c.completed_at,
      needs_full = needs_full OR NOT v_ours
    WHERE charger_id = l.charger_id;
  ELSIF v_ours THEN
    -- An update that is refused is followed by the whole list at once; a whole list that is refused, by another try later.
    IF l.pending_full THEN PERFORM local_list_failed(l, c);
    ELSE UPDATE local_list SET next_look_at = c.completed_at WHERE charger_id = l.charger_id;
    END IF;
    UPDATE local_list SET needs_full = true, pending_version = NULL WHERE charger_id = l.charger_id;
  END IF;
END
$function$`

const ended = `
CREATE FUNCTION local_list_command_ended() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  l local_list;
BEGIN
  SELECT * INTO l FROM local_list WHERE charger_id = NEW.charger_id AND organisation_id = NEW.organisation_id;
  IF l.charger_id IS NULL THEN RETURN NULL; END IF;
  IF NEW.type = 'SendLocalList' THEN PERFORM local_list_sent(l, NEW);
  ELSE PERFORM local_list_version_told(l, NEW);
  END IF;
  RETURN NULL;
END
$function$`

const triggers = [
  `CREATE TRIGGER token_numbered BEFORE UPDATE ON token FOR EACH ROW
    WHEN ((OLD.uid, OLD.status, OLD.parent_uid, OLD.expires_at) IS DISTINCT FROM (NEW.uid, NEW.status, NEW.parent_uid, NEW.expires_at))
    EXECUTE FUNCTION token_change_number()`,
  `CREATE TRIGGER token_buried AFTER DELETE ON token FOR EACH ROW EXECUTE FUNCTION token_gone()`,
  `CREATE TRIGGER token_returned AFTER INSERT ON token FOR EACH ROW EXECUTE FUNCTION token_back()`,
  `CREATE TRIGGER local_list_settled AFTER UPDATE OF status ON command FOR EACH ROW
    WHEN (NEW.type IN ('SendLocalList', 'GetLocalListVersion') AND NEW.status NOT IN ('Pending', 'Sent')
      AND OLD.status IN ('Pending', 'Sent'))
    EXECUTE FUNCTION local_list_command_ended()`
]

export const localLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const functions = [tokenChanged, tokenGone, tokenBack, failed, versionTold, listSent, ended]
  for (const statement of [...tables, ...functions, ...triggers]) yield* sql.unsafe(statement)
})
