/**
 * What authorisation asks of reservations, when a charger accepted them, and what becomes of sessions that nobody was authorised to begin:
 * without energy they are invalid, with energy they are held.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements: ReadonlyArray<string> = [
  // Those of a charger that may stand at a time, among all that it ever had.
  `CREATE INDEX reservation_standing ON reservation (charger_id, expires_at)
    WHERE status IN ('Pending', 'Active', 'Unknown', 'Expired')`,
  `CREATE INDEX reservation_session ON reservation (session_id) WHERE session_id IS NOT NULL`,
  // What was reserved before this column came is not paid for.
  `ALTER TABLE reservation ADD COLUMN accepted_at timestamptz`,
  `CREATE FUNCTION reservation_accept() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  NEW.accepted_at := NEW.updated_at;
  RETURN NEW;
END
$function$`,
  `CREATE TRIGGER reservation_accepted BEFORE UPDATE OF status ON reservation FOR EACH ROW
    WHEN (NEW.status = 'Active' AND OLD.status <> 'Active') EXECUTE FUNCTION reservation_accept()`,
  // Ten Wh: what a contactor and a meter's rounding come to. Where figures are doubted, nobody knows that nothing flowed.
  `CREATE FUNCTION session_unauthorised() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF NEW.energy_wh <= 10 AND coalesce(NEW.held_reason, 'NotAuthorized') = 'NotAuthorized' THEN
    NEW.status := 'INVALID';
    NEW.held_reason := NULL;
  ELSE
    NEW.status := 'COMPLETED';
    NEW.held_reason := coalesce(NEW.held_reason, 'NotAuthorized');
  END IF;
  RETURN NEW;
END
$function$`,
  `CREATE TRIGGER session_unauthorised BEFORE UPDATE ON session FOR EACH ROW
    WHEN (NEW.authorization_status <> 'Accepted' AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION session_unauthorised()`,
  // Few of an organisation's sessions, and looked for by name.
  `CREATE INDEX session_invalid ON session (organisation_id, id) WHERE status = 'INVALID'`
]

export const authorisation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
