-- Commands to chargers: the table is their queue. Facts about commands reach their rows by a trigger on the journal,
-- so that every author of such a fact changes the same row.

CREATE TABLE command (
  id uuid PRIMARY KEY,
  -- Order of issue: ids of one millisecond do not tell it.
  turn bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL CHECK (status IN ('Pending', 'Sent', 'Accepted', 'Rejected', 'Failed', 'TimedOut', 'Expired')),
  command jsonb NOT NULL,
  -- Secrets of the command, encrypted.
  sealed text,
  password_verifier bytea,
  -- What may be shown of the command; secrets are masked.
  parameters jsonb NOT NULL,
  issued_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  sent_at timestamptz,
  sent_epoch bigint,
  completed_at timestamptz,
  result jsonb,
  session_id uuid,
  file_id uuid,
  progress_status text,
  progress_at timestamptz
) WITH (fillfactor = 70);
COMMENT ON TABLE command IS
  'Commands to chargers, from issue to result. Also the queue that nodes take work from.';
-- Out of service by an operator, for uptime: few of a charger's commands.
CREATE INDEX command_availability ON command (charger_id, completed_at) WHERE ((type = 'ChangeAvailability') AND (status = 'Accepted'));
-- The few commands about a charger's certificates, among thousands of others.
CREATE INDEX command_certificates ON command (charger_id, turn) WHERE (type IN ('GetInstalledCertificateIds', 'InstallCertificate', 'DeleteCertificate'));
CREATE INDEX command_charger ON command (charger_id, id);
CREATE INDEX command_composite ON command (charger_id, id) WHERE (type = 'GetCompositeSchedule');
CREATE INDEX command_expiry ON command (expires_at) WHERE (status = 'Pending');
CREATE INDEX command_file ON command (file_id) WHERE (file_id IS NOT NULL);
-- The queue of a charger.
CREATE INDEX command_open ON command (charger_id, turn) WHERE (status IN ('Pending', 'Sent'));
CREATE INDEX command_organisation ON command (organisation_id, id);
-- Limits how many chargers an operator commands in a minute, by all keys together.
CREATE INDEX command_rate ON command (organisation_id, created_at);
-- For progress messages: the newest transfer of a charger that such a message can mean.
CREATE INDEX command_transfers ON command (charger_id, turn) WHERE (type IN ('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware'));
-- RemoteStarts that no session has followed yet.
CREATE INDEX command_unfollowed ON command (charger_id, sent_at) WHERE ((type = 'RemoteStart') AND (session_id IS NULL));

-- What facts about commands and charger documents change.
CREATE FUNCTION command_project()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.type = 'CommandIssued' THEN
    INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, expires_at, session_id)
    VALUES ((NEW.body ->> 'commandId')::uuid, NEW.organisation_id, substring(NEW.subject from 9), NEW.body ->> 'type', 'Pending',
      (NEW.body ->> 'command')::jsonb, (NEW.body ->> 'parameters')::jsonb, NEW.body ->> 'by', NEW.at,
      to_timestamp((NEW.body ->> 'expiresAt')::float8 / 1000), (NEW.body ->> 'sessionId')::uuid)
    ON CONFLICT (id) DO NOTHING;
  ELSIF NEW.type = 'CommandAnswered' THEN
    UPDATE command SET status = NEW.body ->> 'status', result = (NEW.body ->> 'result')::jsonb, completed_at = NEW.at
    WHERE id = (NEW.body ->> 'commandId')::uuid AND organisation_id = NEW.organisation_id AND status IN ('Pending', 'Sent');
  ELSE
    INSERT INTO charger_document (charger_id, organisation_id, kind, body, updated_at)
    SELECT c.charger_id, c.organisation_id, NEW.body ->> 'kind', (NEW.body ->> 'document')::jsonb, NEW.at
    FROM charger c WHERE c.charger_id = substring(NEW.subject from 9) AND c.organisation_id = NEW.organisation_id
    ON CONFLICT (charger_id, kind) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at,
      organisation_id = excluded.organisation_id;
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER journal_commands AFTER INSERT ON journal
  FOR EACH ROW WHEN ((new.type = ANY (ARRAY['CommandIssued'::text, 'CommandAnswered'::text, 'ChargerDocumentChanged'::text]))) EXECUTE FUNCTION command_project();

-- Notifies the charger's node of work, and callers of a result.
CREATE FUNCTION command_announce()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.status = 'Pending' THEN PERFORM pg_notify('voltlane_command_waiting', NEW.charger_id);
  ELSIF NEW.status <> 'Sent' THEN PERFORM pg_notify('voltlane_command_ended', NEW.id::text);
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER command_announced AFTER INSERT OR UPDATE OF status ON command
  FOR EACH ROW EXECUTE FUNCTION command_announce();

-- Progress of a transfer belongs to the newest command of the charger that the message can mean.
CREATE FUNCTION command_progress()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.body ->> 'status' = 'Idle' THEN RETURN NULL; END IF;
  UPDATE command SET progress_status = NEW.body ->> 'status', progress_at = NEW.at WHERE id = (
    SELECT m.id FROM command m
    WHERE m.charger_id = substring(NEW.subject from 9) AND m.organisation_id = NEW.organisation_id
      AND m.type IN ('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware')
      AND CASE NEW.body ->> 'kind'
        WHEN 'Diagnostics' THEN m.type = 'GetDiagnostics'
        WHEN 'Log' THEN m.type = 'GetLog'
        ELSE m.type IN ('UpdateFirmware', 'SignedUpdateFirmware') END
      AND (NEW.body ->> 'requestId' IS NULL OR m.command ->> 'requestId' = NEW.body ->> 'requestId')
      AND (m.status IN ('Sent', 'Accepted', 'TimedOut') OR m.result ->> 'errorCode' = 'ConnectionLost')
    ORDER BY m.turn DESC LIMIT 1);
  RETURN NULL;
END
$function$;

CREATE TRIGGER journal_progress AFTER INSERT ON journal
  FOR EACH ROW WHEN ((new.type = 'ProgressReported'::text)) EXECUTE FUNCTION command_progress();

-- What the end of a command says about pending credentials. What is known to be refused is dropped.
CREATE FUNCTION credentials_by_command()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
DECLARE
  v_word text := lower(NEW.result ->> 'status');
  v_code text := NEW.result ->> 'errorCode';
BEGIN
  IF NEW.status = 'Sent' THEN
    INSERT INTO charger_pending (command_id, charger_id, verifier, security_profile)
    SELECT NEW.id, NEW.charger_id, NEW.password_verifier, CASE WHEN NEW.password_verifier IS NULL THEN (NEW.command ->> 'value')::smallint END
    FROM charger c WHERE c.charger_id = NEW.charger_id
    ON CONFLICT (command_id) DO NOTHING;
  ELSIF NEW.status = 'Accepted' AND v_word = 'accepted' AND NEW.password_verifier IS NOT NULL THEN
    -- The old one is no longer taken (OCPP 2.0.1 A01.FR.03, which 1.6 has by the security whitepaper).
    UPDATE charger SET password_verifier = NEW.password_verifier, updated_at = NEW.completed_at
    WHERE charger_id = NEW.charger_id AND organisation_id = NEW.organisation_id;
    DELETE FROM charger_pending WHERE charger_id = NEW.charger_id AND verifier IS NOT NULL;
  -- A CALLERROR may come from a charger that has stored the value and stumbled afterwards: only a plain no is one.
  ELSIF NEW.status = 'Rejected' OR v_code IN ('TooManyCommands', 'NotAccepted') THEN
    DELETE FROM charger_pending WHERE command_id = NEW.id;
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER command_credentials AFTER UPDATE OF status ON command
  FOR EACH ROW WHEN (((new.type = 'ChangeConfiguration'::text) AND ((new.password_verifier IS NOT NULL) OR ((lower(btrim((new.command ->> 'key'::text))) = 'securityprofile'::text) AND ((new.command ->> 'value'::text) ~ '^[123]$'::text))))) EXECUTE FUNCTION credentials_by_command();

-- The credentials with which a charger has just connected are in force; what it might have had instead is dropped.
CREATE FUNCTION credentials_settle(p_charger text, p_verifier bytea, p_profile integer, p_at timestamp with time zone)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_organisation uuid;
  v_is_new boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  v_is_new := p_verifier IS NOT NULL AND EXISTS (
    SELECT 1 FROM charger_pending p WHERE p.charger_id = p_charger AND p.verifier = p_verifier);
  UPDATE charger SET updated_at = p_at, password_verifier = CASE WHEN v_is_new THEN p_verifier ELSE password_verifier END,
    security_profile = greatest(security_profile, coalesce(p_profile, 0))
  WHERE charger_id = p_charger RETURNING organisation_id INTO v_organisation;
  IF v_organisation IS NULL THEN RETURN; END IF;
  IF p_verifier IS NOT NULL THEN
    -- Using the old one proves nothing: the new one may take effect at a reboot. A new one drops itself and those that were sent before it.
    DELETE FROM charger_pending p USING command m
    WHERE p.charger_id = p_charger AND p.verifier IS NOT NULL AND m.id = p.command_id AND v_is_new AND m.turn <= (
      SELECT max(n.turn) FROM charger_pending u JOIN command n ON n.id = u.command_id
      WHERE u.charger_id = p_charger AND u.verifier = p_verifier);
  END IF;
  IF p_profile IS NOT NULL THEN
    DELETE FROM charger_pending WHERE charger_id = p_charger AND security_profile <= p_profile;
  END IF;
  IF v_is_new OR p_profile IS NOT NULL THEN
    INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
    VALUES (substring(sha256(convert_to('secured:' || p_charger || ':' || p_at || ':' || coalesce(p_profile, 0), 'UTF8')) for 16), v_organisation,
      'ChargerSecured', 'charger:' || p_charger, p_at, p_at,
      json_build_object('passwordChanged', v_is_new, 'securityProfile', p_profile))
    ON CONFLICT (key) DO NOTHING;
  END IF;
END
$function$;
