/**
 * The stored data, read by SQL: from PostgreSQL while the service runs, from the embedded database's files once it has ended. The queries are the
 * same, since the schema is.
 */
import { PGlite } from "@electric-sql/pglite"
import { Effect, Redacted, Schema } from "effect"
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { query } from "../../bench/measure/postgres.ts"
import { freshPostgres } from "../support/postgres.ts"
import type { Stored, StoredReading } from "./Checker.ts"

export type Row = Readonly<Record<string, unknown>>

/** Runs one statement. */
export type Query = (sql: string) => Promise<ReadonlyArray<Row>>

export const onPostgres =
  (url: string): Query =>
  (sql) =>
    query(url, sql)

/** Opens the embedded database below `dataDir` for as long as `read` takes. No other process may have it open. */
export const onFiles = async <A>(dataDir: string, read: (query: Query) => Promise<A>): Promise<A> => {
  const version = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).find((path) =>
    /(^|\/)PG_VERSION$/.test(path)
  )
  if (version === undefined) throw new Error(`there is no embedded database in ${dataDir}`)
  const db = await PGlite.create({ dataDir: join(dataDir, dirname(version)) })
  try {
    return await read(async (sql) => (await db.query<Row>(sql)).rows)
  } finally {
    await db.close()
  }
}

/**
 * A database with the schema on the server of `TEST_DATABASE_URL` for as long as `test` takes. It is migrated beforehand, so that the service only
 * checks it.
 */
export const withPostgres = (server: string, test: (url: string) => Promise<void>): Promise<void> =>
  freshPostgres(server, { migrated: true }).pipe(
    Effect.flatMap((url) => Effect.promise(() => test(Redacted.value(url)))),
    Effect.scoped,
    Effect.runPromise
  )

const Session = Schema.Struct({
  id: Schema.String,
  chargerId: Schema.String,
  evseId: Schema.Finite,
  transactionId: Schema.Finite,
  tokenUid: Schema.String,
  status: Schema.String,
  startedAt: Schema.Finite,
  endedAt: Schema.NullOr(Schema.Finite),
  meterStartWh: Schema.Finite,
  meterStopWh: Schema.NullOr(Schema.Finite),
  energyWh: Schema.Finite,
  stopReason: Schema.NullOr(Schema.String)
})
const Reading = Schema.Struct({
  sessionId: Schema.NullOr(Schema.String),
  at: Schema.Finite,
  energyWh: Schema.NullOr(Schema.Finite)
})

const millis = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`

/** Every session and every reading that is stored. Readings outside any session are under "". */
export const readStored = async (query: Query): Promise<Stored> => {
  const sessions = (
    await query(`SELECT id::text AS id, charger_id AS "chargerId", evse_id AS "evseId",
      transaction_id::float8 AS "transactionId", token_uid AS "tokenUid", status, ${millis("started_at")} AS "startedAt",
      ${millis("ended_at")} AS "endedAt", meter_start_wh::float8 AS "meterStartWh", meter_stop_wh::float8 AS "meterStopWh",
      energy_wh::float8 AS "energyWh", stop_reason AS "stopReason" FROM session`)
  ).map((row) => {
    const { endedAt, meterStopWh, stopReason, ...rest } = Schema.decodeUnknownSync(Session)(row)
    return {
      ...rest,
      endedAt: endedAt ?? undefined,
      meterStopWh: meterStopWh ?? undefined,
      stopReason: stopReason ?? undefined
    }
  })
  const readings = new Map<string, Array<StoredReading>>(sessions.map(({ id }) => [id, []]))
  for (const row of await query(
    `SELECT session_id::text AS "sessionId", ${millis("at")} AS at, energy_wh::float8 AS "energyWh" FROM meter
      UNION ALL SELECT NULL, ${millis("at")}, energy_wh::float8 FROM meter_unassigned`
  )) {
    const { at, energyWh, sessionId } = Schema.decodeUnknownSync(Reading)(row)
    const of = readings.get(sessionId ?? "") ?? []
    of.push({ at, energyWh: energyWh ?? undefined })
    readings.set(sessionId ?? "", of)
  }
  return { sessions, readings }
}

/**
 * What no projection shows: the journal has one start and one end for each session that has them, no transaction message became an orphan (these
 * chargers only send messages that belong to a session), and every session's energy is that of its registers (I3).
 */
export const brokenRecords = async (query: Query): Promise<ReadonlyArray<string>> => {
  const rows = await query(`
    SELECT 'sessions and SessionStarted facts differ: ' || s.n || ' and ' || f.n AS problem
      FROM (SELECT count(*) AS n FROM session) s, (SELECT count(*) AS n FROM journal WHERE type = 'SessionStarted') f WHERE s.n <> f.n
    UNION ALL SELECT 'session ' || (body->>'sessionId') || ' has ' || count(*) || ' facts ' || type FROM journal
      WHERE type IN ('SessionStarted', 'SessionEnded') AND body->>'unheard' IS NULL GROUP BY type, body->>'sessionId' HAVING count(*) > 1
    UNION ALL SELECT 'session ' || id || ' has ended without a SessionEnded fact' FROM session s WHERE ended_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.type = 'SessionEnded' AND j.body->>'sessionId' = s.id::text)
    UNION ALL SELECT 'session ' || id || ' of ' || energy_wh || ' Wh has the registers ' || meter_start_wh || ' and ' || meter_stop_wh
      FROM session WHERE meter_stop_wh IS NOT NULL AND abs(energy_wh - (meter_stop_wh - meter_start_wh)) > 1
    UNION ALL SELECT 'orphan of ' || charger_id || ': ' || action || ', ' || problem FROM orphan
    UNION ALL SELECT 'reading of ' || charger_id || ' outside any session' FROM meter_unassigned
    UNION ALL SELECT 'readings of ' || f.subject || ' in the journal and in meter differ: ' || f.n || ' and ' || coalesce(m.n, 0) FROM
      (SELECT subject, sum((body->>'count')::int) AS n FROM journal WHERE type = 'MeterRead' GROUP BY subject) f
      LEFT JOIN (SELECT charger_id, count(*) AS n FROM meter GROUP BY charger_id) m ON f.subject = 'charger:' || m.charger_id
      WHERE f.n <> coalesce(m.n, 0)
    LIMIT 20`)
  return rows.map((row) => String(row["problem"]))
}
