/** When sessions ran and what they took, for series. Part of `Chargers`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { maxSeriesSessions, type SeriesRange } from "../../domain/charger/Series.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { endedAt, withReview } from "./SessionRows.ts"
import { exists } from "./Statistics.ts"

const windowRows = rowsOf(Schema.Struct({ startedAt: Millis, endedAt: optional(Millis), energyWh: Schema.Finite }))

/**
 * Sessions of a range by the indexes on what runs and on what ended since its beginning, as an operator corrected them. One more than the limit is asked
 * for, which shows that there are more.
 */
export const sessionWindows = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.sessionWindows")(function* (
    organisationId: string,
    { from, siteId, to }: Pick<SeriesRange, "from" | "to"> & { readonly siteId: string | undefined }
  ) {
    const own = scopedTo(sql, organisationId)
    const most = maxSeriesSessions + 1
    const [begin, end] = [new Date(from), new Date(to)]
    const ofSite = siteId === undefined ? sql`` : sql`AND s.site_id = ${siteId}`
    const windows = yield* guarded(
      windowRows(own`
        SELECT coalesce(r.started_at, s.started_at) AS "startedAt", ${endedAt(sql)} AS "endedAt",
          coalesce(r.energy_wh, s.energy_wh)::float8 AS "energyWh"
        FROM session s ${withReview(sql)}
        WHERE ${own.rowsOf("s")} AND s.id = ANY (ARRAY(
            SELECT a.id FROM (
              SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at IS NULL LIMIT ${most}) a
            UNION ALL
            SELECT b.id FROM (
              SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at >= ${begin} LIMIT ${most}) b
            UNION ALL
            SELECT y.session_id FROM session_review y WHERE ${own.rowsOf("y")} AND y.ended_at >= ${begin}))
          AND NOT s.reservation_only AND ${exists(sql)} ${ofSite}
          AND coalesce(r.started_at, s.started_at) < ${end} AND coalesce(${endedAt(sql)} >= ${begin}, true)
        LIMIT ${most}`)
    )
    if (windows.length < most) return windows
    return yield* new InvalidInput({
      pointer: "/from",
      detail: `begins a range of more than ${maxSeriesSessions} sessions: ask for a shorter one`
    })
  })
