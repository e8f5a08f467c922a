/**
 * What commands come to, told more truly: reservations that were never sent, and local lists that are sent by hand or that a charger cannot
 * have. And locations of files that were stored before lose what opens them. A part of `0021_reviews`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const never = `('TooManyCommands', 'NotAccepted')`

/** As before, but that what was never sent is `Failed`, and what an unreadable answer comes to is `Unknown`. */
const reserved = `
CREATE OR REPLACE FUNCTION reservation_by_command() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_id int := (NEW.command ->> 'reservationId')::int;
  v_code text := NEW.result ->> 'errorCode';
BEGIN
  IF NEW.type = 'ReserveNow' AND TG_OP = 'INSERT' THEN
    INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, parent_uid, expires_at, status,
      created_at, updated_at)
    VALUES (NEW.id, NEW.organisation_id, NEW.charger_id, v_id, (NEW.command #>> '{place,evseId}')::int, NEW.command ->> 'tokenUid',
      NEW.command ->> 'parentUid', to_timestamp((NEW.command ->> 'expiresAt')::float8 / 1000), 'Pending', NEW.created_at, NEW.created_at);
  ELSIF NEW.type = 'ReserveNow' AND NEW.status NOT IN ('Pending', 'Sent') THEN
    UPDATE reservation SET updated_at = NEW.completed_at,
      reason = CASE WHEN NEW.status <> 'Accepted' THEN coalesce(NEW.result ->> 'status', v_code) END,
      status = CASE
        WHEN NEW.status = 'Accepted' THEN 'Active'
        -- What came of it nobody knows: a start may yet show that the charger has it.
        WHEN NEW.status = 'TimedOut' OR v_code IN ('ConnectionLost', 'UnreadableAnswer') THEN 'Unknown'
        -- The charger was never asked: it has refused nothing.
        WHEN NEW.sent_at IS NULL OR v_code IN ${never} THEN 'Failed'
        ELSE 'Rejected' END
    WHERE command_id = NEW.id AND status = 'Pending';
    -- A reservation of the same id takes the older one's place at the charger (OCPP 1.6 §5.13).
    IF NEW.status = 'Accepted' THEN
      UPDATE reservation SET status = 'Cancelled', reason = 'Replaced', updated_at = NEW.completed_at
      WHERE charger_id = NEW.charger_id AND organisation_id = NEW.organisation_id AND reservation_id = v_id AND command_id <> NEW.id
        AND status IN ('Active', 'Unknown');
    END IF;
  ELSIF NEW.type = 'CancelReservation' AND NEW.status IN ('Accepted', 'Rejected') THEN
    -- Rejected says that the charger has no such reservation (§5.2): what we thought it had, it has not, or has no longer.
    UPDATE reservation SET updated_at = NEW.completed_at, reason = CASE WHEN NEW.status = 'Rejected' THEN 'NotAtCharger' END,
      status = CASE WHEN NEW.status = 'Rejected' AND expires_at <= NEW.completed_at THEN 'Expired' ELSE 'Cancelled' END
    WHERE charger_id = NEW.charger_id AND organisation_id = NEW.organisation_id AND reservation_id = v_id
      AND status IN ('Active', 'Unknown');
  END IF;
  RETURN NULL;
END
$function$`

const reservations = [
  `ALTER TABLE reservation DROP CONSTRAINT reservation_status_check`,
  `ALTER TABLE reservation ADD CONSTRAINT reservation_status_check
    CHECK (status IN ('Pending', 'Active', 'Rejected', 'Failed', 'Used', 'Cancelled', 'Expired', 'Unknown'))`,
  reserved,
  `UPDATE reservation r SET status = 'Failed' FROM command m
    WHERE m.id = r.command_id AND r.status = 'Rejected' AND (m.sent_at IS NULL OR m.result ->> 'errorCode' IN ${never})`
]

/**
 * The end of a command about a charger's list, whoever sent it. Of a charger whose list nobody keeps, a row begins with the first word
 * that tells something of it.
 */
const listCommandEnded = `
CREATE OR REPLACE FUNCTION local_list_command_ended() RETURNS trigger LANGUAGE plpgsql AS $function$
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
$function$`

const lists = [
  `ALTER TABLE local_list ADD COLUMN reason text`,
  `ALTER TABLE local_list DROP CONSTRAINT local_list_state_check`,
  `ALTER TABLE local_list ADD CONSTRAINT local_list_state_check
    CHECK (state IN ('Unknown', 'InStep', 'Sending', 'Disabled', 'Unsupported', 'Failed'))`,
  listCommandEnded
]

/** As `shownLocation` has it, for every location in a text. */
const shownLocations = `
CREATE FUNCTION pg_temp.shown_locations(p_text text) RETURNS text LANGUAGE sql IMMUTABLE AS $function$
  SELECT regexp_replace(regexp_replace(regexp_replace(p_text,
    '([a-z][a-z0-9+.-]{1,15}://[^/:@"]*:)[^/"]*@', '\\1***@', 'gi'),
    '(/files/(?:up|down)/)[^/?#"]+', '\\1***', 'gi'),
    '([a-z]://[^"?#]*[?#])(?:[^"]*(?:signature|token|credential|password|secret|[?&](?:sig|key|auth)=)|(?:sig|key|auth)=)[^"]*', '\\1***', 'gi')
$function$`

const transfers = `('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware')`

const locations = [
  shownLocations,
  `UPDATE command SET parameters = pg_temp.shown_locations(parameters::text)::jsonb WHERE type IN ${transfers}`,
  // What still waits goes to the charger as it is.
  `UPDATE command SET command = pg_temp.shown_locations(command::text)::jsonb
    WHERE type IN ${transfers} AND sealed IS NULL AND status NOT IN ('Pending', 'Sent')`,
  `UPDATE journal j SET body = pg_temp.shown_locations(j.body::text)::json FROM command m
    WHERE m.type IN ${transfers} AND j.key = substring(sha256(convert_to('command-issued|' || m.id, 'UTF8')) for 16)`,
  // It would last as long as the connection does.
  `DROP FUNCTION pg_temp.shown_locations(text)`
]

export const told = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...reservations, ...lists, ...locations]) yield* sql.unsafe(statement)
})
