/**
 * How connectors and connections were in the past. Statuses are kept as points and not as intervals: what stood at a time is the newest
 * point before it, so that one which arrives late has its place at once and nothing else changes for it, whatever the order of arrival.
 *
 * Points of one connector are ranked by `(from_at, heard_at, tie)`: the time of the status (the charger's clock where it is believed, and
 * never later than when we heard of it), then which was heard later, then a hash of the fact's key. The last of equal times stands.
 *
 * Neither table has a foreign key, which would cost as much as the row; a trigger removes what is of a removed charger.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `CREATE TABLE connector_history (
    charger_id text NOT NULL,
    evse_id integer NOT NULL,
    connector_id integer NOT NULL,
    from_at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL,
    tie bigint NOT NULL,
    organisation_id uuid NOT NULL,
    status text NOT NULL,
    error_code text,
    info text,
    vendor_id text,
    vendor_error_code text,
    PRIMARY KEY (charger_id, evse_id, connector_id, from_at, heard_at, tie)
  )`,
  // For its retention: rows come in the order of heard_at, so that a few pages tell where the old ones lie.
  `CREATE INDEX connector_history_heard ON connector_history USING brin (heard_at)`,
  `CREATE TABLE connection_history (
    charger_id text NOT NULL,
    connected_at timestamptz NOT NULL,
    epoch bigint NOT NULL,
    organisation_id uuid NOT NULL,
    disconnected_at timestamptz,
    reason text,
    ocpp_version text NOT NULL,
    security_profile smallint NOT NULL,
    remote_address text NOT NULL,
    PRIMARY KEY (charger_id, connected_at, epoch)
  )`,
  `CREATE INDEX connection_history_age ON connection_history USING brin (connected_at)`,
  `ALTER TABLE connection ADD COLUMN closed_reason text`,
  // What an operator took out of service, for uptime: few of a charger's commands.
  `CREATE INDEX command_availability ON command (charger_id, completed_at)
    WHERE type = 'ChangeAvailability' AND status = 'Accepted'`
]

/** What stands now is where the history of an older version's data begins. */
const fill = [
  `INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status, error_code, info,
    vendor_id, vendor_error_code)
  SELECT k.charger_id, k.evse_id, k.connector_id, least(k.status_at, k.heard_at), k.heard_at, 0, c.organisation_id, k.status, k.error_code,
    k.info, k.vendor_id, k.vendor_error_code
  FROM connector k JOIN charger c ON c.charger_id = k.charger_id`,
  `INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, disconnected_at, ocpp_version, security_profile,
    remote_address)
  SELECT charger_id, connected_at, epoch, organisation_id, closed_at, ocpp_version, security_profile, remote_address FROM connection`
]

/**
 * Connections by triggers on their table, so that whoever closes one (its socket, a newer connection, the end of its node) is seen. They
 * are triggers of statements: a city that comes back is one call.
 */
const connections = [
  `CREATE FUNCTION connection_opened() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address)
  SELECT charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address FROM opened
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$function$`,
  `CREATE FUNCTION connection_changed() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  UPDATE connection_history h SET reason = x.reason, disconnected_at = x.at
  FROM (
    SELECT o.charger_id, o.connected_at, o.epoch,
      CASE WHEN n.epoch = o.epoch THEN n.closed_at ELSE greatest(n.connected_at, o.connected_at) END AS at,
      CASE WHEN n.epoch = o.epoch THEN coalesce(n.closed_reason, 'the node that held the connection is gone')
        ELSE 'the charger connected anew' END AS reason
    FROM was o JOIN became n ON n.charger_id = o.charger_id
    WHERE o.closed_at IS NULL AND (n.epoch <> o.epoch OR n.closed_at IS NOT NULL)
  ) x
  WHERE h.charger_id = x.charger_id AND h.connected_at = x.connected_at AND h.epoch = x.epoch AND h.disconnected_at IS NULL;
  INSERT INTO connection_history (charger_id, connected_at, epoch, organisation_id, ocpp_version, security_profile, remote_address)
  SELECT n.charger_id, n.connected_at, n.epoch, n.organisation_id, n.ocpp_version, n.security_profile, n.remote_address
  FROM was o JOIN became n ON n.charger_id = o.charger_id WHERE n.epoch <> o.epoch
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$function$`,
  `CREATE FUNCTION charger_history_forget() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM connector_history h USING gone g WHERE h.charger_id = g.charger_id;
  DELETE FROM connection_history h USING gone g WHERE h.charger_id = g.charger_id;
  RETURN NULL;
END
$function$`,
  `CREATE TRIGGER connection_opened AFTER INSERT ON connection REFERENCING NEW TABLE AS opened
    FOR EACH STATEMENT EXECUTE FUNCTION connection_opened()`,
  `CREATE TRIGGER connection_changed AFTER UPDATE ON connection REFERENCING OLD TABLE AS was NEW TABLE AS became
    FOR EACH STATEMENT EXECUTE FUNCTION connection_changed()`,
  `CREATE TRIGGER charger_history_forgotten AFTER DELETE ON charger REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION charger_history_forget()`
]

/** Rows heard before a time go, but for the one that stood then: without it nobody could tell how the time after it began. */
const forget = [
  `CREATE FUNCTION history_forget(p_before timestamptz, p_limit int) RETURNS int LANGUAGE plpgsql AS $function$
DECLARE
  v_statuses int;
  v_connections int;
BEGIN
  DELETE FROM connector_history WHERE ctid = ANY (ARRAY(
    SELECT h.ctid FROM connector_history h
    WHERE h.heard_at < p_before AND EXISTS (
      SELECT 1 FROM connector_history l
      WHERE l.charger_id = h.charger_id AND l.evse_id = h.evse_id AND l.connector_id = h.connector_id
        AND (l.from_at, l.heard_at, l.tie) > (h.from_at, h.heard_at, h.tie) AND l.from_at < p_before)
    LIMIT p_limit));
  GET DIAGNOSTICS v_statuses = ROW_COUNT;
  DELETE FROM connection_history WHERE ctid = ANY (ARRAY(
    SELECT h.ctid FROM connection_history h
    WHERE h.connected_at < p_before AND h.disconnected_at < p_before AND EXISTS (
      SELECT 1 FROM connection_history l
      WHERE l.charger_id = h.charger_id AND (l.connected_at, l.epoch) > (h.connected_at, h.epoch) AND l.connected_at < p_before)
    LIMIT p_limit));
  GET DIAGNOSTICS v_connections = ROW_COUNT;
  RETURN greatest(v_statuses, v_connections);
END
$function$`
]

/**
 * Statuses in the very statement that has them decoded, since a trigger on the journal would be run by every commit and would parse
 * their bodies anew. A past one (`PastStatusReported`) is history alone and never what stands.
 */
const changes: ReadonlyArray<readonly [name: string, from: string, to: string]> = [
  [
    "journal_commit",
    `  IF p_statuses IS NOT NULL THEN
`,
    `  IF p_statuses IS NOT NULL THEN
    INSERT INTO connector_history (charger_id, evse_id, connector_id, from_at, heard_at, tie, organisation_id, status, error_code, info,
      vendor_id, vendor_error_code)
    SELECT x.charger, x.evse, x.connector, least(p_at[x.ord], p_heard[x.ord]), p_heard[x.ord], hashtextextended(p_keys[x.ord], 0),
      p_organisations[x.ord], x.status, x.error, x.info, x.vendor, x.vendor_error
    FROM jsonb_to_recordset(p_statuses) AS x(ord int, charger text, evse int, connector int, status text, error text, info text,
      vendor text, vendor_error text)
    WHERE v_all OR x.ord = ANY (fresh)
    ON CONFLICT DO NOTHING;
`
  ],
  [
    "journal_commit",
    `info text, vendor text, vendor_error text)
    JOIN charger c ON c.charger_id = x.charger
    WHERE v_all OR x.ord = ANY (fresh)`,
    `info text, vendor text, vendor_error text, past boolean)
    JOIN charger c ON c.charger_id = x.charger
    WHERE x.past IS NULL AND (v_all OR x.ord = ANY (fresh))`
  ],
  ["connection_open", "closed_at = NULL\n", "closed_at = NULL, closed_reason = NULL\n"],
  ["connection_close", "SET closed_at = x.at FROM", "SET closed_at = x.at, closed_reason = x.reason FROM"]
]

/** Changes one place of a function as it stands, whatever earlier migrations have made of it. */
const changeFunction = (sql: SqlClient.SqlClient, name: string, from: string, to: string) =>
  Effect.gen(function* () {
    const [stands] = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef(${name}::regproc) AS text`
    const parts = (stands?.text ?? "").split(from)
    if (parts.length !== 2) return yield* Effect.die(new Error(`expected to find once in ${name}: ${from}`))
    return yield* sql.unsafe(parts.join(to))
  })

export const history = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tables, ...fill, ...connections, ...forget]) yield* sql.unsafe(statement)
  for (const [name, from, to] of changes) yield* changeFunction(sql, name, from, to)
})
