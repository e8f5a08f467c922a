/** Reading of charging sessions and their meter readings: the port `Sessions` over SQL. The journal alone writes them. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../domain/Errors.ts"
import { Sessions, type SessionFilter } from "../domain/ports/Sessions.ts"
import type { ChargingSession } from "../domain/session/ChargingSession.ts"
import { isChargerId } from "../domain/values/ChargerId.ts"
import type { PageRequest } from "../domain/values/Page.ts"
import { isUuid } from "../domain/values/Uuid7.ts"
import { pagedList, UuidKey } from "./Cursor.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "./rows.ts"
import { scopedTo, type Scoped } from "./Scoped.ts"
import { readings } from "./SessionReadings.ts"
import { guarded } from "./SqlErrors.ts"
import { firstIdOf } from "./Statistics.ts"
import { unstorableText } from "./Storable.ts"

const SessionRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  siteId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  transactionId: Schema.String,
  ocppVersion: Schema.String,
  tokenUid: Schema.String,
  status: Schema.Literals(["PENDING", "ACTIVE", "COMPLETED", "INVALID", "RESERVATION"]),
  authorizationStatus: Schema.Literals(["Accepted", "Blocked", "Expired", "Invalid", "ConcurrentTx"]),
  authorizationSource: Schema.Literals(["LocalToken", "UnknownTokenRule", "Reservation", "RoamingToken", "None"]),
  authorizedAt: Millis,
  parentUid: optional(Schema.String),
  startedAt: Millis,
  endedAt: optional(Millis),
  meterStartWh: Whole,
  meterStopWh: optional(Whole),
  energyWh: Whole,
  stopReason: optional(Schema.String),
  heldReason: optional(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})

const sessionRow = rowOf(SessionRow)
const sessionRows = rowsOf(SessionRow)

const sessionOf = (row: typeof SessionRow.Type): ChargingSession => {
  const { authorizationSource, authorizationStatus, authorizedAt, parentUid, ...rest } = row
  return {
    ...rest,
    authorization: {
      status: authorizationStatus,
      source: authorizationSource,
      decidedAt: authorizedAt,
      // Until when the answer may be cached by the charger is not kept with the session.
      expiresAt: undefined,
      parentUid
    }
  }
}

const pages = pagedList("sessions", UuidKey, (row: typeof SessionRow.Type) => row.id)

const columns = (sql: SqlClient.SqlClient) => sql`
  s.id, s.organisation_id AS "organisationId", s.charger_id AS "chargerId", s.site_id AS "siteId", s.evse_id AS "evseId",
  s.connector_id AS "connectorId", s.transaction_id AS "transactionId", s.ocpp_version AS "ocppVersion",
  s.token_uid AS "tokenUid", s.status, s.authorization_status AS "authorizationStatus",
  s.authorization_source AS "authorizationSource", s.authorized_at AS "authorizedAt", s.parent_uid AS "parentUid",
  s.started_at AS "startedAt", s.ended_at AS "endedAt", s.meter_start_wh AS "meterStartWh", s.meter_stop_wh AS "meterStopWh",
  s.energy_wh AS "energyWh", s.stop_reason AS "stopReason", s.held_reason AS "heldReason", s.created_at AS "createdAt",
  s.updated_at AS "updatedAt"`

const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const row = isUuid(id)
      ? yield* sessionRow(own`SELECT ${columns(sql)} FROM session s WHERE ${own.rowsOf("s")} AND s.id = ${id}`)
      : undefined
    return row === undefined ? yield* new NotFound({ kind: "session", id }) : sessionOf(row)
  })

/** The conditions of a filter, each over an index or bounded by one; undefined where nothing can fit it. */
const conditions = (sql: SqlClient.SqlClient, filter: SessionFilter) => {
  const { chargerId, from, siteId, status, to, transactionId } = filter
  if (chargerId !== undefined && !isChargerId(chargerId)) return undefined
  if (siteId !== undefined && !isUuid(siteId)) return undefined
  if (transactionId !== undefined && unstorableText(transactionId)) return undefined
  return sql.and([
    sql`true`,
    ...(chargerId === undefined ? [] : [sql`s.charger_id = ${chargerId}`]),
    ...(transactionId === undefined ? [] : [sql`s.transaction_id = ${transactionId}`]),
    ...(siteId === undefined ? [] : [sql`s.site_id = ${siteId}`]),
    ...(status === undefined ? [] : [sql`s.status = ${status}`]),
    // What is active has not ended: said twice, so that the small index of open sessions serves. A transaction has a better one.
    ...(status === "ACTIVE" && transactionId === undefined ? [sql`s.ended_at IS NULL`] : []),
    ...(from === undefined ? [] : [sql`s.started_at >= ${new Date(from)} AND s.id >= ${firstIdOf(from)}`]),
    ...(to === undefined ? [] : [sql`s.started_at < ${new Date(to)}`])
  ])
}

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sessions.list")(function* (organisationId: string, request: PageRequest & SessionFilter) {
    const own = scopedTo(sql, organisationId)
    const before = yield* pages.after(request)
    const filter = conditions(sql, request)
    if (filter === undefined) return { items: [], nextCursor: null }
    const rows = yield* guarded(
      sessionRows(own`
        SELECT ${columns(sql)} FROM session s
        WHERE ${own.rowsOf("s")} AND ${filter} ${before === undefined ? sql`` : sql`AND s.id < ${before}`}
        ORDER BY s.id DESC LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, sessionOf)
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
