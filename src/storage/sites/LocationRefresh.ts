/**
 * Brings locations up to date. Sites that are marked or that change by time are read, turned into locations by the domain, and stored with
 * the texts that are sent. Part of `Locations`. Refreshes wait for each other; writers of the journal do not wait for them.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { dueOf, type Location, locationOf } from "../../domain/site/Location.ts"
import { type LocationChanged, timeDrivenChange } from "../../domain/site/TimeDrivenChange.ts"
import { int8Array, textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { locks } from "../kernel/Locks.ts"
import { locationOfBody, sourcesOf, sourcesOfSites, type WantedSite } from "./LocationRows.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"

export interface LocationsOptions {
  /** A location as it is sent, by format; undefined for formats in which it is not shown. Formats are read by the same names. */
  readonly texts: (location: Location) => Readonly<Record<string, string | undefined>>
  /** The service's version. Another version may write locations differently; it rewrites them over time. */
  readonly version: string
}

/** How many marks are read at a time: a site whose status changes often has many. */
const marksPerLook = 1_000

const markRows = rowsOf(
  Schema.Struct({
    organisationId: Schema.String,
    siteId: Schema.String,
    ids: Schema.Array(Schema.String),
    unrecorded: Schema.Boolean
  })
)

interface Mark extends WantedSite {
  readonly ids: ReadonlyArray<string>
  /** True if one of its marks has no recorded fact. */
  readonly unrecorded: boolean
}

/** The sites to refresh. */
export interface Scope {
  readonly organisationId: string
  /** Undefined: all sites of the organisation. */
  readonly siteIds?: ReadonlyArray<string>
}

const within = (sql: SqlClient.SqlClient, scope: Scope | undefined) => {
  if (scope === undefined) return sql``
  const own = sql`WHERE m.organisation_id = ${scope.organisationId}`
  return scope.siteIds === undefined ? own : sql`${own} AND m.site_id = ANY (${uuidArray(scope.siteIds)})`
}

/** The sites that were marked first. Only the marks read here are deleted later; a new mark is for the next refresh. */
const marked = (sql: SqlClient.SqlClient, scope: Scope | undefined, limit: number) =>
  markRows(sql`
    SELECT s.organisation_id AS "organisationId", s.site_id AS "siteId", x.ids, x.unrecorded
    FROM (
      SELECT f.organisation_id, f.site_id
      FROM (SELECT m.id, m.organisation_id, m.site_id FROM location_stale m ${within(sql, scope)} ORDER BY m.id LIMIT ${marksPerLook}::int) f
      GROUP BY f.organisation_id, f.site_id ORDER BY min(f.id) LIMIT ${limit}::int
    ) s
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(m.id::text) AS ids, bool_or(m.unrecorded) AS unrecorded FROM location_stale m
      WHERE m.organisation_id = s.organisation_id AND m.site_id = s.site_id
    ) x`)

/** Sites that change by time, and sites with chargers on a node whose lease has run out since the site was last read. */
const ripeSites = (sql: SqlClient.SqlClient, now: number, limit: number) => sql`
  (SELECT l.organisation_id, l.id FROM location l WHERE l.due_at <= ${new Date(now)} ORDER BY l.due_at LIMIT ${limit}::int)
  UNION
  (SELECT l.organisation_id, l.id
    FROM node x
    JOIN connection n ON n.node_id = x.node_id AND n.closed_at IS NULL
    JOIN charger c ON c.charger_id = n.charger_id
    JOIN location l ON l.id = c.site_id
    WHERE x.lease_until <= now() AND l.looked_at < x.lease_until LIMIT ${limit}::int)`

const ripe = (sql: SqlClient.SqlClient, now: number, limit: number) =>
  markRows(sql`
    SELECT r.organisation_id AS "organisationId", r.id AS "siteId", '[]'::jsonb AS ids, true AS unrecorded
    FROM (${ripeSites(sql, now, limit)}) r`)

const anyRow = rowOf(Schema.Struct({ any: Schema.Boolean }))

/** Whether a `refresh` of all sites would find anything: one statement instead of a transaction, since usually there is nothing. */
export const anyDue = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const row = yield* anyRow(sql`
      SELECT EXISTS (SELECT 1 FROM location_stale m) OR EXISTS (SELECT 1 FROM (${ripeSites(sql, now, 1)}) r) AS any`)
    return row?.any ?? false
  })

/** When the next site is due, as far as is known. A running process renews its lease, which postpones the time. */
export const nextRipe = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ at: number | null }>`
      SELECT (extract(epoch FROM least((SELECT min(l.due_at) FROM location l), (
        SELECT min(x.lease_until) FROM node x
        WHERE x.lease_until > now() AND EXISTS (SELECT 1 FROM connection n WHERE n.node_id = x.node_id AND n.closed_at IS NULL)
      ))) * 1000)::float8 AS at`,
    ([row]) => row?.at ?? undefined
  )

interface Looked {
  readonly location: Location
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly before: Location | undefined
  readonly dueAt: number | undefined
}

const body = ({ location }: Looked) => JSON.stringify(location)

/** The formats in which it is not shown, for `string_to_array`. */
const hidden = ({ texts }: Looked) =>
  Object.entries(texts)
    .flatMap(([format, text]) => (text === undefined ? [format] : []))
    .join(",")

const insert = (sql: SqlClient.SqlClient, fresh: ReadonlyArray<Looked>) => sql`
  INSERT INTO location (id, organisation_id, ordinal, body, last_updated, due_at, hidden_in, looked_at)
  SELECT x.id, x.organisation_id,
    coalesce((SELECT max(m.ordinal) FROM location m WHERE m.organisation_id = x.organisation_id), 0)
      + row_number() OVER (PARTITION BY x.organisation_id ORDER BY x.id),
    x.body::jsonb, x.last_updated, x.due_at, string_to_array(x.hidden, ','), now()
  FROM unnest(${uuidArray(fresh.map(({ location }) => location.id))},
    ${uuidArray(fresh.map(({ location }) => location.organisationId))}, ${textArray(fresh.map(body))},
    ${timestamptzArray(fresh.map(({ location }) => location.lastUpdated))},
    ${timestamptzArray(fresh.map(({ dueAt }) => dueAt ?? null))}, ${textArray(fresh.map(hidden))})
    AS x(id, organisation_id, body, last_updated, due_at, hidden)`

const update = (sql: SqlClient.SqlClient, known: ReadonlyArray<Looked>) => sql`
  UPDATE location l SET body = coalesce(x.body::jsonb, l.body), last_updated = x.last_updated, due_at = x.due_at,
    hidden_in = string_to_array(x.hidden, ','), looked_at = now()
  FROM unnest(${uuidArray(known.map(({ location }) => location.id))},
    ${textArray(known.map((one) => (one.location === one.before ? null : body(one))))},
    ${timestamptzArray(known.map(({ location }) => location.lastUpdated))},
    ${timestamptzArray(known.map(({ dueAt }) => dueAt ?? null))}, ${textArray(known.map(hidden))})
    AS x(id, body, last_updated, due_at, hidden)
  WHERE l.id = x.id`

const putTexts = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<{ readonly id: string; readonly format: string; readonly text: string }>
) => sql`
  INSERT INTO location_text AS t (format, location_id, text)
  SELECT x.format, x.id, x.text
  FROM unnest(${textArray(rows.map(({ format }) => format))}, ${uuidArray(rows.map(({ id }) => id))},
    ${textArray(rows.map(({ text }) => text))}) AS x(format, id, text)
  ON CONFLICT (format, location_id) DO UPDATE SET text = excluded.text WHERE t.text <> excluded.text`

/** Deletes texts of locations that are no longer shown. */
const takeTexts = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<{ readonly id: string; readonly format: string }>
) => sql`
  DELETE FROM location_text t
  USING unnest(${textArray(rows.map(({ format }) => format))}, ${uuidArray(rows.map(({ id }) => id))}) AS x(format, id)
  WHERE t.format = x.format AND t.location_id = x.id`

/** Deletes locations, and closes the gaps in the numbers of those after them. This is rare. */
const forget = (sql: SqlClient.SqlClient, gone: ReadonlyArray<Location>) =>
  Effect.forEach(
    gone,
    ({ id }) => sql`
      WITH gone AS (DELETE FROM location l WHERE l.id = ${id} RETURNING l.organisation_id, l.ordinal)
      UPDATE location l SET ordinal = l.ordinal - 1 FROM gone
      WHERE l.organisation_id = gone.organisation_id AND l.ordinal > gone.ordinal`,
    { discard: true }
  )

const keep = (sql: SqlClient.SqlClient, looked: ReadonlyArray<Looked>, gone: ReadonlyArray<Location>) =>
  Effect.gen(function* () {
    const all = looked.flatMap(({ location, texts }) =>
      Object.entries(texts).map(([format, text]) => ({ id: location.id, format, text }))
    )
    const rows = all.flatMap(({ text, ...row }) => (text === undefined ? [] : [{ ...row, text }]))
    const unshown = all.filter(({ text }) => text === undefined)
    yield* forget(sql, gone)
    const fresh = looked.filter(({ before }) => before === undefined)
    const known = looked.filter(({ before }) => before !== undefined)
    if (known.length > 0) yield* update(sql, known)
    if (fresh.length > 0) yield* insert(sql, fresh)
    if (rows.length > 0) yield* putTexts(sql, rows)
    if (unshown.length > 0) yield* takeTexts(sql, unshown)
  })

/**
 * Appends the facts of changes that partners would not learn of otherwise. The journal's lock is taken last: none of its holders waits for
 * the locks held here, and it is then held only until the commit. The caller of a refresh notifies the readers of the journal.
 */
const record = (sql: SqlClient.SqlClient, facts: ReadonlyArray<LocationChanged>) =>
  Effect.andThen(
    sql`SELECT pg_advisory_xact_lock(${locks.journal})`,
    sql`
      INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      SELECT substring(sha256(convert_to('location:' || gen_random_uuid()::text, 'UTF8')) for 16), f.organisation_id, f.type, f.subject,
        f.at, f.at, f.body::json
      FROM unnest(${uuidArray(facts.map((fact) => fact.organisationId))}, ${textArray(facts.map((fact) => fact.type))},
        ${textArray(facts.map((fact) => fact.subject))}, ${timestamptzArray(facts.map((fact) => fact.at))},
        ${textArray(facts.map((fact) => JSON.stringify(fact.body)))}) AS f(organisation_id, type, subject, at, body)`
  )

const look = (sql: SqlClient.SqlClient, options: LocationsOptions, sites: ReadonlyArray<Mark>, now: number) =>
  Effect.gen(function* () {
    const looked: Array<Looked> = []
    const gone: Array<Location> = []
    const facts: Array<LocationChanged> = []
    const unrecorded = new Set(sites.filter((site) => site.unrecorded).map(({ siteId }) => siteId))
    for (const row of yield* sourcesOfSites(sql, sites, now)) {
      const sources = sourcesOf(row)
      const before = row.before === undefined ? undefined : locationOfBody(row.before)
      const location = locationOf(sources, before, now)
      if (location !== undefined) {
        looked.push({ location, texts: options.texts(location), before, dueAt: dueOf(location, sources, now) })
      } else if (before !== undefined) gone.push(before)
      const fact = timeDrivenChange(before, location, row.ripe || unrecorded.has(row.siteId), now)
      if (fact !== undefined) facts.push(fact)
    }
    yield* keep(sql, looked, gone)
    if (facts.length > 0) yield* record(sql, facts)
  })

/** Marks every location if another version of the service has written them. */
export const markAfterUpgrade = (sql: SqlClient.SqlClient, { version }: LocationsOptions) => sql`
  WITH changed AS (
    INSERT INTO service AS s (name, value) VALUES ('locations', convert_to(${version}::text, 'UTF8'))
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value <> excluded.value
    RETURNING s.name
  )
  INSERT INTO location_stale (organisation_id, site_id, unrecorded)
  SELECT l.organisation_id, l.id, true FROM location l WHERE EXISTS (SELECT 1 FROM changed)`

/**
 * Refreshes sites. If one of them cannot be read, each is refreshed separately. The error is a defect of this service, which is logged, and does not
 * affect other locations.
 */
const lookAtAll = (
  sql: SqlClient.SqlClient,
  options: LocationsOptions,
  sites: ReadonlyArray<Mark>,
  now: number
): ReturnType<typeof look> =>
  look(sql, options, sites, now).pipe(
    Effect.catchDefect((defect) =>
      sites.length > 1
        ? Effect.forEach(sites, (site) => lookAtAll(sql, options, [site], now), { discard: true })
        : Effect.andThen(
            Effect.annotateLogs(Effect.logError("a location cannot be built", defect), { siteId: sites[0]?.siteId }),
            // It stays as it was until something about it changes.
            sql`UPDATE location SET due_at = NULL WHERE id = ANY (${uuidArray(sites.map(({ siteId }) => siteId))})`
          )
    )
  )

/**
 * Refreshes some of the marked sites, within a scope or of all; without a scope also the sites that are due by time. Returns true if there
 * may be more. Run it in a transaction of its own. The time of a change is read under the lock, so a reader that has asked for newer
 * locations before cannot have missed it.
 */
export const refresh = (sql: SqlClient.SqlClient, options: LocationsOptions, scope: Scope | undefined, limit: number) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${locks.locations})`
    const now = yield* Clock.currentTimeMillis
    const marks: ReadonlyArray<Mark> = yield* marked(sql, scope, limit)
    const byTime: ReadonlyArray<Mark> = scope === undefined ? yield* ripe(sql, now, limit) : []
    const sites = new Map([...byTime, ...marks].map((site) => [site.siteId, site]))
    if (sites.size === 0) return false
    yield* lookAtAll(sql, options, [...sites.values()], now)
    const ids = marks.flatMap((mark) => mark.ids).map(BigInt)
    if (ids.length > 0) yield* sql`DELETE FROM location_stale m WHERE m.id = ANY (${int8Array(ids)})`
    return marks.length >= limit
  })
