/**
 * How a charger's password is rotated and its security profile raised without ever locking it out. Between sending the new value and
 * knowing that the charger has it, both are taken; what is known to be refused is dropped, and what a charger connects with stands.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { journalLock } from "../JournalLock.ts"

const statements = [
  `CREATE TABLE charger_pending (
    command_id uuid PRIMARY KEY,
    charger_id text NOT NULL REFERENCES charger (charger_id) ON DELETE CASCADE,
    verifier bytea,
    security_profile smallint
  )`,
  `CREATE INDEX journal_certificate_requests ON journal (subject, position) WHERE type = 'CertificateSigningRequested'`,
  `CREATE INDEX charger_pending_charger ON charger_pending (charger_id, command_id)`,
  `CREATE FUNCTION credentials_by_command() RETURNS trigger LANGUAGE plpgsql AS $function$
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
$function$`,
  `CREATE TRIGGER command_credentials AFTER UPDATE OF status ON command FOR EACH ROW
    WHEN (NEW.type = 'ChangeConfiguration' AND (NEW.password_verifier IS NOT NULL
      OR (lower(btrim(NEW.command ->> 'key')) = 'securityprofile' AND NEW.command ->> 'value' ~ '^[123]$')))
    EXECUTE FUNCTION credentials_by_command()`,
  // What a charger has just proved itself with stands, and what it might have had instead is dropped.
  `CREATE FUNCTION credentials_settle(p_charger text, p_verifier bytea, p_profile int, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  v_organisation uuid;
  v_is_new boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(${journalLock});
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
$function$`
]

export const pendingCredentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
