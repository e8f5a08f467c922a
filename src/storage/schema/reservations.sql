-- Reservations, and the sessions of reservations that have a price. Reservations are written in the transactions of commands and starts:
-- ReserveNow creates one, its end and the end of CancelReservation change it, and a start's fact says which one it consumes. The domain
-- decides what becomes of a reservation (src/domain/command/ReservationEnd.ts, src/domain/reservation).

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
  'Reservations at chargers, one for each ReserveNow command. Those without a session are deleted after the commands'' retention.';
CREATE INDEX reservation_charger ON reservation (charger_id, command_id);
-- Reservations with a session, by their time of expiry.
CREATE INDEX reservation_due ON reservation (expires_at) WHERE ((status = 'Active') AND (session_id IS NOT NULL));
CREATE INDEX reservation_organisation ON reservation (organisation_id, command_id);
CREATE INDEX reservation_session ON reservation (session_id) WHERE (session_id IS NOT NULL);
-- A charger's reservations that may be in force, among all that it ever had.
CREATE INDEX reservation_in_force ON reservation (charger_id, expires_at) WHERE (status IN ('Pending', 'Active', 'Unknown', 'Expired'));

-- If a start consumes a reservation and has an id of its own, the reservation's session becomes invalid and ends. If the start has replaced
-- the row, there is no session left to end.
CREATE FUNCTION reservation_used()
RETURNS trigger
LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE session SET updated_at = NEW.updated_at, status = 'INVALID',
    ended_at = greatest(started_at, least(NEW.updated_at, NEW.expires_at))
  WHERE id = NEW.command_id AND reservation_only AND status = 'RESERVATION';
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
  VALUES (substring(sha256(convert_to('reservation-ended|' || NEW.command_id, 'UTF8')) for 16), NEW.organisation_id, 'ReservationEnded',
    'charger:' || NEW.charger_id, NEW.updated_at, NEW.updated_at,
    json_build_object('sessionId', NEW.command_id, 'reservationId', NEW.reservation_id, 'status', NEW.status))
  ON CONFLICT (key) DO NOTHING;
  RETURN NULL;
END
$function$;

CREATE TRIGGER reservation_used AFTER UPDATE OF status ON reservation
  FOR EACH ROW WHEN (((new.status = 'Used'::text) AND (old.status <> 'Used'::text) AND (old.session_id = new.command_id))) EXECUTE FUNCTION reservation_used();
