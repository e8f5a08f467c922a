/** The port `Reservations` over SQL. No write happens when a reservation expires: its status is computed when it is read. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type ReservationFilter, Reservations } from "../../domain/reservation/Reservations.ts"
import { statusAt } from "../../domain/reservation/Reservation.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { ReservationRow } from "../commands/ReservationEnds.ts"

const reservationRows = rowsOf(ReservationRow)
const pages = pagedList("reservations", UuidKey, (row: typeof ReservationRow.Type) => row.commandId)

/** The same rule as `statusAt`, for the filter. */
const shownStatus = (sql: SqlClient.SqlClient, now: number) => sql`
  CASE WHEN r.status IN ('Active', 'Unknown') AND r.expires_at <= ${new Date(now)} THEN 'Expired' ELSE r.status END`

const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("Reservations.list")(function* (
    organisationId: string,
    request: PageRequest & ReservationFilter,
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { chargerId, status } = request
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT r.command_id AS "commandId", r.organisation_id AS "organisationId", r.charger_id AS "chargerId",
          r.reservation_id AS "reservationId", r.evse_id AS "evseId", r.token_uid AS "tokenUid", r.parent_uid AS "parentUid",
          r.expires_at AS "expiresAt", r.status, r.reason, r.session_id AS "sessionId", r.created_at AS "createdAt",
          r.updated_at AS "updatedAt"
        FROM reservation r
        WHERE ${own.rowsOf("r")}
          ${chargerId === undefined ? sql`` : sql`AND r.charger_id = ${chargerId}`}
          ${status === undefined ? sql`` : sql`AND ${shownStatus(sql, now)} = ${status}`}
          ${after === undefined ? sql`` : sql`AND r.command_id < ${after}`}
        ORDER BY r.command_id DESC LIMIT ${pages.rows(request)}`,
        rows: reservationRows,
        item: (row) => ({ ...row, status: statusAt(row, now) })
      })
    )
  })

export const layer: Layer.Layer<Reservations, never, SqlClient.SqlClient> = Layer.effect(
  Reservations,
  Effect.map(SqlClient.SqlClient, (sql) => Reservations.of({ list: list(sql) }))
)
