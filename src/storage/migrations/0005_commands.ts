/**
 * Commands: the table that is their queue, what ends them when nobody answered, and the projections of the facts about them. Projections
 * hang on the journal by a trigger, so that whoever appends such a fact (the charger's actor, an operator's request) changes the same row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { journalLock } from "../JournalLock.ts"
import { connectionClose, connectionOpen, journalCommit } from "./0002_journal_functions.ts"

const tables = [
  `CREATE TABLE command (
    id uuid PRIMARY KEY,
    -- In what order they were issued; ids of one millisecond do not tell.
    turn bigint GENERATED ALWAYS AS IDENTITY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    type text NOT NULL,
    status text NOT NULL CHECK (status IN ('Pending', 'Sent', 'Accepted', 'Rejected', 'Failed', 'TimedOut', 'Expired')),
    command jsonb NOT NULL,
    sealed text,
    password_verifier bytea,
    parameters jsonb NOT NULL,
    issued_by text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    sent_at timestamptz,
    sent_epoch bigint,
    completed_at timestamptz,
    result jsonb,
    session_id uuid
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX command_organisation ON command (organisation_id, id)`,
  `CREATE INDEX command_charger ON command (charger_id, id)`,
  `CREATE INDEX command_open ON command (charger_id, turn) WHERE status IN ('Pending', 'Sent')`,
  `CREATE INDEX command_expiry ON command (expires_at) WHERE status = 'Pending'`,
  `CREATE INDEX command_rate ON command (issued_by, created_at)`,
  `CREATE INDEX command_unfollowed ON command (charger_id, sent_at) WHERE type = 'RemoteStart' AND session_id IS NULL`,
  // What is known of a charger beyond its row, one document of each kind: facts hold the whole of it, so that the last one stands.
  `CREATE TABLE charger_document (
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (charger_id, kind)
  )`,
  `ALTER TABLE session ADD COLUMN reservation_id integer`,
  `INSERT INTO number_block (name, next) VALUES ('command', 1)`
]

/** What facts about commands and documents change. */
const project = `
CREATE FUNCTION command_project() RETURNS trigger LANGUAGE plpgsql AS $function$
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
$function$`

/** Tells whoever waits: the node of the charger that there is work, and callers that there is an answer. */
const announce = `
CREATE FUNCTION command_announce() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF NEW.status = 'Pending' THEN PERFORM pg_notify('voltlane_command_waiting', NEW.charger_id);
  ELSIF NEW.status <> 'Sent' THEN PERFORM pg_notify('voltlane_command_ended', NEW.id::text);
  END IF;
  RETURN NULL;
END
$function$`

/**
 * The session that a RemoteStart was followed by: the first one that the charger tells of within a quarter of an hour after it was sent,
 * of the same token and, where the command names one, on the same evse. OCPP 1.6 gives the two nothing else in common.
 */
const follow = `
CREATE FUNCTION command_follow() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_new session;
BEGIN
  -- Asked once for all starts of a statement: hardly any of them follows a command.
  FOR v_new IN
    SELECT s.* FROM started s WHERE EXISTS (
      SELECT 1 FROM command m WHERE m.charger_id = s.charger_id AND m.type = 'RemoteStart' AND m.session_id IS NULL
        AND m.sent_at > s.created_at - interval '15 minutes')
  LOOP
  UPDATE command SET session_id = v_new.id WHERE id = (
    SELECT m.id FROM command m
    WHERE m.charger_id = v_new.charger_id AND m.organisation_id = v_new.organisation_id AND m.type = 'RemoteStart' AND m.session_id IS NULL
      AND m.sent_at BETWEEN v_new.created_at - interval '15 minutes' AND v_new.created_at + interval '1 second'
      AND (m.status IN ('Sent', 'Accepted', 'TimedOut') OR m.result ->> 'errorCode' = 'ConnectionLost')
      AND lower(m.command ->> 'tokenUid') = lower(v_new.token_uid)
      AND (m.command -> 'place' IS NULL OR (m.command #>> '{place,evseId}')::int IN (0, v_new.evse_id))
    ORDER BY m.sent_at LIMIT 1);
  END LOOP;
  RETURN NULL;
END
$function$`

/** Ends commands as the fact tells; the result is the same for all of them. The trigger on the journal changes their rows. */
const conclude = `
CREATE FUNCTION commands_conclude(p_ids uuid[], p_status text, p_code text, p_description text, p_at timestamptz) RETURNS void
LANGUAGE sql AS $function$
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  SELECT substring(sha256(convert_to('command-answered|' || m.id, 'UTF8')) for 16), m.organisation_id, 'CommandAnswered',
    'charger:' || m.charger_id, p_at, p_at,
    json_build_object('commandId', m.id, 'type', m.type, 'status', p_status,
      'result', json_build_object('errorCode', p_code, 'errorDescription', p_description))
  FROM command m WHERE m.id = ANY (p_ids) AND m.status IN ('Pending', 'Sent')
  ORDER BY m.id
  ON CONFLICT (key) DO NOTHING
$function$`

/** Ends what cannot end by itself any more at these chargers: sent by a connection that is gone, or not allowed to wait for one. */
const abandon = `
CREATE FUNCTION commands_abandon(p_chargers text[], p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_lost uuid[];
  v_offline uuid[];
BEGIN
  SELECT array_agg(m.id) INTO v_lost FROM command m
  WHERE m.charger_id = ANY (p_chargers) AND m.status = 'Sent' AND NOT EXISTS (
    SELECT 1 FROM connection n WHERE n.charger_id = m.charger_id AND n.epoch = m.sent_epoch AND n.closed_at IS NULL);
  IF v_lost IS NOT NULL THEN
    PERFORM commands_conclude(v_lost, 'Failed', 'ConnectionLost',
      'the connection ended before the charger answered; what came of it is not known', p_at);
  END IF;
  SELECT array_agg(m.id) INTO v_offline FROM command m
  WHERE m.charger_id = ANY (p_chargers) AND m.status = 'Pending' AND m.expires_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM connection n WHERE n.charger_id = m.charger_id AND n.closed_at IS NULL);
  IF v_offline IS NOT NULL THEN
    PERFORM commands_conclude(v_offline, 'Failed', 'NotConnected',
      'the charger is not connected; it was not sent. Give expiresIn to let it wait', p_at);
  END IF;
END
$function$`

/** Ends what has waited too long, and what was sent by a node that is gone and has not come back. */
const expire = `
CREATE FUNCTION commands_expire(p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $function$
DECLARE
  v_late uuid[];
  v_gone text[];
BEGIN
  SELECT array_agg(id) INTO v_late FROM (
    SELECT id FROM command WHERE status = 'Pending' AND expires_at <= p_at ORDER BY expires_at LIMIT 500) late;
  SELECT array_agg(DISTINCT m.charger_id) INTO v_gone
  FROM command m JOIN connection n ON n.charger_id = m.charger_id LEFT JOIN node o ON o.node_id = n.node_id
  WHERE m.status IN ('Pending', 'Sent') AND (m.status = 'Sent' OR m.expires_at IS NULL)
    AND (n.closed_at IS NOT NULL OR n.epoch <> m.sent_epoch OR o.lease_until IS NULL OR o.lease_until < p_at - interval '1 minute');
  IF v_late IS NULL AND v_gone IS NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(${journalLock});
  IF v_late IS NOT NULL THEN
    PERFORM commands_conclude(v_late, 'Expired', 'Expired', 'the charger was not connected in time; it was not sent', p_at);
  END IF;
  IF v_gone IS NOT NULL THEN
    UPDATE connection n SET closed_at = p_at FROM node o
    WHERE n.charger_id = ANY (v_gone) AND n.closed_at IS NULL AND o.node_id = n.node_id AND o.lease_until < p_at - interval '1 minute';
    PERFORM commands_abandon(v_gone, p_at);
  END IF;
END
$function$`

/** The text with one place changed; a change that does not find its place exactly once is a mistake of this file. */
const changed = (text: string, from: string, to: string): string => {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`expected to find once: ${from}`)
  return parts.join(to)
}

const replacing = (text: string): string => changed(text, "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")

/** A session knows the reservation that its start named. */
const commitWithReservation = changed(
  changed(
    changed(
      replacing(journalCommit),
      "started_at, meter_start_wh,\n      created_at, updated_at)",
      "started_at, meter_start_wh,\n      created_at, updated_at, reservation_id)"
    ),
    "to_timestamp(x.heard / 1000), to_timestamp(x.heard / 1000)\n",
    "to_timestamp(x.heard / 1000), to_timestamp(x.heard / 1000), x.reservation\n"
  ),
  "at float8, heard float8, meter bigint)\n    -- A charger that was",
  "at float8, heard float8, meter bigint, reservation int)\n    -- A charger that was"
)

const openAbandoning = changed(
  replacing(connectionOpen),
  "  SELECT o.charger_id, o.epoch::float8 FROM opened o;\nEND",
  "  SELECT o.charger_id, o.epoch::float8 FROM opened o;\n  PERFORM commands_abandon(p_chargers, clock_timestamp());\nEND"
)

const closeAbandoning = changed(
  replacing(connectionClose),
  "  ON CONFLICT (key) DO NOTHING;\nEND",
  "  ON CONFLICT (key) DO NOTHING;\n  PERFORM commands_abandon(p_chargers, clock_timestamp());\nEND"
)

const triggers = [
  `CREATE TRIGGER journal_commands AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type IN ('CommandIssued', 'CommandAnswered', 'ChargerDocumentChanged')) EXECUTE FUNCTION command_project()`,
  `CREATE TRIGGER command_announced AFTER INSERT OR UPDATE OF status ON command FOR EACH ROW EXECUTE FUNCTION command_announce()`,
  `CREATE TRIGGER session_followed AFTER INSERT ON session REFERENCING NEW TABLE AS started
    FOR EACH STATEMENT EXECUTE FUNCTION command_follow()`
]

export const commands = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const functions = [
    project,
    announce,
    follow,
    conclude,
    abandon,
    expire,
    commitWithReservation,
    openAbandoning,
    closeAbandoning
  ]
  for (const statement of [...tables, ...functions, ...triggers]) yield* sql.unsafe(statement)
})
