/**
 * The port `RoamingSessions` over SQL. Partners' sessions are found with a small table of their own.
 *
 * A session is sent with the price of its newest reading. If the stored price is older, it is computed again, so that a push and a pull at
 * the same moment give the same price.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { type PartnerScope, RoamingSessions } from "../../domain/session/RoamingSessions.ts"
import type { ChargingPreferences } from "../../domain/session/ChargingPreferences.ts"
import { type RoamingSession, isPriceBehind } from "../../domain/session/RoamingSession.ts"
import type { Window } from "../../domain/values/Window.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { PlaceRow } from "./CdrRows.ts"
import { placeColumn, withPlace } from "../sites/EvseRows.ts"
import { sitesOf } from "../roaming/PartyRows.ts"
import { Millis, Whole, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { RoamingRow } from "../roaming/RoamingRows.ts"
import { totals } from "./Totals.ts"
import { PricedRow, sessionColumns, sessionOf, withPrice } from "../charging/SessionRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { type Ledger, isPriced, priceOf, readingsPricedAtOnce, toSessionPrice } from "../../domain/session/Ledger.ts"
import type { SessionPrice } from "../../domain/session/SessionPrice.ts"
import { unsized, uuidArray } from "../kernel/Arrays.ts"
import { ledgerOf, ledgerRows, ledgers } from "./LedgerRows.ts"

/** For a running or reserved `session s` with tariff `t`, review `r` and price `p`: whether the price is older than the newest reading. */
const priceBehind = (sql: SqlClient.SqlClient) => sql`
  ((s.ended_at IS NULL OR s.status = 'RESERVATION') AND t.tariff_id IS NOT NULL
    AND (p.based_on IS NULL OR p.based_on < date_trunc('milliseconds', greatest(s.updated_at, r.updated_at))))`

/** Whether `session s` has few enough readings to be priced after each of them. */
const hasFewReadings = (sql: SqlClient.SqlClient) => sql`
  NOT EXISTS (SELECT FROM meter x WHERE x.session_id = s.id AND x.energy_wh IS NOT NULL OFFSET ${readingsPricedAtOnce}::int)`

/** A session that cannot be priced is sent with its stored price. Repricing reports the defect. */
const priceNow = (ledger: Ledger): Effect.Effect<SessionPrice | undefined> =>
  Effect.catchDefect(
    Effect.sync(() => toSessionPrice(ledger, priceOf(ledger))),
    () => Effect.undefined
  )

/**
 * An ended session has its final price, which partners never see change. A running one has the price of its newest reading, unless it has
 * so many readings that it is priced only at intervals. It is then sent again after each pricing.
 */
const pricedNow = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  found: ReadonlyArray<{ readonly session: RoamingSession; readonly isBehind: boolean }>
) =>
  Effect.gen(function* () {
    const sessions = found.map(({ session }) => session)
    const over = uuidArray(sessions.filter(isPriceBehind).map(({ id }) => id))
    const running = uuidArray(found.filter(({ isBehind }) => isBehind).map(({ session }) => session.id))
    if (!found.some(({ isBehind, session }) => isBehind || isPriceBehind(session))) return sessions
    const which = own`${own.rowsOf("s")} AND (s.id = ANY (${over}) OR (s.id = ANY (${running}) AND ${hasFewReadings(sql)}))`
    const prices = new Map<string, SessionPrice | undefined>()
    for (const ledger of (yield* ledgerRows(ledgers(sql, which, false))).map(ledgerOf)) {
      if (isPriced(ledger)) prices.set(ledger.session.id, yield* priceNow(ledger))
    }
    return sessions.map((session) => ({ ...session, price: prices.get(session.id) ?? session.price }))
  })

const Row = Schema.Struct({
  ...PricedRow.fields,
  roaming: RoamingRow,
  place: PlaceRow,
  tariffId: optional(Schema.String),
  currency: optional(Schema.String),
  lastUpdated: Millis,
  isBehind: Schema.Boolean
})
const rows = rowsOf(Row)
const idRows = rowsOf(Schema.Struct({ id: Schema.String }))
const totalRow = rowOf(Schema.Struct({ total: Whole }))
const steerableRow = rowOf(Schema.Struct({ profiles: optional(Schema.String) }))

const toSession = ({
  currency,
  isBehind: _,
  lastUpdated,
  place,
  roaming,
  tariffId,
  ...row
}: typeof Row.Type): RoamingSession => ({
  ...sessionOf({ ...row, roaming }),
  roaming,
  place,
  tariffId,
  currency,
  lastUpdated
})

const toSessions = (sql: SqlClient.SqlClient, own: Scoped, found: ReadonlyArray<typeof Row.Type>) =>
  pricedNow(
    sql,
    own,
    found.map((row) => ({ session: toSession(row), isBehind: row.isBehind }))
  )

/** The columns of `session s` with its place, price and tariff, and of `w`, which has the time of its last change. */
const columns = (sql: SqlClient.SqlClient) => sql`
  ${sessionColumns(sql)}, p.price, ${placeColumn(sql, sql`true`)} AS place, t.tariff_id AS "tariffId", coalesce(v.body ->> 'currency', (
    SELECT y.body ->> 'currency' FROM tariff_version y WHERE y.organisation_id = s.organisation_id ORDER BY y.created_at DESC LIMIT 1)) AS currency,
  w.last_updated AS "lastUpdated", ${priceBehind(sql)} AS "isBehind"`

const beside = (sql: SqlClient.SqlClient) => sql`
  ${withPrice(sql)}
  ${withPlace(sql)}
  LEFT JOIN session_tariff t ON t.session_id = s.id AND t.organisation_id = s.organisation_id
  LEFT JOIN tariff_version v ON v.tariff_id = t.tariff_id AND v.version = t.version`

/** The rows of `session_roaming w` that belong to the partner, changed within the window's time span and are at a site of its party. */
const windowOf = (sql: SqlClient.SqlClient, own: Scoped, partnerId: string, { from, party, to }: Window) => sql`
  w.partner_id = ${partnerId}
  ${from === undefined ? sql`` : sql`AND w.last_updated >= ${new Date(from)}`}
  ${to === undefined ? sql`` : sql`AND w.last_updated < ${new Date(to)}`}
  ${party === undefined ? sql`` : own`AND EXISTS (SELECT 1 FROM session x WHERE ${own.rowsOf("x")} AND x.id = w.session_id AND x.site_id IN (${sitesOf(own, party)}))`}`

/** A little more than the one day of `session_roaming_apart`, so that rounding does not matter. */
const apartMillis = 25 * 60 * 60 * 1000
/** An id has 48 bits for the time. */
const latestMillis = 2 ** 48 - 1

/**
 * The keys of a window, in the order in which the sessions were made. Nearly all sessions that changed in a time span were made within a
 * day of it. So only these are read, and the few others are found separately (`session_roaming_apart`).
 */
const keys = (sql: SqlClient.SqlClient, own: Scoped, which: Statement.Fragment, asked: Window) => {
  const { from, limit, offset, to } = asked
  const madeAround = (millis: number) => sql`uuid_at(${new Date(Math.min(Math.max(0, millis), latestMillis))})`
  const begins = from === undefined ? [] : [madeAround(from - apartMillis)]
  const ends = to === undefined ? [] : [madeAround(to + apartMillis)]
  const found = (made: Statement.Fragment) =>
    own`SELECT w.session_id AS id FROM session_roaming w WHERE ${own.rowsOf("w")} AND ${which} AND ${made}`
  const inOrder = sql`ORDER BY id OFFSET ${offset} LIMIT ${limit}`
  if (begins.length === 0 && ends.length === 0) return sql`${found(sql`true`)} ${inOrder}`
  const within = sql.and([
    ...begins.map((id) => sql`w.session_id >= ${id}`),
    ...ends.map((id) => sql`w.session_id < ${id}`)
  ])
  const outside = sql.or([
    ...begins.map((id) => sql`w.session_id < ${id}`),
    ...ends.map((id) => sql`w.session_id >= ${id}`)
  ])
  const apart = sql`w.last_updated - w.made_at NOT BETWEEN interval '-1 day' AND interval '1 day'`
  // `OFFSET 0` makes PostgreSQL find all of the few. To get the first one fast, it would otherwise search for them among all others.
  return sql`
    SELECT x.id FROM (
      (${found(sql`${apart} AND ${outside}`)} OFFSET 0)
      UNION ALL
      (${found(within)} ORDER BY id LIMIT ${offset + limit})
    ) x ${inOrder}`
}

const window = (sql: SqlClient.SqlClient) => {
  const totalOf = totals()
  return Effect.fn("RoamingSessions.window")(function* ({ organisationId, partnerId }: PartnerScope, asked: Window) {
    const own = scopedTo(sql, organisationId)
    const which = windowOf(sql, own, partnerId, asked)
    const count = Effect.map(
      guarded(totalRow(own`SELECT count(*) AS total FROM session_roaming w WHERE ${own.rowsOf("w")} AND ${which}`)),
      (row) => row?.total ?? 0
    )
    // Two statements. As one statement, PostgreSQL would plan it again for each page of a large window, and with so many joins planning
    // takes longer than reading the page. A session that leaves the window between the two statements is left out.
    const page = Effect.gen(function* () {
      const ids = yield* guarded(idRows(keys(sql, own, which, asked)))
      if (ids.length === 0) return []
      const found = sql`ARRAY(SELECT unnest(${unsized(sql, uuidArray(ids.map(({ id }) => id)))}))`
      return yield* guarded(
        rows(own`
          SELECT ${columns(sql)}
          FROM session_roaming w JOIN session s ON s.id = w.session_id
          ${beside(sql)}
          WHERE w.session_id = ANY (${found}) AND ${own.rowsOf("w")} AND ${own.rowsOf("s")} AND ${which}
          ORDER BY s.id`)
      )
    })
    const key = JSON.stringify([organisationId, partnerId, asked.from, asked.to, asked.party])
    const { items, total } = yield* totalOf(key, asked, count, page)
    return { items: yield* guarded(toSessions(sql, own, items)), total }
  })
}

const unknown = (id: string) => new NotFound({ kind: "session", id })

const get = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingSessions.get")(function* ({ organisationId, partnerId }: PartnerScope, id: string) {
    if (!isUuid(id)) return yield* unknown(id)
    const own = scopedTo(sql, organisationId)
    const found = yield* guarded(
      rows(own`
        SELECT ${columns(sql)} FROM session_roaming w JOIN session s ON s.id = w.session_id ${beside(sql)}
        WHERE ${own.rowsOf("w")} AND ${own.rowsOf("s")} AND w.partner_id = ${partnerId} AND w.session_id = ${id}`)
    )
    const [session] = yield* guarded(toSessions(sql, own, found))
    return session ?? (yield* unknown(id))
  })

const prefer = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingSessions.prefer")(function* (
    { organisationId, partnerId }: PartnerScope,
    id: string,
    preferences: ChargingPreferences
  ) {
    if (!isUuid(id)) return yield* unknown(id)
    const own = scopedTo(sql, organisationId)
    const kept = yield* guarded(own`
      UPDATE session_roaming w SET preferences = ${PgTypes.jsonb({ ...preferences })}
      WHERE ${own.rowsOf("w")} AND w.partner_id = ${partnerId} AND w.session_id = ${id} RETURNING w.session_id`)
    if (kept.length === 0) return yield* unknown(id)
  })

const isSteerable = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingSessions.isSteerable")(function* ({ organisationId, partnerId }: PartnerScope, id: string) {
    if (!isUuid(id)) return false
    const own = scopedTo(sql, organisationId)
    const found = yield* guarded(
      steerableRow(own`
        SELECT (
          SELECT k.e ->> 'value' FROM charger_configuration f, jsonb_array_elements(f.keys) AS k(e)
          WHERE f.charger_id = s.charger_id AND lower(k.e ->> 'key') = 'supportedfeatureprofiles' LIMIT 1
        ) AS profiles
        FROM session_roaming w JOIN session s ON s.id = w.session_id
        WHERE ${own.rowsOf("w")} AND w.partner_id = ${partnerId} AND w.session_id = ${id}`)
    )
    return /\bsmartcharging\b/i.test(found?.profiles ?? "")
  })

export const layer: Layer.Layer<RoamingSessions, never, SqlClient.SqlClient> = Layer.effect(
  RoamingSessions,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RoamingSessions.of({ window: window(sql), get: get(sql), prefer: prefer(sql), isSteerable: isSteerable(sql) })
  )
)
