/**
 * Fills a database of the service by SQL with a history: sessions with their readings, prices and records, facts, statuses, connections and commands.
 * They are spread evenly over the given days, as if the service had run that long. The values are derived from row numbers alone, so that every run
 * gets the same data.
 */
import { script } from "../measure/postgres.ts"
import { PREFIX } from "../workloads.ts"

export interface Past {
  readonly sessions: number
  readonly days: number
  readonly chargers: number
  /**
   * The first so many of `chargers` are the ones that the load drives, with the load's cards. So the chargers that connect and charge under load have
   * a history.
   */
  readonly driven: number
  readonly drivenCards: number
  readonly readingsPerSession: number
}

/**
 * The history of a fresh service. It is large enough to fill a page of every list and one bounded piece of the journal (`windows` of
 * src/storage/delivery/Events.ts: 41,000 facts). All of it is at most a day old.
 */
export const fresh: Pick<Past, "sessions" | "days" | "readingsPerSession"> = {
  sessions: 4_000,
  days: 1,
  readingsPerSession: 5
}

/**
 * One session in so many belongs to the charger, site and card that are used least. In both databases this fills a page of each, so that the
 * databases differ only in age. It is a multiple of ten: every tenth session has a command and a contract, so these sessions have them too.
 */
const leastUsedEvery = (sessions: number): number => Math.min(1_000, Math.max(10, Math.floor(sessions / 600) * 10))
/** Sessions that wait for an operator: the same number in both databases, since operators work them off. */
const held = 60
/** The card of the charger that is used least. */
export const leastUsedCard = "Card217"
/** A charger that never charged, at a site of its own. Its feed is almost empty, so a page of it searches as many facts as a page may. */
export const silentCharger = "AGE-0"
export const silentSite = "01990000-0000-7000-8000-000000000101"
/** Connections of a charger: two a day. The single day of the fresh service has as many as a month, since uptime is computed over a month. */
const connectionsOf = (days: number): number => Math.max(60, 2 * days)
const sites = 100
const cards = 5_000
/** The default retention of the service: older messages are not there to be read. */
const messageDays = 30
const factsKept = "interval '13 months'"

/** What was created through REST v2 before the fill: the tariff of all sessions, and the partner of a tenth of the drivers with its token. */
export interface Made {
  readonly tariff: string
  readonly partner: string
  readonly partnerToken: string
}

/** The contract of a session whose driver belongs to a partner, as a SQL expression for JSON. */
const roamingOf = (partner: string, row: string): string =>
  `jsonb_build_object('partnerId', '${partner}', 'countryCode', 'DE', 'partyId', 'AGE', 'uid', 'Card' || ${row}.card, 'type', 'RFID',
    'contractId', 'DEAGEC' || lpad(${row}.card::text, 8, '0'), 'authMethod', 'WHITELIST')`

/**
 * The statements that fill a database with one organisation. In them `o` is the organisation; `past` has a row for each session in the order of
 * starts.
 */
export const pastStatements = (
  { chargers, days, driven, drivenCards, readingsPerSession, sessions }: Past,
  { partner, tariff }: Made
): ReadonlyArray<string> => {
  const span = `interval '${days} days'`
  const uuidOf = (at: string, n: string, salt: string) =>
    `(lpad(to_hex(floor(extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${n} || '${salt}'), 1, 3) || '8' || substr(md5(${n} || '${salt}'), 4, 15))::uuid`
  const key = (salt: string, n = "n") => `substring(sha256(convert_to('${salt}' || ${n}, 'UTF8')) for 16)`
  const every = leastUsedEvery(sessions)
  const connections = connectionsOf(days)
  const apart = `interval '${Math.round((days * 86_400) / connections)} seconds'`
  const organisation = "(SELECT id FROM organisation ORDER BY created_at LIMIT 1)"
  const millis = (at: string) => `floor(extract(epoch FROM ${at}) * 1000)`
  /** The single period of a session, as its price and its record have it. */
  const period = (start: string, end: string) =>
    `jsonb_build_array(jsonb_build_object('startedAt', ${millis(start)}, 'endedAt', ${millis(end)}, 'energyWh', 9000, 'charging', true, 'elements', jsonb_build_object('ENERGY', 0)))`
  return [
    "SET session_replication_role = replica",
    "SET synchronous_commit = off",
    `DO $$ BEGIN FOR m IN 0..${Math.ceil(days / 28) + 1} LOOP
      PERFORM make_partition('meter', 'meter_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - m * interval '1 month', 'YYYYMM'), 'session_id',
        uuid_at((date_trunc('month', now() AT TIME ZONE 'UTC') - m * interval '1 month') AT TIME ZONE 'UTC')::text,
        uuid_at((date_trunc('month', now() AT TIME ZONE 'UTC') - (m - 1) * interval '1 month') AT TIME ZONE 'UTC')::text);
    END LOOP; END $$`,
    `SELECT make_partitions((now() - d * interval '1 day')::date, 1) FROM generate_series(0, ${Math.min(days, messageDays)}) d`,
    `INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      SELECT ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${organisation}, 'Site ' || n, 'Europe/Oslo', now() - ${span}, now() - ${span}
      FROM generate_series(1, ${sites}) n`,
    `INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, manufacturer, model, ocpp_version, created_at, updated_at)
      SELECT 'AGE-' || n, ${organisation}, ('01990000-0000-7000-8000-' || lpad((1 + n % ${sites - 1})::text, 12, '0'))::uuid, 'Charger ' || n, 0,
        'Maker', 'Model ' || n % 7, '1.6', now() - ${span}, now() - ${span}
      FROM generate_series(${driven + 1}, ${chargers}) n`,
    `INSERT INTO site (id, organisation_id, name, time_zone, created_at, updated_at)
      VALUES ('${silentSite}', ${organisation}, 'Site 101', 'Europe/Oslo', now() - ${span}, now() - ${span})`,
    `INSERT INTO charger (charger_id, organisation_id, site_id, name, security_profile, ocpp_version, created_at, updated_at)
      VALUES ('${silentCharger}', ${organisation}, '${silentSite}', 'Charger 0', 0, '1.6', now() - ${span}, now() - ${span})`,
    `UPDATE charger SET site_id = '01990000-0000-7000-8000-${String(sites).padStart(12, "0")}' WHERE charger_id = 'AGE-${chargers}'`,
    `INSERT INTO connector (charger_id, evse_id, connector_id, status, raw_status, status_at, heard_at)
      SELECT charger_id, e, 1, 'Available', 'Available', now(), now() FROM charger, generate_series(0, 2) e`,
    `INSERT INTO token (organisation_id, uid_key, uid, type, status, created_at, updated_at)
      SELECT ${organisation}, 'card' || n, 'Card' || n, 'RFID', 'Accepted', now() - ${span}, now() - ${span} FROM generate_series(${drivenCards + 1}, ${cards}) n`,
    `CREATE UNLOGGED TABLE past AS
      SELECT x.n, ${organisation} AS o, at AS started_at, at + interval '50 minutes' AS ended_at, ${uuidOf("at", "n", "s")} AS id,
        charger, card, CASE WHEN charger <= ${driven} THEN '${PREFIX}-' || lpad((charger - 1)::text, 5, '0') ELSE 'AGE-' || charger END AS charger_id,
        CASE WHEN card <= ${drivenCards} THEN '${PREFIX}T' || lpad((card - 1)::text, 5, '0') ELSE 'Card' || card END AS uid
      FROM (
        SELECT n, date_trunc('milliseconds', now() - ${span} + (n::float8 / ${sessions + 1}) * (${span} - interval '2 hours')) AS at,
          CASE WHEN n % ${every} = 0 THEN ${chargers} ELSE 1 + abs(hashint4(n::int)::bigint) % ${chargers - 1} END AS charger,
          CASE WHEN n % ${every} = 0 THEN 217 ELSE 1 + abs(hashint4(n::int + 7)::bigint) % ${cards} END AS card
        FROM generate_series(1, ${sessions}) n
      ) x`,
    `CREATE VIEW past_session AS SELECT p.*, c.site_id FROM past p JOIN charger c ON c.charger_id = p.charger_id`,
    // One session in ten thousand was closed because its charger fell silent.
    `INSERT INTO session (id, organisation_id, charger_id, site_id, evse_id, connector_id, transaction_id, ocpp_version, token_uid, token_key, status,
        authorization_status, authorization_source, authorized_at, started_at, ended_at, meter_start_wh, meter_stop_wh, register_wh, register_at, energy_wh,
        stop_reason, created_at, updated_at, partner_id, roaming, held_reason, reported_stop, closed_as_of, close_reason)
      SELECT id, o, charger_id, site_id, 1 + n % 2, 1, n::text, '1.6', uid, lower(uid),
        CASE WHEN n % 10000 = 1 THEN 'ACTIVE' WHEN n % 1000 = 3 THEN 'INVALID' ELSE 'COMPLETED' END, 'Accepted', 'LocalToken', started_at, started_at,
        CASE WHEN n % 10000 <> 1 THEN ended_at END, n * 10, CASE WHEN n % 10000 <> 1 THEN n * 10 + 9000 END, n * 10 + 9000, ended_at, 9000,
        CASE WHEN n % 10000 <> 1 THEN 'Local' END, started_at, ended_at, CASE WHEN n % 10 = 0 THEN '${partner}'::uuid END,
        CASE WHEN n % 10 = 0 THEN ${roamingOf(partner, "past_session")} END, CASE WHEN n % ${Math.ceil(sessions / held)} = 4 THEN 'RegisterFell' END,
        jsonb_build_object('meterStopWh', n * 10 + 9000, 'at', ${millis("ended_at")}),
        CASE WHEN n % 10000 = 1 THEN ended_at END, CASE WHEN n % 10000 = 1 THEN 'Silent' END
      FROM past_session ORDER BY n`,
    `INSERT INTO session_review (session_id, organisation_id, held_reason, released_at, updated_at)
      SELECT id, o, 'DurationImplausible', ended_at, ended_at FROM past WHERE n % 500 = 2`,
    // As the hourly background loop leaves it.
    `INSERT INTO session_total (organisation_id, through, energy_wh)
      SELECT s.organisation_id, (array_agg(s.id ORDER BY s.id DESC))[1], sum(session_counted_wh(s, r)) FROM session s LEFT JOIN session_review r ON r.session_id = s.id
      WHERE s.created_at < now() - interval '2 days' GROUP BY 1`,
    `INSERT INTO session_roaming (session_id, organisation_id, partner_id, last_updated) SELECT id, o, '${partner}', ended_at FROM past WHERE n % 10 = 0`,
    `INSERT INTO session_tariff (session_id, organisation_id, tariff_id, version, time_zone) SELECT id, o, '${tariff}', 1, 'Europe/Oslo' FROM past`,
    `INSERT INTO session_price (session_id, organisation_id, based_on, price)
      SELECT id, o, ended_at, jsonb_build_object('currency', 'EUR', 'exclVat', 3.6, 'inclVat', 3.6, 'periods', ${period("started_at", "ended_at")}) FROM past`,
    `INSERT INTO meter (session_id, at, key, charger_id, organisation_id, evse_id, connector_id, heard_at, energy_wh, samples)
      SELECT p.id, p.started_at + k * interval '8 minutes', ${key("r", "(p.n || '-' || k)")}, p.charger_id, p.o, 1 + p.n % 2, 1,
        p.started_at + k * interval '8 minutes', p.n * 10 + k * 1500,
        '[{"value":"1","measurand":"Energy.Active.Import.Register","context":"Sample.Periodic","format":"Raw","location":"Outlet","unit":"Wh"}]'
      FROM past p, generate_series(1, ${readingsPerSession}) k`,
    `INSERT INTO orphan (id, organisation_id, charger_id, action, problem, raw, at, heard_at, at_hand)
      SELECT ${uuidOf("ended_at", "n", "o")}, o, charger_id, 'StopTransaction', 'unknown', '{}', ended_at, ended_at, n % 20000 = 7 FROM past WHERE n % 1000 = 7`,
    `INSERT INTO cdr (id, organisation_id, number, session_id, charger_id, site_id, started_at, ended_at, body, issued_at, revision, partner_id, stored_at, token_key)
      SELECT ${uuidOf("ended_at", "n", "c")}, o, n, id, charger_id, site_id, started_at, ended_at, ${recordOf(tariff)}::jsonb
          || jsonb_build_object('periods', ${period("started_at", "ended_at")})
          || CASE WHEN n % 10 = 0 THEN jsonb_build_object('roaming', ${roamingOf(partner, "past_session")}) ELSE '{}' END,
        ended_at, 0, CASE WHEN n % 10 = 0 THEN '${partner}'::uuid END, ended_at, lower(uid)
      FROM past_session ORDER BY n`,
    `INSERT INTO cdr_number (organisation_id, last) SELECT ${organisation}, ${sessions} ON CONFLICT (organisation_id) DO UPDATE SET last = excluded.last`,
    // In time order. Facts that are not kept for ever are only written for the last thirteen months. The platform issues a record, so the fact has an
    // author.
    `INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      SELECT ${key("f", "(n || charger_id || type || at)")}, o, type, 'charger:' || charger_id, at, at, body::json FROM (
        SELECT p.n, p.o, p.charger_id, f.* FROM past p CROSS JOIN LATERAL (VALUES
          ('SessionStarted', p.started_at, json_build_object('sessionId', p.id, 'transactionId', p.n, 'tokenUid', p.uid, 'evseId', 1 + p.n % 2, 'connectorId', 1,
            'meterStartWh', p.n * 10, 'supersedes', '[]'::json, 'rawAt', p.started_at,
            'authorization', json_build_object('status', CASE WHEN p.n % ${Math.min(100, every)} = 0 THEN 'Invalid' ELSE 'Accepted' END, 'source', 'LocalToken', 'decidedAt', ${millis("p.started_at")}))::text),
          ('SessionEnded', p.ended_at, json_build_object('sessionId', p.id, 'meterStopWh', p.n * 10 + 9000, 'energyWh', 9000, 'status', 'COMPLETED', 'reason', 'Local', 'rawAt', p.ended_at)::text),
          ('CdrIssued', p.ended_at + interval '2 seconds', json_build_object('by', 'platform', 'after', json_build_object('id', ${uuidOf("p.ended_at", "p.n", "c")},
            'number', p.n, 'sessionId', p.id, 'currency', 'EUR', 'total', '{"exclVat": 3.6, "inclVat": 3.6}'::json))::text)) AS f(type, at, body)
        UNION ALL SELECT p.n, p.o, p.charger_id, f.* FROM past p CROSS JOIN LATERAL (VALUES
          ('TokenAuthorized', p.started_at - interval '1 minute', json_build_object('tokenUid', p.uid,
            'authorization', json_build_object('status', 'Accepted', 'source', 'LocalToken', 'decidedAt', ${millis("p.started_at")}))::text),
          ('ConnectorStatusChanged', p.started_at - interval '1 minute', json_build_object('evseId', 1, 'connectorId', 1, 'status', 'Preparing')::text),
          ('ConnectorStatusChanged', p.started_at, json_build_object('evseId', 1, 'connectorId', 1, 'status', 'Charging')::text),
          ('ConnectorStatusChanged', p.ended_at, json_build_object('evseId', 1, 'connectorId', 1, 'status', 'Finishing')::text),
          ('ConnectorStatusChanged', p.ended_at + interval '1 minute', json_build_object('evseId', 1, 'connectorId', 1, 'status', 'Available')::text)) AS f(type, at, body)
          WHERE p.started_at > now() - ${factsKept}
        UNION ALL SELECT p.n, p.o, p.charger_id, 'MeterRead', p.started_at + k * interval '8 minutes',
          json_build_object('sessionId', p.id, 'count', 1)::text FROM past p, generate_series(1, ${readingsPerSession}) k
          WHERE p.started_at > now() - ${factsKept}
        UNION ALL SELECT p.n, p.o, p.charger_id, 'ChargerChanged', p.started_at, json_build_object('by', 'operator:' || p.n % 7, 'before',
          json_build_object('name', 'a'), 'after', json_build_object('name', 'b'))::text FROM past p WHERE p.n % 10 = 0
        UNION ALL SELECT d, c.organisation_id, c.charger_id, 'ChargerConnected', now() - d * interval '1 day', json_build_object('epoch', d)::text
          FROM charger c, generate_series(1, least(${days}, 395)) d
        UNION ALL SELECT p.n, p.o, p.charger_id, 'CommandIssued', p.started_at, json_build_object('by', 'operator:' || p.n % 7, 'type', 'RemoteStop')::text
          FROM past p WHERE p.n % 10 = 0
      ) x ORDER BY at`,
    `UPDATE number_block SET next = ${sessions + 1} WHERE name = 'transaction'`,
    `UPDATE journal_reader SET position = (SELECT max(position) FROM journal)`,
    `INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status)
      SELECT p.charger_id, 1 + p.n % 2, 1, s.at, s.at, p.n, p.o, s.status FROM past p CROSS JOIN LATERAL (VALUES
        ('Preparing', p.started_at - interval '1 minute'), ('Charging', p.started_at), ('Finishing', p.ended_at),
        ('Available', p.ended_at + interval '1 minute'), (CASE WHEN p.n % 50 = 0 THEN 'Faulted' END, p.ended_at + interval '5 minutes'),
        (CASE WHEN p.n % 50 = 0 THEN 'Available' END, p.ended_at + interval '15 minutes')) AS s(status, at)
      WHERE s.status IS NOT NULL ORDER BY p.n`,
    `INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, disconnected_at, reason, ocpp_version, security_profile, remote_address)
      SELECT c.charger_id, now() - i * ${apart}, ${connections} - i, c.organisation_id, now() - (i - 1) * ${apart} - interval '1 minute', 'closed', '1.6', 0, '192.0.2.7'
      FROM generate_series(${connections}, 1, -1) i, charger c`,
    `INSERT INTO connection (charger_id, organisation_id, node_id, epoch, ocpp_version, security_profile, remote_address, connected_at, closed_at, closed_reason)
      SELECT charger_id, organisation_id, 'bench', ${connections}, '1.6', 0, '192.0.2.7', now() - ${apart}, now(), 'closed' FROM charger ON CONFLICT DO NOTHING`,
    `INSERT INTO command (id, organisation_id, charger_id, type, status, command, parameters, issued_by, created_at, sent_at, completed_at, result)
      SELECT ${uuidOf("started_at", "n", "k")}, o, charger_id, CASE WHEN n % 20 = 0 THEN 'ChangeAvailability' ELSE 'RemoteStop' END, 'Accepted',
        '{"availability": "Operative", "place": {"evseId": 0, "connectorId": 0}}', '{}', 'operator:' || n % 7, started_at, started_at, started_at, '{}'
      FROM past WHERE n % 10 = 0 ORDER BY n`,
    `INSERT INTO reservation (command_id, organisation_id, charger_id, reservation_id, evse_id, token_uid, expires_at, status, created_at, updated_at)
      SELECT ${uuidOf("started_at", "n", "v")}, o, charger_id, n, 1, uid, started_at + interval '30 minutes', CASE WHEN n % 200 = 0 THEN 'Expired' ELSE 'Used' END,
        started_at, started_at FROM past WHERE n % 100 = 0 OR n % ${every} = 0 ORDER BY n`,
    `INSERT INTO message (organisation_id, charger_id, at, direction, kind, action, message_id, frame)
      SELECT p.o, p.charger_id, p.started_at + k * interval '5 minutes', CASE WHEN k % 2 = 0 THEN 'in' ELSE 'out' END, CASE WHEN k % 2 = 0 THEN 'CALL' ELSE 'CALLRESULT' END,
        'MeterValues', k::text, CASE WHEN k % 2 = 0 THEN '[2,"1","MeterValues",{"connectorId":1,"meterValue":[]}]' ELSE '[3,"1",{}]' END
      FROM past p, generate_series(0, 13) k WHERE p.started_at > now() - interval '${messageDays} days' ORDER BY p.n, k`,
    `INSERT INTO exchange (organisation_id, partner_id, at, direction, module, method, path, http_status, ocpi_status, failed, millis, request_id, correlation_id, response_body)
      SELECT o, '${partner}', ended_at, CASE WHEN n % 40 = 0 THEN 'in' ELSE 'out' END, CASE WHEN n % 30 = 0 THEN 'sessions' ELSE 'cdrs' END, 'PUT',
        '/ocpi/2.2.1/sessions/DE/AGE/' || id, CASE WHEN n % 20 = 0 THEN 500 ELSE 200 END, CASE WHEN n % 20 = 0 THEN 3000 ELSE 1000 END, n % 20 = 0, 20, n::text, n::text, '{}'
      FROM past WHERE n % 10 = 0 AND started_at > now() - interval '${messageDays} days' ORDER BY n`,
    // As if the partner had registered: it can read, and is sent nothing.
    `UPDATE partner SET status = 'Registered', connection = jsonb_build_object('version', '2.2.1', 'versionsUrl', 'https://age.example/versions', 'tokenForm', 'Raw',
      'parties', '[{"role": "EMSP", "countryCode": "DE", "partyId": "AGE", "businessDetails": {"name": "Age"}}]'::jsonb, 'endpoints', '[]'::jsonb,
      'registeredAt', 0) WHERE id = '${partner}'`,
    `UPDATE partner_token SET use = 'Access', expires_at = NULL WHERE partner_id = '${partner}'`,
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

/** Fills the database at `url`. A process of the service must have created it and ended. Reports the slow statements to `progress`. */
export const fill = (url: string, past: Past, made: Made, progress: (text: string) => void): Promise<void> =>
  script(url, [...pastStatements(past, made), "VACUUM (ANALYZE)", "CHECKPOINT"], (statement, seconds) => {
    if (seconds > 5) progress(`${statement.trim().split("\n")[0]?.slice(0, 60) ?? ""}…: ${seconds.toFixed(0)} s`)
  })
