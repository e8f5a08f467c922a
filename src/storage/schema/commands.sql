-- Commands to chargers: the table is their queue. A trigger on the journal applies facts about commands to their rows, so that every author
-- of such a fact changes the same row.

CREATE TABLE command (
  id uuid PRIMARY KEY,
  -- The order of issue, which ids of the same millisecond do not give.
  turn bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL CHECK (status IN ('Pending', 'Sent', 'Accepted', 'Rejected', 'Failed', 'TimedOut', 'Expired')),
  command jsonb NOT NULL,
  -- The command with its secrets.
  sealed sealed,
  password_verifier bytea,
  -- The part of the command that may be shown, with secrets masked.
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
  'Commands to chargers, from issue to result. Also the queue that nodes take work from. Deleted after the commands'' retention, except those whose last answer is what is known of a charger.';
-- Chargers taken out of service by an operator, for uptime: few of a charger's commands. By EVSE, so that the last one before a time is
-- found at once.
CREATE INDEX command_availability ON command (charger_id, ((command #>> '{place,evseId}')::integer), completed_at) WHERE ((type = 'ChangeAvailability') AND (status = 'Accepted'));
-- The few commands about a charger's certificates, among thousands of others.
CREATE INDEX command_certificates ON command (charger_id, turn) WHERE (type IN ('GetInstalledCertificateIds', 'InstallCertificate', 'DeleteCertificate'));
CREATE INDEX command_charger ON command (charger_id, id);
CREATE INDEX command_composite ON command (charger_id, id) WHERE (type = 'GetCompositeSchedule');
CREATE INDEX command_expiry ON command (expires_at) WHERE ((status = 'Pending') AND (expires_at IS NOT NULL));
CREATE INDEX command_file ON command (file_id) WHERE (file_id IS NOT NULL);
-- For progress messages: the newest transfer of a charger that such a message can be about.
CREATE INDEX command_transfers ON command (charger_id, turn) WHERE (type IN ('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware'));
-- RemoteStarts that no session has followed yet.
CREATE INDEX command_unfollowed ON command (charger_id, sent_at) WHERE ((type = 'RemoteStart') AND (session_id IS NULL));
-- For lookups of single commands. These indexes come last: while there are few commands, a plan costs the same with any index, and
-- PostgreSQL chooses the newest.
CREATE INDEX command_organisation ON command (organisation_id, id);
-- The queue of a charger.
CREATE INDEX command_open ON command (charger_id, turn) WHERE (status IN ('Pending', 'Sent'));
-- Limits how many chargers an operator commands in a minute, with all keys together.
CREATE INDEX command_rate ON command (organisation_id, created_at) WHERE (issued_by <> 'platform');

-- Applies facts about commands and charger documents.
CREATE FUNCTION command_project()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.type = 'CommandIssued' THEN
    INSERT INTO command (id, organisation_id, charger_id, type, status, command, sealed, parameters, issued_by, created_at, expires_at, session_id)
    VALUES ((NEW.body ->> 'commandId')::uuid, NEW.organisation_id, substring(NEW.subject from 9), NEW.body ->> 'type', 'Pending',
      (NEW.body ->> 'command')::jsonb, NEW.body ->> 'sealed', (NEW.body ->> 'parameters')::jsonb, NEW.body ->> 'by', NEW.at,
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

-- When the number of chargers commanded since `p_since` reached `p_most`, without `p_charger`; null if it has not. It counts commands of
-- `p_types` whose issuer matches `p_like` and not `p_unlike`; each charger counts at its own last command. The platform's commands do not
-- count and are not in the index used. Also null if `p_types` is null: then the requested command does not count.
CREATE FUNCTION command_cap_reached(p_organisation uuid, p_charger text, p_like text, p_unlike text, p_types text[], p_since timestamptz, p_most integer)
RETURNS timestamptz
LANGUAGE sql STABLE
AS $function$
  SELECT max(r.created_at) AS at FROM command r
  WHERE p_types IS NOT NULL AND r.organisation_id = p_organisation AND r.issued_by <> 'platform' AND r.issued_by LIKE p_like AND r.issued_by NOT LIKE p_unlike
    AND r.created_at > p_since AND r.type = ANY (p_types) AND r.charger_id <> p_charger
  GROUP BY r.charger_id ORDER BY at DESC OFFSET p_most - 1 LIMIT 1;
$function$;

-- Stores a command, with its fact, as sent by the connection of this epoch, whose actor waits to send it. Returns no row and writes nothing
-- if that connection is not the open one, if other commands wait for the charger, if the command has expired meanwhile, or if the caller
-- has reached its cap (`command_cap_reached`) or its budget of the day, `p_bytes_most` and `p_bytes_share` (`organisation_use`; null in
-- `p_bytes` for one without a budget). Other code then decides whether the command waits for its turn or is refused.
CREATE FUNCTION command_send(p_organisation uuid, p_charger text, p_epoch bigint, p_at timestamptz, p_id uuid, p_type text, p_command jsonb, p_sealed text,
  p_parameters jsonb, p_by text, p_expires timestamptz, p_session uuid, p_file uuid, p_fact json, p_like text, p_unlike text,
  p_types text[], p_since timestamptz, p_most integer, p_day date, p_bytes bigint, p_bytes_most float8,
  p_bytes_share float8)
RETURNS SETOF command
LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  PERFORM FROM charger c JOIN connection n ON n.charger_id = c.charger_id AND n.epoch = p_epoch AND n.closed_at IS NULL
  WHERE c.organisation_id = p_organisation AND c.charger_id = p_charger AND (p_expires IS NULL OR p_expires > clock_timestamp())
    AND NOT EXISTS (SELECT 1 FROM command m WHERE m.charger_id = p_charger AND m.status IN ('Pending', 'Sent'));
  IF NOT FOUND OR command_cap_reached(p_organisation, p_charger, p_like, p_unlike, p_types, p_since, p_most) IS NOT NULL THEN
    RETURN;
  END IF;
  IF p_bytes IS NOT NULL THEN
    IF EXISTS (
      SELECT 1 FROM organisation_use u
      WHERE u.organisation_id = p_organisation AND u.kind = 'audit' AND u.author IN ('', p_by) AND u.day >= p_day
        AND u.bytes + p_bytes > CASE WHEN u.author = '' THEN p_bytes_most ELSE p_bytes_share END) THEN
      RETURN;
    END IF;
    INSERT INTO organisation_use AS u (organisation_id, kind, author, day, bytes)
    SELECT p_organisation, 'audit', a.author, p_day, p_bytes FROM (VALUES (''), (p_by)) AS a(author) ORDER BY a.author
    ON CONFLICT (organisation_id, kind, author) DO UPDATE
      SET day = greatest(u.day, excluded.day), bytes = excluded.bytes + CASE WHEN u.day < excluded.day THEN 0 ELSE u.bytes END;
  END IF;
  RETURN QUERY INSERT INTO command (id, organisation_id, charger_id, type, status, command, sealed, parameters, issued_by, created_at, expires_at, sent_at,
    sent_epoch, session_id, file_id)
  VALUES (p_id, p_organisation, p_charger, p_type, 'Sent', p_command, p_sealed, p_parameters, p_by, p_at, p_expires, p_at, p_epoch, p_session, p_file)
  RETURNING *;
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  VALUES (substring(sha256(convert_to('command-issued|' || p_id, 'UTF8')) for 16), p_organisation, 'CommandIssued', 'charger:' || p_charger, p_at, p_at, p_fact);
END
$function$;

-- Marks the next command of a charger as sent over its connection, under the journal's lock. Returns that command, and in `hasNext` whether
-- others may wait behind it. A command that carries credentials is only reported (`isHeld`) unless `p_credentials` is true, since its
-- credentials must be stored in the same transaction.
CREATE FUNCTION command_take(p_charger text, p_epoch bigint, p_at timestamp with time zone, p_credentials boolean)
RETURNS TABLE(id uuid, command jsonb, sealed text, "isHeld" boolean, "hasNext" boolean)
LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  v_next record;
BEGIN
  PERFORM pg_advisory_xact_lock(7016996765);
  SELECT w.id, w.command, w.sealed, w.password_verifier IS NOT NULL OR w.type = 'ChangeConfiguration' AS carries INTO v_next
  FROM connection n JOIN command w ON w.charger_id = n.charger_id AND w.organisation_id = n.organisation_id
  WHERE n.charger_id = p_charger AND n.epoch = p_epoch AND n.closed_at IS NULL AND w.charger_id = p_charger AND w.status IN ('Pending', 'Sent') AND (
    (w.status = 'Sent' AND w.sent_epoch = n.epoch) OR (w.status = 'Pending' AND (w.expires_at IS NULL OR w.expires_at > p_at)))
  -- A driver waits for these: they do not wait for commands of the platform itself (templates, local lists), which may take a minute each.
  -- All other commands keep their order, in which one may depend on another.
  ORDER BY w.status = 'Sent' DESC, w.status = 'Pending' AND w.issued_by <> 'platform'
    AND w.type IN ('RemoteStart', 'RemoteStop', 'UnlockConnector', 'Reset') AND NOT EXISTS (
      SELECT 1 FROM command e WHERE e.charger_id = p_charger AND e.status = 'Pending' AND e.turn < w.turn AND e.issued_by <> 'platform'
    ) DESC, w.turn LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF p_credentials OR NOT v_next.carries THEN
    UPDATE command m SET status = 'Sent', sent_at = coalesce(m.sent_at, p_at), sent_epoch = p_epoch WHERE m.id = v_next.id;
  END IF;
  RETURN QUERY SELECT v_next.id, v_next.command, v_next.sealed::text, NOT p_credentials AND v_next.carries,
    EXISTS (SELECT 1 FROM command o WHERE o.charger_id = p_charger AND o.status = 'Pending' AND o.id <> v_next.id);
END
$function$;

-- Notifies the charger's node of a waiting command, and callers of a result.
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
