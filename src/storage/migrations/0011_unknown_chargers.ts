/**
 * Ids that knocked and are not registered: they belong to no organisation, and are gone when one registers them. And which reservation a
 * start consumes, once more, as `consumedBy` of `src/domain/reservation` says it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements: ReadonlyArray<string> = [
  // The bounds are those of what is let in; they hold whatever the service does.
  `CREATE TABLE unknown_charger (
    charger_id text PRIMARY KEY CHECK (length(charger_id) <= 48),
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    attempts integer NOT NULL,
    remote_address text NOT NULL CHECK (length(remote_address) <= 64),
    subprotocols text[] NOT NULL CHECK (cardinality(subprotocols) <= 8)
  )`,
  `CREATE INDEX unknown_charger_last ON unknown_charger (last_seen, charger_id)`,
  `CREATE INDEX unknown_charger_first ON unknown_charger (first_seen, charger_id)`,
  `CREATE FUNCTION charger_is_known() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM unknown_charger WHERE charger_id = NEW.charger_id;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER charger_known AFTER INSERT ON charger FOR EACH ROW EXECUTE FUNCTION charger_is_known()`,
  // The few commands that tell of a charger's certificates, among the thousands of others that it was ever sent.
  `CREATE INDEX command_certificates ON command (charger_id, turn)
    WHERE type IN ('GetInstalledCertificateIds', 'InstallCertificate', 'DeleteCertificate')`,
  // A start that names a reservation shows that the charger has it, also where its answer is stored after the start; and of several of one
  // id the latest is meant, whatever connector the others were of.
  `CREATE OR REPLACE FUNCTION reservation_by_start() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_new session;
BEGIN
  -- A refused start never eats a reservation.
  FOR v_new IN
    SELECT s.* FROM started s WHERE s.authorization_status = 'Accepted' AND EXISTS (
      SELECT 1 FROM reservation r WHERE r.charger_id = s.charger_id AND r.status IN ('Pending', 'Active', 'Unknown', 'Expired'))
    ORDER BY s.id
  LOOP
  UPDATE reservation SET status = 'Used', session_id = v_new.id, updated_at = v_new.created_at WHERE command_id = (
    SELECT r.command_id FROM reservation r
    WHERE r.charger_id = v_new.charger_id AND r.organisation_id = v_new.organisation_id AND v_new.started_at < r.expires_at
      AND (r.status IN ('Active', 'Unknown', 'Expired') OR (r.status = 'Pending' AND v_new.reservation_id IS NOT NULL))
      AND CASE WHEN v_new.reservation_id IS NOT NULL
        THEN r.reservation_id = v_new.reservation_id
          AND (lower(r.token_uid) IN (v_new.token_key, lower(v_new.token_uid)) OR lower(r.parent_uid) = lower(v_new.parent_uid))
        ELSE lower(r.token_uid) IN (v_new.token_key, lower(v_new.token_uid)) AND r.evse_id IN (0, v_new.evse_id) END
    ORDER BY r.status = 'Pending', CASE WHEN v_new.reservation_id IS NULL THEN r.evse_id END DESC, r.command_id DESC LIMIT 1);
  END LOOP;
  RETURN NULL;
END
$function$`
]

export const unknownChargers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
