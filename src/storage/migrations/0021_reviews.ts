/**
 * What became of sessions after they ended: held because they cannot be believed, released as they stand, or corrected. The session's own row
 * stays what the charger told.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { told } from "./0021_told.ts"

/** Each correction has a record of its own, and lists go by number. Records of before are of no correction. */
const records = [
  `ALTER TABLE cdr ADD COLUMN revision integer NOT NULL DEFAULT 0`,
  `ALTER TABLE cdr ALTER COLUMN revision DROP DEFAULT`,
  `DROP INDEX cdr_session, cdr_organisation, cdr_charger, cdr_site`,
  `CREATE UNIQUE INDEX cdr_session ON cdr (session_id, revision) WHERE credits IS NULL`,
  `CREATE INDEX cdr_of_session ON cdr (session_id)`,
  `CREATE INDEX cdr_charger ON cdr (organisation_id, charger_id, number)`,
  `CREATE INDEX cdr_site ON cdr (organisation_id, site_id, number)`
]

/** As 0015 has it for what was new then. */
const permission = `UPDATE operator SET permissions = permissions || ARRAY['sessions:write']
  WHERE 'organisation:write' = ANY (permissions) AND 'sessions:write' <> ALL (permissions)`

const statements = [
  `CREATE TABLE session_review (
    session_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    held_reason text,
    released_at timestamptz,
    -- Counts corrections; each has a record of its own.
    revision integer NOT NULL DEFAULT 0,
    energy_wh bigint,
    started_at timestamptz,
    ended_at timestamptz,
    updated_at timestamptz NOT NULL
  )`,
  // 0 stands in for a start's missing register, and all that the meter ever counted would be billed.
  `CREATE FUNCTION session_hold_startless() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    INSERT INTO session_review (session_id, organisation_id, held_reason, updated_at)
    VALUES ((NEW.body ->> 'sessionId')::uuid, NEW.organisation_id, 'MeterStartMissing', NEW.heard_at)
    ON CONFLICT (session_id) DO NOTHING;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER journal_startless AFTER INSERT ON journal FOR EACH ROW
    WHEN (NEW.type = 'SessionStarted' AND NEW.body ->> 'meterStartMissing' = 'true') EXECUTE FUNCTION session_hold_startless()`,
  // The session before on a connector, for what its registers say.
  `CREATE INDEX session_connector ON session (charger_id, evse_id, connector_id, started_at)`
]

export const reviews = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* told
  for (const statement of [permission, ...records, ...statements]) yield* sql.unsafe(statement)
})
