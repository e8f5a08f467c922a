/**
 * Sessions that are reservations: while a reservation stands whose tariff speaks of reservations there is a session for it, under the id of the
 * reservation's command. The start that consumes the reservation takes its place under the same id; one that expires unused is completed, and one
 * that is cancelled or replaced is invalid.
 *
 * Such a row is marked `reservation_only`, and has an end from the beginning, the reservation's: what asks for sessions that run asks for those
 * without an end, and no reservation must ever be taken for a transaction.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { journalLock } from "../JournalLock.ts"

const tables = [
  `ALTER TABLE session ADD COLUMN reservation_only boolean NOT NULL DEFAULT false`,
  `CREATE INDEX session_reserved ON session (organisation_id, id) WHERE status = 'RESERVATION'`,
  `CREATE INDEX reservation_due ON reservation (expires_at) WHERE status = 'Active' AND session_id IS NOT NULL`
]

/** Which tariff is chosen, the trigger of all sessions says: the row is stored for it, and goes again where the tariff asks nothing. */
const begin = `
CREATE FUNCTION reservation_session_begin(r reservation) RETURNS void LANGUAGE plpgsql AS $function$
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
$function$`

/** Where the start has taken the row's place there is none left to end. */
const end = `
CREATE FUNCTION reservation_session_end(r reservation, p_session uuid) RETURNS void LANGUAGE plpgsql AS $function$
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
$function$`

/** A reservation that another session used has one of its own to end: it was as good as replaced. */
const follow = [
  `CREATE FUNCTION reservation_session() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF NEW.status = 'Active' THEN PERFORM reservation_session_begin(NEW);
  ELSIF OLD.session_id = NEW.command_id THEN PERFORM reservation_session_end(NEW, NEW.command_id);
  END IF;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER reservation_session AFTER UPDATE OF status ON reservation FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND (NEW.status = 'Active' OR OLD.session_id IS NOT NULL)) EXECUTE FUNCTION reservation_session()`
]

/**
 * Ends what nobody used. A charger that is connected since before the reservation's end has told of every start ten seconds after it; of one that
 * came back later, its queue is waited for; and one that stays away is waited for a day.
 */
const expire = `
CREATE FUNCTION reservations_expire(p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $function$
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
  PERFORM pg_advisory_xact_lock(${journalLock});
  UPDATE reservation r SET updated_at = p_at,
    status = CASE WHEN c.charger_id IS NULL THEN 'Cancelled' ELSE 'Expired' END,
    reason = CASE WHEN c.charger_id IS NULL THEN 'ChargerRemoved' ELSE r.reason END
  FROM reservation x LEFT JOIN charger c ON c.charger_id = x.charger_id AND c.organisation_id = x.organisation_id
  WHERE x.command_id = r.command_id AND r.command_id = ANY (v_due) AND r.status = 'Active';
END
$function$`

/**
 * Changes of functions as they stand. A start makes its reservation's row give way before it is stored as every other; the tariff under which the
 * driver reserved stays his, unless the reservation was not of this very connector.
 */
const changes: ReadonlyArray<readonly [name: string, from: string, to: string]> = [
  [
    "journal_commit",
    `    INSERT INTO session (id, organisation_id,`,
    `    IF p_starts @> '[{"reserved": true}]' THEN
      WITH gone AS (
        DELETE FROM session s USING jsonb_to_recordset(p_starts) AS x(ord int, id uuid, evse int, connector int, reserved boolean)
        WHERE x.reserved AND s.id = x.id AND s.reservation_only AND (v_all OR x.ord = ANY (fresh))
        RETURNING s.id, s.evse_id = x.evse AND s.connector_id = x.connector AS same
      )
      DELETE FROM session_tariff t USING gone g WHERE t.session_id = g.id AND NOT g.same;
    END IF;

    INSERT INTO session (id, organisation_id,`
  ],
  [
    "reservation_by_start",
    `FROM started s WHERE s.authorization_status`,
    `FROM started s WHERE NOT s.reservation_only AND s.authorization_status`
  ],
  ["command_follow", `FROM started s WHERE EXISTS`, `FROM started s WHERE NOT s.reservation_only AND EXISTS`]
]

/** Changes one place of a function as it stands, whatever earlier migrations have made of it. */
const changeFunction = (sql: SqlClient.SqlClient, name: string, from: string, to: string) =>
  Effect.gen(function* () {
    const [stands] = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef(${name}::regproc) AS text`
    const parts = (stands?.text ?? "").split(from)
    if (parts.length !== 2) return yield* Effect.die(new Error(`expected to find once in ${name}: ${from}`))
    return yield* sql.unsafe(parts.join(to))
  })

export const reservedSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, begin, end, ...follow, expire]) yield* sql.unsafe(statement)
  for (const [name, from, to] of changes) yield* changeFunction(sql, name, from, to)
})
