/**
 * Fills a database of the service by SQL with a past: sessions with their readings, prices and records, facts, statuses, connections and commands,
 * evenly over so many days, as if it had run that long. Random from row numbers alone, so that every run fills alike.
 */
import { script } from "../measure/postgres.ts"

export interface Past {
  readonly sessions: number
  readonly days: number
  readonly chargers: number
  readonly readingsPerSession: number
}

/** Of the past of a fresh service: enough that every list has a full page, all of it a day old at most. */
export const fresh: Omit<Past, "chargers"> = { sessions: 2_000, days: 1, readingsPerSession: 5 }

/** Sessions of the site where hardly anybody charges: one in so many. */
const quietEvery = 1_000
const sites = 100
const cards = 5_000

/** What was made through REST v2 before, in its own shape: the tariff of all sessions, and the partner of a tenth of the drivers. */
export interface Made {
  readonly tariff: string
  readonly partner: string
}

/** One statement each; `o` is the organisation, `past` a row for each session in the order of starts. */
const statements = (
  { chargers, days, readingsPerSession, sessions }: Past,
  { partner, tariff }: Made
): ReadonlyArray<string> => {
  const span = `interval '${days} days'`
  const uuidOf = (at: string, n: string, salt: string) =>
    `(lpad(to_hex(floor(extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${n} || '${salt}'), 1, 3) || '8' || substr(md5(${n} || '${salt}'), 4, 15))::uuid`
  const key = (salt: string, n = "n") => `substring(sha256(convert_to('${salt}' || ${n}, 'UTF8')) for 16)`
  const organisation = "(SELECT id FROM organisation ORDER BY created_at LIMIT 1)"
  return [
    "SET session_replication_role = replica",
    "SET synchronous_commit = off",
    `DO $$ BEGIN FOR m IN 0..${Math.ceil(days / 28) + 1} LOOP
      PERFORM make_partition('meter', 'meter_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - m * interval '1 month', 'YYYYMM'), 'session_id',
        uuid_at((date_trunc('month', now() AT TIME ZONE 'UTC') - m * interval '1 month') AT TIME ZONE 'UTC')::text,
        uuid_at((date_trunc('month', now() AT TIME ZONE 'UTC') - (m - 1) * interval '1 month') AT TIME ZONE 'UTC')::text);
    END LOOP; END $$`,
    `INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      SELECT ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${organisation}, 'Site ' || n, 'Europe/Oslo', now() - ${span}, now() - ${span}
      FROM generate_series(1, ${sites}) n`,
    `INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, manufacturer, model, ocpp_version, created_at, updated_at)
      SELECT 'AGE-' || n, ${organisation}, ('01990000-0000-7000-8000-' || lpad((1 + n % ${sites - 1})::text, 12, '0'))::uuid, 'Charger ' || n, 0,
        'Maker', 'Model ' || n % 7, '1.6', now() - ${span}, now() - ${span}
      FROM generate_series(1, ${chargers}) n`,
    `UPDATE charger SET site_id = '01990000-0000-7000-8000-${String(sites).padStart(12, "0")}' WHERE charger_id = 'AGE-${chargers}'`,
    `INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, status_at, heard_at)
      SELECT charger_id, e, 1, 'Available', 'Available', now(), now() FROM charger, generate_series(0, 2) e`,
    `INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
      SELECT ${organisation}, 'card' || n, 'Card' || n, 'RFID', 'Accepted', now() - ${span}, now() - ${span} FROM generate_series(1, ${cards}) n`,
    `CREATE UNLOGGED TABLE past AS
      SELECT n, ${organisation} AS o, at AS started_at, at + interval '50 minutes' AS ended_at, ${uuidOf("at", "n", "s")} AS id,
        CASE WHEN n % ${quietEvery} = 0 THEN ${chargers} ELSE 1 + abs(hashint4(n::int)::bigint) % ${chargers - 1} END AS charger,
        1 + abs(hashint4(n::int + 7)::bigint) % ${cards} AS card
      FROM (SELECT n, now() - ${span} + (n::float8 / ${sessions + 1}) * (${span} - interval '2 hours') AS at FROM generate_series(1, ${sessions}) n) x`,
    `CREATE VIEW past_session AS SELECT p.*, c.charger_id, c.site_id FROM past p JOIN charger c ON c.charger_id = 'AGE-' || p.charger`,
    `INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid, token_key, status,
        authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh, meter_stop_wh, register_wh, register_at, energy_wh,
        stop_reason, created_at, updated_at, partner_id, held_reason)
      SELECT id, o, charger_id, site_id, 1 + n % 2, 1, n::text, '1.6', 'Card' || card, 'card' || card, 'COMPLETED', 'Accepted', 'LocalToken', started_at, started_at,
        ended_at, n * 10, n * 10 + 9000, n * 10 + 9000, ended_at, 9000, 'Local', started_at, ended_at,
        CASE WHEN n % 10 = 0 THEN '${partner}'::uuid END, CASE WHEN n % 5000 = 0 THEN 'RegisterFell' END
      FROM past_session`,
    `INSERT INTO session_roaming (session_id, organisation_id, partner_id, last_updated) SELECT id, o, '${partner}', ended_at FROM past WHERE n % 10 = 0`,
    `INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone) SELECT id, o, '${tariff}', 1, 'Europe/Oslo' FROM past`,
    `INSERT INTO session_price (session_id, organisation_id, based_on, price)
      SELECT id, o, ended_at, '{"currency": "EUR", "exclVat": 3.6, "inclVat": 3.6, "periods": []}' FROM past`,
    `INSERT INTO meter (session_id, at, key, charger_id, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
      SELECT p.id, p.started_at + k * interval '8 minutes', ${key("r", "(p.n || '-' || k)")}, 'AGE-' || p.charger, p.o, 1 + p.n % 2, 1,
        p.started_at + k * interval '8 minutes', p.n * 10 + k * 1500,
        '[{"value":"1","measurand":"Energy.Active.Import.Register","context":"Sample.Periodic","format":"Raw","location":"Outlet","unit":"Wh"}]'
      FROM past p, generate_series(1, ${readingsPerSession}) k`,
    `INSERT INTO cdr (id, organisation_id, number, session_id, charger_id, site_id, started_at, ended_at, body, issued_at, revision, partner_id, stored_at, token_key)
      SELECT ${uuidOf("ended_at", "n", "c")}, o, n, id, charger_id, site_id, started_at, ended_at, ${recordOf(tariff)}::jsonb, ended_at, 0,
        CASE WHEN n % 10 = 0 THEN '${partner}'::uuid END, ended_at, 'card' || card
      FROM past_session`,
    `INSERT INTO cdr_number (organisation_id, last) SELECT ${organisation}, ${sessions} ON CONFLICT (organisation_id) DO UPDATE SET last = excluded.last`,
    // In the order of time: starts, readings, ends, and a change by a person in twenty sessions.
    `INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      SELECT ${key("f", "(n || type || at)")}, o, type, 'charger:AGE-' || charger, at, at, body::json FROM (
        SELECT p.n, p.o, p.charger, f.* FROM past p CROSS JOIN LATERAL (VALUES
          ('SessionStarted', p.started_at, json_build_object('sessionId', p.id, 'tokenUid', 'Card' || p.card, 'evseId', 1, 'connectorId', 1,
            'authorization', json_build_object('status', CASE WHEN p.n % 100 = 0 THEN 'Invalid' ELSE 'Accepted' END, 'source', 'LocalToken'))::text),
          ('TokenAuthorized', p.started_at - interval '1 minute', json_build_object('tokenUid', 'Card' || p.card,
            'authorization', json_build_object('status', 'Accepted', 'source', 'LocalToken'))::text),
          ('SessionEnded', p.ended_at, json_build_object('sessionId', p.id)::text)) AS f(type, at, body)
        UNION ALL SELECT p.n, p.o, p.charger, 'MeterRead', p.started_at + k * interval '8 minutes',
          json_build_object('sessionId', p.id, 'count', 1)::text FROM past p, generate_series(1, ${readingsPerSession}) k
          WHERE p.started_at > now() - interval '13 months'
        UNION ALL SELECT p.n, p.o, p.charger, 'ChargerChanged', p.started_at, json_build_object('by', 'operator:' || p.n % 7, 'before',
          json_build_object('name', 'a'), 'after', json_build_object('name', 'b'))::text FROM past p WHERE p.n % 20 = 0
      ) x ORDER BY at`,
    `UPDATE journal_reader SET position = (SELECT max(position) FROM journal)`,
    `INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status)
      SELECT 'AGE-' || p.charger, 1 + p.n % 2, 1, s.at, s.at, p.n, p.o, s.status FROM past p CROSS JOIN LATERAL (VALUES
        ('Preparing', p.started_at - interval '1 minute'), ('Charging', p.started_at), ('Finishing', p.ended_at),
        ('Available', p.ended_at + interval '1 minute')) AS s(status, at)`,
    `INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, disconnected_at, reason, ocpp_version, security_profile, remote_address)
      SELECT c.charger_id, now() - d * interval '1 day', ${days} - d, c.organisation_id, now() - (d - 1) * interval '1 day' - interval '1 minute', 'closed', '1.6', 0, '192.0.2.7'
      FROM charger c, generate_series(1, ${days}) d`,
    `INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, completed_at, result)
      SELECT ${uuidOf("started_at", "n", "k")}, o, charger_id, CASE WHEN n % 20 = 0 THEN 'ChangeAvailability' ELSE 'RemoteStop' END, 'Accepted',
        '{"availability": "Operative", "place": {"evseId": 0, "connectorId": 0}}', '{}', 'operator:' || n % 7, started_at, started_at, '{}'
      FROM past_session WHERE n % 10 = 0`,
    "DROP VIEW past_session",
    "DROP TABLE past",
    "SET session_replication_role = origin"
  ]
}

/** The body of every record. */
const recordOf = (tariff: string): string =>
  `'${JSON.stringify({
    currency: "EUR",
    total: { exclVat: 3.6, inclVat: 3.6 },
    costs: Object.fromEntries(
      ["fixed", "energy", "time", "parking", "reservation"].map((name) => [name, { exclVat: 0, inclVat: 0 }])
    ),
    energyWh: 9000,
    durationMillis: 3_000_000,
    parkingMillis: 0,
    periods: [],
    tariff: { id: tariff, version: 1, currency: "EUR", elements: [] },
    timeZone: "Europe/Oslo",
    evseId: 1,
    connectorId: 1,
    transactionId: "1",
    ocppVersion: "1.6",
    tokenUid: "Card1",
    authorizationSource: "LocalToken",
    meterStartWh: 0
  })}'`

/** Fills the database at `url`, which a process of the service has made and left; says to `progress` which statements took long. */
export const fill = (url: string, past: Past, made: Made, progress: (text: string) => void): Promise<void> =>
  script(url, [...statements(past, made), "VACUUM (ANALYZE)"], (statement, seconds) => {
    if (seconds > 5) progress(`${statement.trim().split("\n")[0]?.slice(0, 60) ?? ""}…: ${seconds.toFixed(0)} s`)
  })
