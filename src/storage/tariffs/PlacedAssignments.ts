/**
 * Where tariffs are assigned, in SQL: in all places, in tree order, and around one charger, for the rule that chooses among them. Part of
 * `Tariffs`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { assignmentScopes } from "../../domain/tariff/Tariff.ts"
import type { PlacedAssignment } from "../../domain/tariff/Tariffs.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { pagedList, TextKey } from "../kernel/Cursor.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { assignmentOf } from "./TariffRows.ts"

const target = {
  tariffId: Schema.String,
  scope: Schema.Literals(assignmentScopes),
  target: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int
}

const PlacedRow = Schema.Struct({
  ...target,
  siteKey: Schema.String,
  chargerKey: Schema.String,
  assignedAt: Millis
})
const placedRows = rowsOf(PlacedRow)

/** The path from the organisation down. Levels below the assignment's are empty or 0, so a wider assignment comes before narrower ones. */
const Key = Schema.Tuple([TextKey, TextKey, Schema.Int, Schema.Int])

const pages = pagedList("tariff-assignments", Key, (row: typeof PlacedRow.Type): typeof Key.Type => [
  row.siteKey,
  row.chargerKey,
  row.evseId,
  row.connectorId
])

const toPlaced = ({ assignedAt, siteKey, tariffId, ...row }: typeof PlacedRow.Type): PlacedAssignment => ({
  tariffId,
  assignment: assignmentOf(row),
  siteId: siteKey === "" ? undefined : siteKey,
  assignedAt
})

export const placed = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.placed")(function* (organisationId: string, tariffId: string | undefined, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const filtered = { ...request, tariffId }
    const after = yield* pages.after(filtered)
    if (tariffId !== undefined && !isUuid(tariffId)) return { items: [], nextCursor: null }
    const [siteId, chargerId, evseId, connectorId] = after ?? []
    return yield* guarded(
      pages.read(sql, filtered, {
        statement: own`
          SELECT x.* FROM (
            SELECT a.tariff_id AS "tariffId", a.scope, a.target, a.evse_id AS "evseId", a.connector_id AS "connectorId",
              a.created_at AS "assignedAt",
              CASE a.scope WHEN 'organisation' THEN '' WHEN 'site' THEN a.target ELSE coalesce(c.site_id::text, '') END COLLATE "C" AS "siteKey",
              CASE WHEN a.scope IN ('charger', 'connector') THEN a.target ELSE '' END COLLATE "C" AS "chargerKey"
            FROM tariff_assignment a LEFT JOIN charger c
              ON a.scope IN ('charger', 'connector') AND c.charger_id = a.target AND ${own.rowsOf("c")}
            WHERE ${own.rowsOf("a")} ${tariffId === undefined ? sql`` : sql`AND a.tariff_id = ${tariffId}`}
          ) x
          ${after === undefined ? sql`` : sql`WHERE (x."siteKey", x."chargerKey", x."evseId", x."connectorId") > (${siteId ?? ""}, ${chargerId ?? ""}, ${evseId ?? 0}::int, ${connectorId ?? 0}::int)`}
          ORDER BY x."siteKey", x."chargerKey", x."evseId", x."connectorId" LIMIT ${pages.rows(filtered)}`,
        rows: placedRows,
        item: toPlaced
      })
    )
  })

const aroundRows = rowsOf(
  Schema.Struct({
    ...target,
    version: Schema.Int,
    startsAt: Schema.NullOr(Millis),
    endsAt: Schema.NullOr(Millis)
  })
)

export const around = (sql: SqlClient.SqlClient) =>
  Effect.fn("Tariffs.around")((organisationId: string, chargerId: string) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      Effect.map(
        aroundRows(own`
          SELECT a.tariff_id AS "tariffId", a.scope, a.target, a.evse_id AS "evseId", a.connector_id AS "connectorId", t.version,
            t.starts_at AS "startsAt", t.ends_at AS "endsAt"
          FROM charger c JOIN tariff_assignment a ON a.organisation_id = c.organisation_id AND (
            (a.scope IN ('charger', 'connector') AND a.target = c.charger_id) OR (a.scope = 'site' AND a.target = c.site_id::text)
            OR (a.scope = 'organisation' AND a.target = ''))
          JOIN tariff t ON t.id = a.tariff_id
          WHERE ${own.rowsOf("c")} AND c.charger_id = ${chargerId}
          ORDER BY a.scope, a.evse_id, a.connector_id`),
        (rows) =>
          rows.map(({ endsAt, startsAt, tariffId, version, ...row }) => ({
            tariffId,
            version,
            assignment: assignmentOf(row),
            startsAt: startsAt ?? undefined,
            endsAt: endsAt ?? undefined
          }))
      )
    )
  })
