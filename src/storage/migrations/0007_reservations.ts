/**
 * Reservations as a projection of commands and starts, in the transaction of either: a ReserveNow makes one, its end and that of a
 * CancelReservation change it, the right start consumes it. `src/domain/reservation` says the same rules in words that a test compares.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE reservation (
    command_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    reservation_id integer NOT NULL,
    evse_id integer NOT NULL,
    token_uid text NOT NULL,
    parent_uid text,
    expires_at timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('Pending', 'Active', 'Rejected', 'Used', 'Cancelled', 'Expired', 'Unknown')),
    reason text,
    session_id uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE INDEX reservation_organisation ON reservation (organisation_id, command_id)`,
  `CREATE INDEX reservation_charger ON reservation (charger_id, command_id)`,
  `CREATE FUNCTION reservation_by_command() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_id int := (NEW.command ->> 'reservationId')::int;
BEGIN
  IF NEW.type = 'ReserveNow' AND TG_OP = 'INSERT' THEN
    INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, parent_uid, expires_at, status,
      created_at, updated_at)
    VALUES (NEW.id, NEW.organisation_id, NEW.charger_id, v_id, (NEW.command #>> '{place,evseId}')::int, NEW.command ->> 'tokenUid',
      NEW.command ->> 'parentUid', to_timestamp((NEW.command ->> 'expiresAt')::float8 / 1000), 'Pending', NEW.created_at, NEW.created_at);
  ELSIF NEW.type = 'ReserveNow' AND NEW.status NOT IN ('Pending', 'Sent') THEN
    UPDATE reservation SET updated_at = NEW.completed_at,
      reason = CASE WHEN NEW.status <> 'Accepted' THEN coalesce(NEW.result ->> 'status', NEW.result ->> 'errorCode') END,
      status = CASE
        WHEN NEW.status = 'Accepted' THEN 'Active'
        -- What came of it nobody knows: a start may yet show that the charger has it.
        WHEN NEW.status = 'TimedOut' OR NEW.result ->> 'errorCode' = 'ConnectionLost' THEN 'Unknown'
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
$function$`,
  `CREATE TRIGGER command_reserves AFTER INSERT OR UPDATE OF status ON command FOR EACH ROW
    WHEN (NEW.type IN ('ReserveNow', 'CancelReservation')) EXECUTE FUNCTION reservation_by_command()`,
  `CREATE FUNCTION reservation_by_start() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  v_new session;
BEGIN
  -- A refused start never eats a reservation.
  FOR v_new IN
    SELECT s.* FROM started s WHERE s.authorization_status = 'Accepted' AND EXISTS (
      SELECT 1 FROM reservation r WHERE r.charger_id = s.charger_id AND r.status IN ('Active', 'Unknown', 'Expired'))
  LOOP
  UPDATE reservation SET status = 'Used', session_id = v_new.id, updated_at = v_new.created_at WHERE command_id = (
    SELECT r.command_id FROM reservation r
    WHERE r.charger_id = v_new.charger_id AND r.organisation_id = v_new.organisation_id AND r.status IN ('Active', 'Unknown', 'Expired')
      AND v_new.started_at < r.expires_at
      AND CASE WHEN v_new.reservation_id IS NOT NULL
        THEN r.reservation_id = v_new.reservation_id AND (lower(r.token_uid) = v_new.token_key OR lower(r.parent_uid) = lower(v_new.parent_uid))
        ELSE lower(r.token_uid) = v_new.token_key AND r.evse_id IN (0, v_new.evse_id) END
    ORDER BY r.evse_id DESC, r.command_id DESC LIMIT 1);
  END LOOP;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER session_reserved AFTER INSERT ON session REFERENCING NEW TABLE AS started
    FOR EACH STATEMENT EXECUTE FUNCTION reservation_by_start()`
]

export const reservations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
