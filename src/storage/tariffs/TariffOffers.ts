/** The tariffs that partners see, in SQL. Part of `Tariffs`. An organisation has tens of them, rarely hundreds. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import type { Window } from "../../domain/values/Window.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { TariffRow } from "./TariffRows.ts"

const tariffRows = rowsOf(TariffRow)
const tariffRow = rowOf(TariffRow)
const countRow = rowOf(Schema.Struct({ total: Schema.Int }))

/** The assigned tariffs. A tariff's time of change is the later of its last change and the earliest of its current assignments. */
const assigned = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  { from, id, to }: Pick<Window, "from" | "to"> & { readonly id?: string }
) => own`
  SELECT t.id, t.organisation_id, t.version, t.body, t.created_at, greatest(t.updated_at, a.since) AS changed_at
  FROM tariff t
  JOIN (SELECT x.tariff_id, min(x.created_at) AS since FROM tariff_assignment x WHERE ${own.rowsOf("x")} GROUP BY x.tariff_id) a
    ON a.tariff_id = t.id
  WHERE ${own.rowsOf("t")} ${id === undefined ? sql`` : sql`AND t.id = ${id}`}
    ${from === undefined ? sql`` : sql`AND greatest(t.updated_at, a.since) >= ${new Date(from)}`}
    ${to === undefined ? sql`` : sql`AND greatest(t.updated_at, a.since) < ${new Date(to)}`}`

const columns = (sql: SqlClient.SqlClient) => sql`
  f.id, f.organisation_id AS "organisationId", f.version, f.body, f.created_at AS "createdAt", f.changed_at AS "updatedAt"`

/** One of the offered tariffs. */
export const offer = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.offer")(function* (organisationId: string, id: string) {
    const own = scopedTo(sql, organisationId)
    const found = isUuid(id)
      ? yield* guarded(tariffRow(sql`SELECT ${columns(sql)} FROM (${assigned(sql, own, { id })}) f`))
      : undefined
    return found ?? (yield* new NotFound({ kind: "tariff", id }))
  })

export const offered = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.offered")(function* (organisationId: string, window: Window) {
    const found = assigned(sql, scopedTo(sql, organisationId), window)
    const counted = yield* guarded(countRow(sql`SELECT count(*)::int AS total FROM (${found}) f`))
    const items = yield* guarded(
      tariffRows(sql`
        SELECT ${columns(sql)}
        FROM (${found}) f ORDER BY f.created_at, f.id OFFSET ${window.offset}::int LIMIT ${window.limit}::int`)
    )
    return { items, total: counted?.total ?? 0 }
  })
