/**
 * Errands: commands that a roaming partner had us give to a charger, what it is still to hear of them, and the drivers' cards that they let charge.
 * They stand and fall with their command, in whose transaction they are stored; a partner's go with it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE partner_errand (
    command_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    kind text NOT NULL,
    version text NOT NULL,
    -- Sealed: whoever knows it can tell the partner anything.
    response_url text NOT NULL,
    correlation_id text NOT NULL,
    from_party jsonb,
    to_party jsonb,
    location_id text,
    -- The partner's own name of what it asked for: its reservation_id, or its authorization_reference.
    reference text,
    session_id uuid,
    created_at timestamptz NOT NULL
  )`,
  `CREATE INDEX partner_errand_reference ON partner_errand (partner_id, kind, lower(reference), command_id) WHERE reference IS NOT NULL`,
  `CREATE INDEX partner_errand_session ON partner_errand (session_id, kind, command_id) WHERE session_id IS NOT NULL`,
  // What the partner is to hear, until it has.
  `CREATE TABLE partner_callback (
    command_id uuid NOT NULL REFERENCES partner_errand (command_id) ON DELETE CASCADE,
    about text NOT NULL CHECK (about IN ('Result', 'ReservationCancelled')),
    organisation_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'Open' CHECK (state IN ('Open', 'Done', 'GivenUp')),
    -- When it hears that nothing came of it, if it has not heard anything.
    answer_by timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    problem text,
    done_at timestamptz,
    PRIMARY KEY (command_id, about)
  )`,
  `CREATE INDEX partner_callback_open ON partner_callback (due_at) WHERE state = 'Open'`,
  // A partner's names of reservations, and the numbers that chargers know them by: given once, so that a repeat takes the place of the first.
  `CREATE TABLE partner_reservation (
    partner_id uuid NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
    location_id text NOT NULL,
    reference_key text NOT NULL,
    organisation_id uuid NOT NULL,
    reservation_id integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (partner_id, reference_key, location_id)
  )`,
  // Cards that may charge because their partner said so at this very moment.
  `CREATE TABLE token_grant (
    command_id uuid PRIMARY KEY REFERENCES partner_errand (command_id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    -- 0: any of the charger.
    evse_id integer NOT NULL,
    uid_key text NOT NULL,
    roaming jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX token_grant_uid ON token_grant (charger_id, uid_key, expires_at)`,
  // Whoever reserved hears of it when anybody else cancels.
  `CREATE FUNCTION partner_reservation_cancelled() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO partner_callback (command_id, about, organisation_id, answer_by, due_at)
  SELECT e.command_id, 'ReservationCancelled', e.organisation_id, NEW.updated_at, NEW.updated_at
  FROM partner_errand e
  WHERE e.command_id = NEW.command_id AND e.organisation_id = NEW.organisation_id AND NOT EXISTS (
    SELECT 1 FROM command m
    WHERE m.charger_id = NEW.charger_id AND m.organisation_id = NEW.organisation_id AND m.type = 'CancelReservation'
      AND m.created_at >= NEW.created_at AND m.issued_by = 'partner:' || e.partner_id
      AND (m.command ->> 'reservationId')::int = NEW.reservation_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER reservation_cancelled AFTER UPDATE OF status ON reservation FOR EACH ROW
    WHEN (NEW.status = 'Cancelled' AND OLD.status IN ('Active', 'Unknown') AND NEW.reason IS DISTINCT FROM 'Replaced')
    EXECUTE FUNCTION partner_reservation_cancelled()`
]

export const errands = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
