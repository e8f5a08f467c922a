/**
 * Files that chargers fetch from us, and what chargers say of files. Progress belongs to the command that asked for the file, wherever
 * the file goes to or comes from: the newest one of the charger that the charger can mean.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const files = [
  `ALTER TABLE file DROP CONSTRAINT file_kind_check`,
  `ALTER TABLE file ADD CONSTRAINT file_kind_check CHECK (kind IN ('Diagnostics', 'Log', 'Firmware'))`,
  // Firmware is the organisation's own, and comes by its key.
  `ALTER TABLE file ALTER COLUMN charger_id DROP NOT NULL`,
  `ALTER TABLE file ALTER COLUMN token_verifier DROP NOT NULL`,
  // Where the content lies: one place for each attempt, so that two that come at once do not write over each other.
  `ALTER TABLE file ADD COLUMN blob text`,
  `UPDATE file SET blob = id::text WHERE state = 'Stored'`,
  `CREATE INDEX file_age ON file (created_at)`,
  // Contents that nobody owns from `due_at` on: those of removed files, and those that were begun and never told of.
  `CREATE TABLE file_doomed (blob text PRIMARY KEY, due_at timestamptz NOT NULL)`,
  `CREATE INDEX file_doomed_due ON file_doomed (due_at)`,
  `CREATE TABLE file_download (
    token_verifier bytea PRIMARY KEY,
    organisation_id uuid NOT NULL,
    file_id uuid NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    charger_id text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX file_download_file ON file_download (file_id)`,
  `CREATE INDEX file_download_expiry ON file_download (expires_at)`
]

const progress = [
  `ALTER TABLE command ADD COLUMN file_id uuid, ADD COLUMN progress_status text, ADD COLUMN progress_at timestamptz`,
  `CREATE INDEX command_file ON command (file_id) WHERE file_id IS NOT NULL`,
  `CREATE INDEX command_transfers ON command (charger_id, turn)
    WHERE type IN ('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware')`,
  // A charger says Idle when it was asked and does nothing: that is no word about any file. With a request id it means that request;
  // without one, the newest that it can have got.
  `CREATE FUNCTION command_progress() RETURNS trigger LANGUAGE plpgsql AS $function$
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
$function$`,
  // By row, since its condition is looked at without calling anything: a statement's trigger would copy every batch of facts.
  `CREATE TRIGGER journal_progress AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type = 'ProgressReported') EXECUTE FUNCTION command_progress()`
]

export const firmware = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...files, ...progress]) yield* sql.unsafe(statement)
})
