/**
 * The port `Locations` over SQL. Pages are found by the number that each location has in its organisation, and stored texts are sent
 * unchanged. So the cost of a page is that of its bytes.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { NotFound, type StorageUnavailable } from "../../domain/Errors.ts"
import { missingFrom } from "../../domain/site/Missing.ts"
import { type Around, Locations } from "../../domain/site/Locations.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import type { Window } from "../../domain/values/Window.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { anyDue, type LocationsOptions, markAfterUpgrade, nextRipe, refresh, type Scope } from "./LocationRefresh.ts"
import { LocationBody, locationOfBody } from "./LocationRows.ts"
import { sitesOf } from "../roaming/PartyRows.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { journalRung } from "../kernel/Facts.ts"
import type { Notifications } from "../kernel/Notifications.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

/** How many sites one transaction refreshes: the embedded database does nothing else meanwhile. */
const sitesPerStep = 50

/** How many steps one reader runs before it gets the current state; the background loop does the rest. */
const stepsPerRead = 4

const extentRow = rowOf(
  Schema.Struct({
    stale: Schema.Boolean,
    hidden: Schema.Boolean,
    total: optional(Schema.Int),
    oldest: optional(Millis),
    newest: optional(Millis)
  })
)

/** Whether `location l` is hidden in the format. A small index of hidden locations makes this fast if there are none. */
const isHidden = (sql: SqlClient.SqlClient, alias: string, format: string) =>
  sql`(${sql(alias)}.hidden_in <> '{}' AND ${format}::text = ANY (${sql(alias)}.hidden_in))`

/** Counts, times and marks of an organisation's locations. `format` is undefined for locations as such, of which none are hidden. */
const extentOf = (sql: SqlClient.SqlClient, own: Scoped, format: string | undefined) =>
  Effect.map(
    extentRow(own`
      SELECT EXISTS (SELECT 1 FROM location_stale m WHERE ${own.rowsOf("m")}) AS stale,
        ${format === undefined ? sql`false` : own`EXISTS (SELECT 1 FROM location h WHERE ${own.rowsOf("h")} AND ${isHidden(sql, "h", format)})`} AS hidden,
        (SELECT max(l.ordinal) FROM location l WHERE ${own.rowsOf("l")}) AS total,
        (SELECT min(l.last_updated) FROM location l WHERE ${own.rowsOf("l")}) AS oldest,
        (SELECT max(l.last_updated) FROM location l WHERE ${own.rowsOf("l")}) AS newest`),
    (row) => row ?? { stale: false, hidden: false, total: undefined, oldest: undefined, newest: undefined }
  )

type Extent = Effect.Success<ReturnType<typeof extentOf>>

/** Whether a window includes all locations: then a page is found by number. */
const spansAll = ({ from, party, to }: Window, { hidden, newest, oldest }: Extent): boolean =>
  !hidden &&
  party === undefined &&
  (from === undefined || (oldest !== undefined && from <= oldest)) &&
  (to === undefined || (newest !== undefined && to > newest))

const countRow = rowOf(Schema.Struct({ total: Schema.Int }))

const between = (sql: SqlClient.SqlClient, own: Scoped, { from, party, to }: Window, format: string | undefined) => sql`
  ${format === undefined ? sql`` : sql`AND NOT ${isHidden(sql, "l", format)}`}
  ${party === undefined ? sql`` : sql`AND l.id IN (${sitesOf(own, party)})`}
  ${from === undefined ? sql`` : sql`AND l.last_updated >= ${new Date(from)}`}
  ${to === undefined ? sql`` : sql`AND l.last_updated < ${new Date(to)}`}`

/** The largest integer of the database's type. */
const intMax = 2_147_483_647

/** A page of a list that leaves nothing out. */
const numbered = (own: Scoped, { limit, offset }: Window) => own`
  SELECT l.id, l.ordinal, l.body FROM location l
  WHERE ${own.rowsOf("l")} AND l.ordinal > ${offset}::int AND l.ordinal <= ${Math.min(offset + limit, intMax)}::int`

/** The locations of a page with their numbers, and the total number. */
const pageOf = (sql: SqlClient.SqlClient, own: Scoped, window: Window, extent: Extent, format?: string) =>
  Effect.gen(function* () {
    const { limit, offset } = window
    if (spansAll(window, extent)) return { ids: numbered(own, window), total: extent.total ?? 0 }
    const span = between(sql, own, window, extent.hidden ? format : undefined)
    const counted = yield* countRow(own`SELECT count(*)::int AS total FROM location l WHERE ${own.rowsOf("l")} ${span}`)
    const ids = own`SELECT l.id, l.ordinal, l.body FROM location l WHERE ${own.rowsOf("l")} ${span}
      ORDER BY l.ordinal OFFSET ${offset}::int LIMIT ${limit}::int`
    return { ids, total: counted?.total ?? 0 }
  })

const pieces = { body: Schema.Uint8Array, count: Schema.Int, missing: Schema.Int }
const piecesRow = rowOf(Schema.Struct(pieces))
const wholeRow = rowOf(Schema.Struct({ ...pieces, fits: Schema.Boolean, total: Schema.Int }))
const bodyRows = rowsOf(Schema.Struct({ body: LocationBody }))
const evseRow = rowOf(Schema.Struct({ locationId: Schema.String, uid: Schema.String, evseId: Schema.String }))

const notFound = (id: string) => new NotFound({ kind: "location", id })

interface Reading {
  readonly sql: SqlClient.SqlClient
  readonly options: LocationsOptions
  /** Refreshes some marked sites, within a scope or of all; returns true if there may be more. */
  readonly step: (scope: Scope | undefined, limit: number) => Effect.Effect<boolean, StorageUnavailable>
}

const bodiesOf = (own: Scoped, ids: ReadonlyArray<string>) =>
  Effect.map(
    guarded(bodyRows(own`SELECT l.body FROM location l WHERE ${own.rowsOf("l")} AND l.id = ANY (${uuidArray(ids)})`)),
    (rows) => rows.map(({ body }) => locationOfBody(body))
  )

/** Refreshes what is about to be read. If the database accepts no writes, the current state is read. */
const current = ({ sql, step }: Reading, organisationId: string, format?: string) =>
  Effect.gen(function* () {
    const own = scopedTo(sql, organisationId)
    let extent = yield* guarded(extentOf(sql, own, format))
    for (let n = 0; n < stepsPerRead && extent.stale; n++) {
      const worked = yield* Effect.orElseSucceed(step({ organisationId }, sitesPerStep), () => false)
      // If no site was marked any more, another process has refreshed it since we checked.
      extent = yield* guarded(extentOf(sql, own, format))
      if (!worked) break
    }
    return { own, extent }
  })

const markRow = rowOf(Schema.Struct({ stale: Schema.Boolean }))

/** The current locations of some sites; other marked sites of the organisation are not refreshed. */
const ofSites = ({ sql, step }: Reading) =>
  Effect.fn("Locations.ofSites")(function* (organisationId: string, siteIds: ReadonlyArray<string>) {
    const own = scopedTo(sql, organisationId)
    const ids = siteIds.filter(isUuid)
    const marked = yield* guarded(
      markRow(own`
        SELECT EXISTS (SELECT 1 FROM location_stale m WHERE ${own.rowsOf("m")} AND m.site_id = ANY (${uuidArray(ids)})) AS stale`)
    )
    if (marked?.stale === true) yield* Effect.ignore(step({ organisationId, siteIds: ids }, Math.max(1, ids.length)))
    return yield* bodiesOf(own, ids)
  })

const page = (reading: Reading) =>
  Effect.fn("Locations.page")(function* (organisationId: string, window: Window) {
    const { sql } = reading
    const { extent, own } = yield* current(reading, organisationId)
    const { ids, total } = yield* guarded(pageOf(sql, own, window, extent))
    const rows = yield* guarded(bodyRows(sql`SELECT p.body FROM (${ids}) p ORDER BY p.ordinal`))
    return { items: rows.map(({ body }) => locationOfBody(body)), total }
  })

/** The texts of a page, concatenated, and how many of its locations have no text yet. */
const piecesOf = (sql: SqlClient.SqlClient, ids: Statement.Fragment, format: string, { after, before }: Around) => sql`
  SELECT convert_to(${before} || coalesce(string_agg(t.text, ',' ORDER BY p.ordinal), '') || ${after}, 'UTF8') AS body,
    count(*)::int AS count, (count(*) - count(t.text))::int AS missing
  FROM (${ids}) p LEFT JOIN location_text t ON t.location_id = p.id AND t.format = ${format}`

/** Makes a page that was never written in this format (after an upgrade of the service). The texts are stored at the next refresh. */
const made = ({ options, sql }: Reading, ids: Statement.Fragment, format: string, { after, before }: Around) =>
  Effect.map(guarded(bodyRows(sql`SELECT p.body FROM (${ids}) p ORDER BY p.ordinal`)), (rows) => {
    const items = rows.flatMap(({ body }) => options.texts(locationOfBody(body))[format] ?? [])
    return Buffer.from(before + items.join(",") + after)
  })

const dateOf = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms))

/**
 * A page of the whole list in one statement, if nothing is marked or left out; otherwise `fits` is false. Each value is passed once, and no
 * fragments are composed: partners crawl the list, and this statement is most of the cost.
 */
const wholeOf = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  format: string,
  { from, limit, offset, to }: Window,
  { after, before }: Around
) =>
  guarded(
    wholeRow(own`
      WITH asked AS MATERIALIZED (
        SELECT a.id, NOT EXISTS (SELECT 1 FROM location_stale m WHERE m.organisation_id = a.id)
            AND NOT EXISTS (SELECT 1 FROM location h WHERE h.organisation_id = a.id AND ${isHidden(sql, "h", format)})
            AND coalesce((SELECT min(f.last_updated) FROM location f WHERE f.organisation_id = a.id) >= a.since, true)
            AND coalesce((SELECT max(f.last_updated) FROM location f WHERE f.organisation_id = a.id) < a.until, true) AS fits,
          coalesce((SELECT max(f.ordinal) FROM location f WHERE f.organisation_id = a.id), 0) AS total
        FROM (SELECT ${own.id}::uuid AS id, ${dateOf(from)}::timestamptz AS since, ${dateOf(to)}::timestamptz AS until) a
      )
      SELECT a.fits, a.total, count(l.id)::int AS count, (count(l.id) - count(t.text))::int AS missing,
        convert_to(${before} || coalesce(string_agg(t.text, ',' ORDER BY l.ordinal), '') || ${after}, 'UTF8') AS body
      FROM asked a
      LEFT JOIN location l ON l.organisation_id = a.id AND a.fits
        AND l.ordinal > ${offset}::int AND l.ordinal <= ${Math.min(offset + limit, intMax)}::int
      LEFT JOIN location_text t ON t.location_id = l.id AND t.format = ${format}
      GROUP BY a.fits, a.total`)
  )

const json = (reading: Reading) =>
  Effect.fn("Locations.json")(function* (organisationId: string, format: string, window: Window, around: Around) {
    const found =
      window.party === undefined
        ? yield* wholeOf(reading.sql, scopedTo(reading.sql, organisationId), format, window, around)
        : undefined
    if (found !== undefined && found.fits && found.missing === 0) return found
    const { extent, own } = yield* current(reading, organisationId, format)
    const { ids, total } = yield* guarded(pageOf(reading.sql, own, window, extent, format))
    const page = yield* guarded(piecesRow(piecesOf(reading.sql, ids, format, around)))
    const { body, count, missing } = page ?? { body: new Uint8Array(), count: 0, missing: 1 }
    return { body: missing === 0 ? body : yield* made(reading, ids, format, around), count, total }
  })

const get = (reading: Reading) =>
  Effect.fn("Locations.get")(function* (organisationId: string, id: string) {
    if (!isUuid(id)) return yield* notFound(id)
    const [found] = yield* ofSites(reading)(organisationId, [id])
    return found ?? (yield* notFound(id))
  })

const evseOf = ({ sql }: Reading) =>
  Effect.fn("Locations.evseOf")((organisationId: string, chargerId: string, evseId: number) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      evseRow(own`
        SELECT e.site_id AS "locationId", e.uid, e.public_id AS "evseId" FROM evse e
        WHERE ${own.rowsOf("e")} AND e.charger_id = ${chargerId} AND e.evse_id = ${evseId}::int
        ORDER BY e.removed_at DESC NULLS FIRST LIMIT 1`)
    )
  })

const publicationRows = rowsOf(
  Schema.Struct({
    siteId: Schema.String,
    streetAddress: optional(Schema.String),
    city: optional(Schema.String),
    country: optional(Schema.String),
    latitude: optional(Schema.Finite),
    longitude: optional(Schema.Finite),
    isReported: Schema.Boolean
  })
)

/** One statement for all sites; for each site it stops at the first charger with a connector. */
const publications = ({ sql }: Pick<Reading, "sql">) =>
  Effect.fn("Locations.publications")(function* (organisationId: string, siteIds: ReadonlyArray<string>) {
    const own = scopedTo(sql, organisationId)
    const ids = siteIds.filter(isUuid)
    const rows = yield* guarded(
      publicationRows(own`
        SELECT s.id AS "siteId", s.street_address AS "streetAddress", s.city, s.country, s.latitude, s.longitude,
          EXISTS (SELECT 1 FROM charger c JOIN connector k ON k.charger_id = c.charger_id AND k.evse_id > 0 WHERE c.site_id = s.id)
            AS "isReported"
        FROM site s WHERE ${own.rowsOf("s")} AND s.id = ANY (${uuidArray(ids)})`)
    )
    return new Map(
      rows.map(({ isReported, siteId, ...site }) => {
        const missing = missingFrom(site, isReported)
        return [siteId, { published: missing.length === 0, missing }]
      })
    )
  })

const publication = (reading: Reading) => {
  const ofSites = publications(reading)
  return Effect.fn("Locations.publication")(function* (organisationId: string, siteId: string) {
    const found = (yield* ofSites(organisationId, [siteId])).get(siteId.toLowerCase())
    return found ?? (yield* new NotFound({ kind: "site", id: siteId }))
  })
}

/** Provides `Locations`. */
export const layer = (
  options: LocationsOptions
): Layer.Layer<Locations, never, SqlClient.SqlClient | StorageHealth | Notifications> =>
  Layer.effect(
    Locations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const health = yield* StorageHealth
      const rung = yield* journalRung
      const step: Reading["step"] = (scope, limit) =>
        Effect.andThen(
          health.writable,
          Effect.ensuring(guardedWrite(sql.withTransaction(refresh(sql, options, scope, limit))), rung)
        )
      const reading: Reading = { sql, options, step }
      yield* Effect.ignore(Effect.andThen(health.writable, guardedWrite(markAfterUpgrade(sql, options))))
      return Locations.of({
        page: page(reading),
        json: json(reading),
        get: get(reading),
        ofSites: ofSites(reading),
        evseOf: evseOf(reading),
        publication: publication(reading),
        publications: publications(reading),
        nextDue: guarded(nextRipe(sql)),
        refresh: (limit) =>
          Effect.flatMap(guarded(anyDue(sql)), (any) => (any ? step(undefined, limit) : Effect.succeed(false)))
      })
    })
  )
