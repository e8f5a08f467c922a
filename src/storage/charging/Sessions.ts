/** Reads charging sessions and their meter readings: the port `Sessions` over SQL. Only the journal writes them. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { Sessions, type SessionFilter } from "../../domain/session/Sessions.ts"
import type { ChargingSession, SessionStatus } from "../../domain/session/ChargingSession.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, TimeKey, UuidKey } from "../kernel/Cursor.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { differs, isHeld } from "./SessionQueues.ts"
import { readings } from "./SessionReadings.ts"
import {
  isBilledAfterAll,
  isClosed,
  noTotal,
  PricedRow,
  recordColumn,
  sessionColumns,
  sessionOf,
  SessionPriceRow,
  withPrice
} from "./SessionRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"

const Row = Schema.Struct({ ...PricedRow.fields, record: Schema.NullOr(SessionPriceRow) })
const sessionRow = rowOf(Row)

const toSession = ({ record, ...row }: typeof Row.Type): ChargingSession => ({
  ...sessionOf({ ...row, billed: record === null ? null : { exclVat: record.exclVat, inclVat: record.inclVat } }),
  ...(record === null ? {} : { record })
})

/** `storedStart` is the start as the charger reported it. The list is ordered by it, even if an operator has corrected the start. */
const ListedRow = Schema.Struct({ ...Row.fields, storedStart: Millis })
const listedRows = rowsOf(ListedRow)

const toListed = ({ storedStart: _, ...row }: typeof ListedRow.Type): ChargingSession => toSession(row)

const pages = pagedList("sessions", UuidKey, (row: typeof ListedRow.Type) => row.id)

const datedPages = pagedList(
  "sessions by start",
  Schema.Tuple([TimeKey, UuidKey]),
  (row: typeof ListedRow.Type) => [row.storedStart, row.id] as const
)

/**
 * With a filter by time, site or card, sessions are read in the order of their starts, each with an index of its own
 * (`schema/sessions.sql`). In the order of ids, old sessions would come after all newer ones, and a card's sessions would be among those of
 * all others.
 */
const pageAfter = (sql: SqlClient.SqlClient, request: PageRequest & SessionFilter) =>
  Effect.gen(function* () {
    const { from, siteId, to, tokenUid } = request
    if ([from, siteId, to, tokenUid].every((one) => one === undefined)) {
      const before = yield* pages.after(request)
      const behind = before === undefined ? sql`` : sql`AND s.id < ${before}`
      return { pages, which: sql`${behind} ORDER BY s.id DESC LIMIT ${pages.rows(request)}` }
    }
    const before = yield* datedPages.after(request)
    const behind =
      before === undefined ? sql`` : sql`AND (s.started_at, s.id) < (${new Date(before[0])}, ${before[1]}::uuid)`
    const order = sql`ORDER BY s.started_at DESC, s.id DESC`
    return { pages: datedPages, which: sql`${behind} ${order} LIMIT ${datedPages.rows(request)}` }
  })

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* sessionRow(
          own`SELECT ${sessionColumns(sql, noTotal(sql))}, p.price, ${recordColumn(sql)} FROM session s ${withPrice(sql)} WHERE ${own.rowsOf("s")} AND s.id = ${id}`
        )
      : undefined
    return row === undefined ? yield* new NotFound({ kind: "session", id }) : toSession(row)
  })

/**
 * The same status as in `sessionColumns`. Statuses of few sessions are literals in the statement's text, so that PostgreSQL can use their
 * small indexes.
 */
const statusIs = (sql: SqlClient.SqlClient, status: SessionStatus) => {
  switch (status) {
    case "ACTIVE":
      return sql`(s.status = 'ACTIVE' AND NOT ${isClosed(sql)})`
    case "COMPLETED":
      return sql`(s.status = 'COMPLETED' OR ${isClosed(sql)} OR ${isBilledAfterAll(sql)})`
    case "INVALID":
      return sql`(s.status = 'INVALID' AND r.released_at IS NULL)`
    case "RESERVATION":
      return sql`s.status = 'RESERVATION'`
    case "PENDING":
      return sql`s.status = 'PENDING'`
  }
}

/** The conditions of a filter, each supported or limited by an index; undefined if nothing can match. */
const conditions = (sql: SqlClient.SqlClient, own: Scoped, filter: SessionFilter) => {
  const { chargerId, from, held, needsCorrection, partnerId, siteId, status, to, tokenUid, transactionId } = filter
  if (chargerId !== undefined && !isChargerId(chargerId)) return undefined
  if ([siteId, partnerId].some((id) => id !== undefined && !isUuid(id))) return undefined
  if ([transactionId, tokenUid].some((text) => text !== undefined && unstorableText(text))) return undefined
  return sql.and([
    sql`true`,
    ...(chargerId === undefined ? [] : [sql`s.charger_id = ${chargerId}`]),
    ...(transactionId === undefined ? [] : [sql`s.transaction_id = ${transactionId}`]),
    ...(siteId === undefined ? [] : [sql`s.site_id = ${siteId}`]),
    ...(tokenUid === undefined ? [] : [sql`s.token_key = ${tokenKey(tokenUid)}`]),
    ...(partnerId === undefined ? [] : [sql`s.partner_id = ${partnerId}`]),
    ...(status === undefined ? [] : [statusIs(sql, status)]),
    // Redundant for active sessions, but lets PostgreSQL use the small index of open sessions. A transaction id has a better index.
    ...(status === "ACTIVE" && transactionId === undefined ? [sql`s.ended_at IS NULL`] : []),
    ...(held === undefined ? [] : [isHeld(sql, own, held)]),
    ...(needsCorrection === undefined ? [] : [differs(sql, own, needsCorrection)]),
    ...(from === undefined ? [] : [sql`s.started_at >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`s.started_at < ${new Date(to)}`])
  ])
}

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sessions.list")(function* (organisationId: string, request: PageRequest & SessionFilter) {
    const own = scopedTo(sql, organisationId)
    const asked = yield* pageAfter(sql, request)
    const filter = conditions(sql, own, request)
    if (filter === undefined) return { items: [], nextCursor: null }
    return yield* guarded(
      asked.pages.read(sql, request, {
        statement: own`
        SELECT ${sessionColumns(sql, noTotal(sql))}, s.started_at AS "storedStart", p.price, ${recordColumn(sql)} FROM session s ${withPrice(sql)}
        WHERE ${own.rowsOf("s")} AND ${filter} ${asked.which}`,
        rows: listedRows,
        item: toListed
      })
    )
  })

export const layer: Layer.Layer<Sessions, never, SqlClient.SqlClient> = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Sessions.of({
      get: Effect.fn("Sessions.get")((organisationId, id) => guarded(find(sql, scopedTo(sql, organisationId), id))),
      list: list(sql),
      readings: readings(sql)
    })
  })
)
