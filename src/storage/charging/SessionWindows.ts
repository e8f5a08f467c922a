/** When sessions were running and their energy, for series. Part of `Chargers`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { maxSeriesSessions, type SeriesRange, type SeriesScope } from "../../domain/charger/Series.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { endedAt, withReview } from "./SessionRows.ts"
import { exists } from "./Statistics.ts"

const windowRows = rowsOf(Schema.Struct({ startedAt: Millis, endedAt: optional(Millis), energyWh: Schema.Finite }))
const countRow = rowOf(Schema.Struct({ count: Schema.Int }))

/** The same as in the index `session_long`. */
const dayMillis = 86_400_000

interface Range extends Pick<SeriesRange, "from" | "to">, SeriesScope {}

const inScope = (sql: SqlClient.SqlClient, alias: string, { chargerId, siteId }: SeriesScope) => sql`
  ${siteId === undefined ? sql`` : sql`AND ${sql(alias)}.site_id = ${siteId}`}
  ${chargerId === undefined ? sql`` : sql`AND ${sql(alias)}.charger_id = ${chargerId}`}`

/**
 * Ids of sessions that may be in the range, at most `most` of each kind:
 * - running sessions
 * - sessions that began in the range or within a day before it, in the order of starts of their organisation, site or charger
 * - sessions that lasted longer than a day, which are few
 * - corrected sessions
 *
 * Later sessions are not read, however many there are. The long sessions are selected before the scope is applied: PostgreSQL does not know
 * how few they are, and would otherwise search for them among all sessions of a site.
 */
const candidates = (sql: SqlClient.SqlClient, own: Scoped, range: Range, most: number) => {
  const [begin, end] = [new Date(range.from), new Date(range.to)]
  const within = inScope(sql, "x", range)
  return own`
    (SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at IS NULL AND x.started_at < ${end} ${within} LIMIT ${most})
    UNION (SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.started_at >= ${new Date(range.from - dayMillis)} AND x.started_at < ${end}
      AND x.ended_at >= ${begin} ${within} LIMIT ${most})
    UNION (SELECT x.id FROM (
      SELECT * FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at - x.started_at > '1 day'::interval AND x.ended_at >= ${begin} AND x.started_at < ${end}
      OFFSET 0) x WHERE true ${within} LIMIT ${most})
    UNION (SELECT y.session_id FROM session_review y WHERE ${own.rowsOf("y")} AND y.ended_at >= ${begin} AND y.started_at < ${end} LIMIT ${most})`
}

/**
 * The sessions of a range, with operators' corrections. The check for too many is made before any are filtered out: a series of only some
 * sessions would be too low without anyone noticing.
 */
export const sessionWindows = (sql: SqlClient.SqlClient, most: number = maxSeriesSessions) =>
  Effect.fn("Chargers.sessionWindows")(function* (organisationId: string, range: Range) {
    const own = scopedTo(sql, organisationId)
    const [begin, end] = [new Date(range.from), new Date(range.to)]
    const found = yield* guarded(
      countRow(own`
        SELECT count(*)::int AS count FROM session s
        WHERE ${own.rowsOf("s")} AND s.id = ANY (ARRAY(${candidates(sql, own, range, most + 1)}))`)
    )
    if ((found?.count ?? 0) > most) {
      return yield* new InvalidInput({
        pointer: "/from",
        detail: `begins a range of more than ${most} sessions: choose a shorter range, or one site`
      })
    }
    return yield* guarded(
      windowRows(own`
        SELECT coalesce(r.started_at, s.started_at) AS "startedAt", ${endedAt(sql)} AS "endedAt",
          coalesce(r.energy_wh, s.energy_wh)::float8 AS "energyWh"
        FROM session s ${withReview(sql)}
        WHERE ${own.rowsOf("s")} AND s.id = ANY (ARRAY(${candidates(sql, own, range, most + 1)}))
          AND NOT s.reservation_only AND ${exists(sql)} ${inScope(sql, "s", range)}
          AND coalesce(r.started_at, s.started_at) < ${end} AND coalesce(${endedAt(sql)} >= ${begin}, true)`)
    )
  })
