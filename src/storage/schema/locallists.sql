-- Local authorization lists: what each charger's list contains, and what the end of a command says about it.
-- Every write of a token is made under the journal's lock, so that change numbers become visible in order.

CREATE TABLE local_list (
  charger_id text PRIMARY KEY REFERENCES charger (charger_id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL,
  version integer NOT NULL DEFAULT 0,
  -- Last token change that the charger's list contains.
  synced_seq bigint NOT NULL DEFAULT 0,
  -- Change number at which a list that takes several messages is complete.
  fill_to bigint NOT NULL DEFAULT 0,
  needs_full boolean NOT NULL DEFAULT true,
  state text NOT NULL DEFAULT 'Unknown' CHECK (state IN ('Unknown', 'InStep', 'Sending', 'Disabled', 'Unsupported', 'Failed')),
  checked_epoch bigint,
  checked_at timestamptz,
  -- pending_*: what the list becomes when the charger accepts the message on its way.
  pending_version integer,
  pending_seq bigint,
  pending_fill bigint,
  pending_full boolean NOT NULL DEFAULT false,
  -- Failures in a row, for ever longer pauses.
  attempts integer NOT NULL DEFAULT 0,
  looked_at timestamptz NOT NULL,
  next_look_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  reason text
) WITH (fillfactor = 70);
COMMENT ON TABLE local_list IS
  'State of each charger''s local authorization list, and when it is looked at next.';
CREATE INDEX local_list_organisation ON local_list (organisation_id, charger_id);

-- Tries again after ever longer pauses, up to six hours.
CREATE FUNCTION local_list_failed(l local_list, c command)
RETURNS void
LANGUAGE sql
AS $function$
  UPDATE local_list SET state = 'Failed', attempts = least(attempts + 1, 20), updated_at = c.completed_at,
    next_look_at = c.completed_at + least(interval '6 hours', interval '30 seconds' * 2 ^ least(attempts, 20))
  WHERE charger_id = l.charger_id
$function$;

-- The end of SendLocalList (OCPP 1.6 §5.15, §7.47).
CREATE FUNCTION local_list_sent(l local_list, c command)
RETURNS void
LANGUAGE plpgsql
AS $function$
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
$function$;

-- The end of GetLocalListVersion. The version of a message on its way says that it arrived; another one than ours says that the list
-- is not what we sent, and it is sent whole again. -1 says that there is no such list (OCPP 1.6 §6.30).
CREATE FUNCTION local_list_version_told(l local_list, c command)
RETURNS void
LANGUAGE plpgsql
AS $function$
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
$function$;

-- The end of a command about a charger's list, whoever sent it. Where no list is kept, a row begins with the first answer that says
-- something of it.
CREATE FUNCTION local_list_command_ended()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
DECLARE
  l local_list;
  v_word text := coalesce(NEW.result ->> 'status', NEW.result ->> 'errorCode', '');
  v_unsupported boolean := lower(v_word) IN ('notsupported', 'notimplemented');
BEGIN
  IF NEW.status = 'Accepted' OR v_unsupported THEN
    INSERT INTO local_list (charger_id, organisation_id, looked_at, next_look_at, updated_at)
    SELECT c.charger_id, c.organisation_id, NEW.completed_at, NEW.completed_at, NEW.completed_at FROM charger c
    WHERE c.charger_id = NEW.charger_id AND c.organisation_id = NEW.organisation_id
    ON CONFLICT (charger_id) DO NOTHING;
  END IF;
  SELECT * INTO l FROM local_list WHERE charger_id = NEW.charger_id AND organisation_id = NEW.organisation_id;
  IF l.charger_id IS NULL THEN RETURN NULL; END IF;
  IF NEW.type = 'SendLocalList' THEN
    PERFORM local_list_sent(l, NEW);
    -- Also one that an operator sent: that is the version that the charger has now.
    IF NEW.status = 'Accepted' THEN
      UPDATE local_list SET version = (NEW.command ->> 'listVersion')::int WHERE charger_id = l.charger_id;
    END IF;
  ELSE PERFORM local_list_version_told(l, NEW);
  END IF;
  UPDATE local_list SET reason = CASE state
    WHEN 'Unsupported' THEN CASE WHEN v_unsupported THEN 'the charger says ' || v_word || ' to messages about its list'
      ELSE 'the charger says by listVersion -1 that it has no list' END
    WHEN 'Failed' THEN 'the charger''s last answer was ' || left(coalesce(nullif(v_word, ''), NEW.status), 50) || '; it is asked again later'
    END
  WHERE charger_id = l.charger_id;
  RETURN NULL;
END
$function$;

CREATE TRIGGER local_list_settled AFTER UPDATE OF status ON command
  FOR EACH ROW WHEN (((new.type = ANY (ARRAY['SendLocalList'::text, 'GetLocalListVersion'::text])) AND (new.status <> ALL (ARRAY['Pending'::text, 'Sent'::text])) AND (old.status = ANY (ARRAY['Pending'::text, 'Sent'::text])))) EXECUTE FUNCTION local_list_command_ended();
