/**
 * The port `Events` over SQL: reads the journal by position. Positions become visible in their order, so a reader that has seen one has
 * seen all before it. There is no index by organisation, since it would slow down every write of a fact. Instead, a page reads a limited
 * part of the journal.
 */
import { Effect, Layer, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { type Event, type EventCursor, parseCursor } from "../../domain/event/Event.ts"
import { behind, eventsOf, factTypesOf } from "../../domain/event/EventsOf.ts"
import { type EventFilter, type EventPage, Events } from "../../domain/event/Events.ts"
import { accessFacts } from "../../domain/event/RecordFact.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { float8Array, textArray } from "../kernel/Arrays.ts"
import { readBytesMost } from "../kernel/Cursor.ts"
import { Notifications } from "../kernel/Notifications.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"

/**
 * How many facts the statements of one page read. The first is enough if most facts are the organisation's. The others take about ten ms
 * each, during which other readers of the embedded database wait.
 */
const windows = [1_000, 10_000, 10_000, 10_000, 10_000]

const Cost = Schema.Struct({ currency: Schema.String, exclVat: Schema.Finite, inclVat: Schema.Finite })

const PlacedRow = Schema.Struct({
  position: Whole,
  type: Schema.String,
  subject: Schema.String,
  at: Millis,
  body: Schema.Unknown,
  chargerId: optional(Schema.String),
  siteId: optional(Schema.String),
  evseId: optional(Schema.Int),
  connectorId: optional(Schema.Int),
  cost: optional(Cost)
})
const placedRows = rowsOf(PlacedRow)

const pageRows = rowsOf(
  Schema.Struct({
    upTo: Whole,
    count: Schema.Int,
    /** The number of matching facts; fewer are returned if they do not all fit. */
    found: Schema.Int,
    fact: optional(Schema.Struct({ ...PlacedRow.fields, position: Schema.Finite, at: Schema.Finite }))
  })
)

/** The latest price of the session of a fact `n`. After a correction it is not yet known. */
const costOf = (sql: SqlClient.SqlClient, own: Scoped) => sql`
  CASE WHEN j.type IN ('MeterRead', 'SessionReleased') THEN (${own`
    SELECT json_build_object('currency', p.price -> 'currency', 'exclVat', p.price -> 'exclVat', 'inclVat', p.price -> 'inclVat')
    FROM session_price p WHERE p.session_id = n.session_id::uuid AND ${own.rowsOf("p")}`}) END`

/**
 * The facts of `picked` (positions) with where they happened: the charger in their subject or of their session, and the charger's current
 * site. For a removed charger, its sessions have the site.
 */
const placed = (sql: SqlClient.SqlClient, own: Scoped, picked: Statement.Fragment) => own`
  SELECT j.position, j.type, j.subject, j.at, j.body, coalesce(n.charger_id, s.charger_id) AS charger_id,
    coalesce(c.site_id, s.site_id, n.site_id) AS site_id, s.evse_id, s.connector_id, ${costOf(sql, own)} AS cost
  FROM (${picked}) p JOIN journal j ON j.position = p.position AND ${own.rowsOf("j")}
  CROSS JOIN LATERAL (
    SELECT CASE WHEN j.subject LIKE 'charger:%' THEN substr(j.subject, 9) END AS charger_id,
      CASE WHEN j.subject LIKE 'site:%' THEN substr(j.subject, 6)::uuid
        WHEN j.type = 'ChargerRemoved' THEN (j.body #>> '{before,siteId}')::uuid END AS site_id,
      CASE WHEN j.type IN ('SessionHeld', 'SessionClosed', 'SessionReleased', 'SessionCorrected', 'CdrIssued')
        THEN j.body #>> '{after,sessionId}'
        WHEN j.type IN ('SessionStarted', 'MeterRead', 'SessionEnded') THEN j.body ->> 'sessionId' END AS session_id
  ) n
  LEFT JOIN charger c ON c.charger_id = n.charger_id AND ${own.rowsOf("c")}
  LEFT JOIN session s ON c.charger_id IS NULL AND s.id = n.session_id::uuid AND ${own.rowsOf("s")}`

const places = (sql: SqlClient.SqlClient, { chargerId, siteId }: EventFilter) =>
  sql.and([
    sql`true`,
    ...(chargerId === undefined ? [] : [sql`f.charger_id = ${chargerId}`]),
    ...(siteId === undefined ? [] : [sql`f.site_id = ${siteId}`])
  ])

interface Window extends EventFilter {
  /** The first position to read. */
  readonly from: number
  readonly size: number
  /** The most facts to return. */
  readonly facts: number
}

/**
 * The facts of `page p` that may match the charger and site. It decides by subject only, so that facts of other chargers and sites are left
 * out before they are read. For a removed charger, the site is only known from its sessions. Without a charger or site, at most `facts` are
 * returned.
 */
const candidates = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  { chargerId, facts, siteId, types }: EventFilter & Pick<Window, "facts">
): Statement.Fragment => {
  const isAnywhere = chargerId === undefined && siteId === undefined
  const ofCharger = sql`p.subject LIKE 'charger:%'`
  const withCharger = own`LEFT JOIN charger w ON w.charger_id = CASE WHEN ${ofCharger} THEN substr(p.subject, 9) END AND ${own.rowsOf("w")}`
  return own`
    SELECT p.position FROM page p ${siteId === undefined ? sql`` : withCharger}
    WHERE ${own.rowsOf("p")} AND p.type = ANY (${textArray(factTypesOf(types))})
      ${siteId === undefined ? sql`` : sql`AND (w.charger_id IS NULL OR w.site_id = ${siteId})`}
      ${chargerId === undefined ? sql`` : sql`AND (p.subject = ${`charger:${chargerId}`} OR NOT ${ofCharger})`}
      ${isAnywhere ? sql`ORDER BY p.position LIMIT ${facts}` : sql``}`
}

/**
 * Reads one part of the journal. Every row has the part's end; if no fact matches, one row has only that. Only the positions of other
 * organisations' facts are read; both subqueries are limited to the organisation.
 */
const look = (sql: SqlClient.SqlClient, own: Scoped, { facts, from, size, ...filter }: Window) =>
  guarded(
    pageRows(sql`
      WITH page AS MATERIALIZED (
        SELECT j.position, j.organisation_id, j.type, j.subject FROM journal j WHERE j.position >= ${from}::float8::bigint
        ORDER BY j.position LIMIT ${size}
      )
      SELECT e.up_to AS "upTo", e.count, coalesce(f.found, 0) AS found, CASE WHEN f.position IS NOT NULL THEN json_build_object('position', f.position, 'type', f.type,
        'subject', f.subject, 'at', extract(epoch FROM f.at) * 1000, 'body', f.body, 'chargerId', f.charger_id, 'siteId', f.site_id,
        'evseId', f.evse_id, 'connectorId', f.connector_id, 'cost', f.cost) END AS fact
      FROM (SELECT max(p.position) AS up_to, count(*)::int AS count FROM page p HAVING max(p.position) IS NOT NULL) e
      LEFT JOIN (
        SELECT * FROM (SELECT f.*, (count(*) OVER ())::int AS found,
          sum(octet_length(f.body::text)) OVER (ORDER BY f.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM (SELECT * FROM (${placed(sql, own, candidates(sql, own, { ...filter, facts }))}) f
        WHERE ${places(sql, filter)} ORDER BY f.position LIMIT ${facts}) f) f
        WHERE f.bytes IS NULL OR f.bytes < ${readBytesMost}::int
      ) f ON true
      ORDER BY f.position`)
  )

const head = (sql: SqlClient.SqlClient) =>
  Effect.map(
    guarded(sql<{ position: number }>`SELECT coalesce(max(position), 0)::float8 AS position FROM journal`),
    (rows): EventCursor => ({ position: rows[0]?.position ?? 0, index: undefined })
  )

const ahead = new Conflict({
  code: "cursor_unknown",
  message:
    "This cursor is ahead of all events, for example because the database was restored from an older copy. Start again without a cursor."
})

const page = (sql: SqlClient.SqlClient) =>
  Effect.fn("Events.page")(function* (
    organisationId: string,
    request: EventFilter & { readonly after: EventCursor; readonly limit: number }
  ) {
    const { after, chargerId, limit, siteId, types } = request
    const own = scopedTo(sql, organisationId)
    if ((siteId !== undefined && !isUuid(siteId)) || (chargerId !== undefined && unstorableText(chargerId))) {
      return { events: [], next: after, isEnd: true } satisfies EventPage
    }
    const events: Array<Event> = []
    let next = after
    for (const size of windows) {
      const from = next.index === undefined ? next.position + 1 : next.position
      // One fact more than there are events to find, so that a full page is not mistaken for the end.
      const facts = limit - events.length + 1
      const rows = yield* look(sql, own, { chargerId, siteId, types, from, size, facts })
      const [first] = rows
      if (first === undefined) {
        if (next === after && after.position > (yield* head(sql)).position) return yield* ahead
        return { events, next, isEnd: true } satisfies EventPage
      }
      const found = rows.flatMap(({ fact }) => (fact === undefined ? [] : [fact]))
      const cursor = next
      const wanted = found
        .flatMap((fact) => behind(eventsOf(fact), fact.position, cursor))
        .filter((event) => types === undefined || types.includes(event.type))
      events.push(...wanted)
      const last = events[limit - 1]
      if (events.length > limit && last !== undefined) {
        return { events: events.slice(0, limit), next: cursorOf(last), isEnd: false } satisfies EventPage
      }
      // With fewer matching facts than requested, and all of them returned, the part has no more of them.
      const isCut = found.length < first.found
      const isAll = first.found < facts && !isCut
      const lastFact = found.at(-1)
      next = { position: isAll || lastFact === undefined ? first.upTo : lastFact.position, index: undefined }
      const isEnd = isAll && first.count < size
      if (isEnd || isCut || events.length === limit) return { events, next, isEnd } satisfies EventPage
    }
    return { events, next, isEnd: false } satisfies EventPage
  })

const cursorOf = ({ id }: Event): EventCursor => parseCursor(id) ?? { position: 0, index: undefined }

const facts = (sql: SqlClient.SqlClient) =>
  Effect.fn("Events.facts")((organisationId: string, positions: ReadonlyArray<number>) => {
    const own = scopedTo(sql, organisationId)
    const picked = sql`SELECT unnest(${float8Array(positions)})::bigint AS position`
    return guarded(
      placedRows(sql`
        SELECT f.position, f.type, f.subject, f.at, f.body, f.charger_id AS "chargerId", f.site_id AS "siteId",
          f.evse_id AS "evseId", f.connector_id AS "connectorId", f.cost
        FROM (${placed(sql, own, picked)}) f ORDER BY f.position`)
    )
  })

/** How many facts one statement checks for changes of access; the next statement checks the facts after them. */
const accessWindow = 10_000

const accessChanged = (sql: SqlClient.SqlClient) =>
  Effect.fn("Events.accessChanged")((after: number) =>
    Effect.map(
      guarded(sql<{ upTo: number | null; isChanged: boolean | null }>`
        SELECT max(p.position)::float8 AS "upTo", bool_or(p.type = ANY (${textArray(accessFacts)})) AS "isChanged" FROM (
          SELECT j.position, j.type FROM journal j WHERE j.position > ${after}::float8::bigint ORDER BY j.position LIMIT ${accessWindow}::int
        ) p`),
      (rows) => ({ isChanged: rows[0]?.isChanged === true, upTo: rows[0]?.upTo ?? after })
    )
  )

export const layer: Layer.Layer<Events, never, SqlClient.SqlClient | Notifications> = Layer.effect(
  Events,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notifications = yield* Notifications
    return Events.of({
      committed: Stream.map(notifications.listen("voltlane_journal"), () => undefined),
      now: head(sql),
      page: page(sql),
      accessChanged: accessChanged(sql),
      facts: facts(sql)
    })
  })
)
