-- Reservations, and the sessions that stand for reservations which cost something.
-- A reservation is a projection of commands and starts, in the transaction of either: ReserveNow makes one, its end and that of
-- CancelReservation change it, and a start says in its fact which one it consumes (src/domain/reservation). What becomes of reservations
-- by commands src/domain/reservation says too; a test compares the two.

CREATE TABLE reservation (
  command_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL,
  charger_id text NOT NULL,
  -- The number by which the charger knows it.
  reservation_id integer NOT NULL,
  evse_id integer NOT NULL,
  token_uid text NOT NULL,
  parent_uid text,
  expires_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('Pending', 'Active', 'Rejected', 'Failed', 'Used', 'Cancelled', 'Expired', 'Unknown')),
  reason text,
  session_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  accepted_at timestamptz
);
COMMENT ON TABLE reservation IS
  'Reservations at chargers, one for each ReserveNow command.';
CREATE INDEX reservation_charger ON reservation (charger_id, command_id);
-- Reservations with a session, by when they expire.
CREATE INDEX reservation_due ON reservation (expires_at) WHERE ((status = 'Active') AND (session_id IS NOT NULL));
CREATE INDEX reservation_organisation ON reservation (organisation_id, command_id);
CREATE INDEX reservation_session ON reservation (session_id) WHERE (session_id IS NOT NULL);
-- Those of a charger that may be in force, among all that it ever had.
CREATE INDEX reservation_standing ON reservation (charger_id, expires_at) WHERE (status IN ('Pending', 'Active', 'Unknown', 'Expired'));

-- What a ReserveNow or CancelReservation changes.
CREATE FUNCTION reservation_by_command()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
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
        WHEN NEW.sent_at IS NULL OR v_code IN ('TooManyCommands', 'NotAccepted') THEN 'Failed'
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
$function$;

CREATE TRIGGER command_reserves AFTER INSERT OR UPDATE OF status ON command
  FOR EACH ROW WHEN ((new.type = ANY (ARRAY['ReserveNow'::text, 'CancelReservation'::text]))) EXECUTE FUNCTION reservation_by_command();

-- Notes when the charger accepted the reservation.
CREATE FUNCTION reservation_accept()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.accepted_at := NEW.updated_at;
  RETURN NEW;
END
$function$;

CREATE TRIGGER reservation_accepted BEFORE UPDATE OF status ON reservation
  FOR EACH ROW WHEN (((new.status = 'Active'::text) AND (old.status <> 'Active'::text))) EXECUTE FUNCTION reservation_accept();

-- Makes the session of a reservation whose tariff charges for reservations. The row is stored for the choice of the tariff, and removed
-- where that charges nothing.
CREATE FUNCTION reservation_session_begin(r reservation)
RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  IF r.accepted_at IS NULL OR r.expires_at <= r.accepted_at THEN RETURN; END IF;
  INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid, token_key,
    status, authorization_status, authorization_source, authorized_at, parent_uid, started_at, ended_at, meter_start_wh, created_at, updated_at,
    reservation_id, reservation_only)
  SELECT r.command_id, c.organisation_id, c.charger_id, c.site_id, r.evse_id, least(r.evse_id, 1), 'reservation:' || r.command_id,
    coalesce(c.ocpp_version, '1.6'), r.token_uid, lower(r.token_uid), 'RESERVATION', 'Accepted', 'Reservation', r.accepted_at, r.parent_uid,
    r.accepted_at, r.expires_at, 0, r.accepted_at, r.accepted_at, r.reservation_id, true
  FROM charger c WHERE c.charger_id = r.charger_id AND c.organisation_id = r.organisation_id
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM session_tariff_choose(r.command_id);
  IF NOT EXISTS (
    SELECT 1 FROM session_tariff t JOIN tariff_version v ON v.tariff_id = t.tariff_id AND v.version = t.version
    WHERE t.session_id = r.command_id AND v.body -> 'elements' @? '$[*].restrictions.reservation')
  THEN
    DELETE FROM session_tariff WHERE session_id = r.command_id;
    DELETE FROM session WHERE id = r.command_id;
    RETURN;
  END IF;
  UPDATE reservation SET session_id = r.command_id WHERE command_id = r.command_id;
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  VALUES (substring(sha256(convert_to('session-reserved|' || r.command_id, 'UTF8')) for 16), r.organisation_id, 'SessionReserved',
    'charger:' || r.charger_id, r.accepted_at, r.accepted_at,
    json_build_object('sessionId', r.command_id, 'reservationId', r.reservation_id, 'evseId', r.evse_id, 'tokenUid', r.token_uid,
      'expiresAt', (extract(epoch FROM r.expires_at) * 1000)::float8))
  ON CONFLICT (key) DO NOTHING;
END
$function$;

-- Ends the session of a reservation. Where the start has taken the row's place there is none left to end.
CREATE FUNCTION reservation_session_end(r reservation, p_session uuid)
RETURNS void
LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE session SET updated_at = r.updated_at,
    status = CASE WHEN r.status = 'Expired' THEN 'COMPLETED' ELSE 'INVALID' END,
    ended_at = CASE WHEN r.status = 'Expired' THEN r.expires_at ELSE greatest(started_at, least(r.updated_at, r.expires_at)) END
  WHERE id = p_session AND reservation_only AND status = 'RESERVATION';
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  VALUES (substring(sha256(convert_to('reservation-ended|' || p_session, 'UTF8')) for 16), r.organisation_id, 'ReservationEnded',
    'charger:' || r.charger_id, r.updated_at, r.updated_at,
    json_build_object('sessionId', p_session, 'reservationId', r.reservation_id, 'status', r.status))
  ON CONFLICT (key) DO NOTHING;
END
$function$;

-- Follows a reservation's status with its session. One that another session used has a session of its own to end.
CREATE FUNCTION reservation_session()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.status = 'Active' THEN PERFORM reservation_session_begin(NEW);
  ELSIF OLD.session_id = NEW.command_id THEN PERFORM reservation_session_end(NEW, NEW.command_id);
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER reservation_session AFTER UPDATE OF status ON reservation
  FOR EACH ROW WHEN (((new.status <> old.status) AND ((new.status = 'Active'::text) OR (old.session_id IS NOT NULL)))) EXECUTE FUNCTION reservation_session();

-- Ends reservations that nobody used. A charger that is connected since before the end has reported every start ten seconds after it;
-- one that came back later is given time to send its queue; one that stays away is waited for a day.
CREATE FUNCTION reservations_expire(p_at timestamp with time zone)
RETURNS void
LANGUAGE plpgsql
AS $function$
DECLARE
  v_due uuid[];
BEGIN
  SELECT array_agg(d.command_id) INTO v_due FROM (
    SELECT r.command_id FROM reservation r LEFT JOIN connection n ON n.charger_id = r.charger_id
    WHERE r.status = 'Active' AND r.session_id IS NOT NULL AND r.expires_at <= p_at - interval '10 seconds'
      AND (r.expires_at <= p_at - interval '1 day'
        OR (n.closed_at IS NULL AND (n.connected_at <= r.expires_at OR n.connected_at <= p_at - interval '10 minutes')))
    ORDER BY r.expires_at LIMIT 500) d;
  IF v_due IS NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(7016996765);
  UPDATE reservation r SET updated_at = p_at,
    status = CASE WHEN c.charger_id IS NULL THEN 'Cancelled' ELSE 'Expired' END,
    reason = CASE WHEN c.charger_id IS NULL THEN 'ChargerRemoved' ELSE r.reason END
  FROM reservation x LEFT JOIN charger c ON c.charger_id = x.charger_id AND c.organisation_id = x.organisation_id
  WHERE x.command_id = r.command_id AND r.command_id = ANY (v_due) AND r.status = 'Active';
END
$function$;
