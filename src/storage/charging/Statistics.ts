/** An organisation's figures, counted from the current rows. Part of `Chargers`. */
import { DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { latestAheadMillis } from "../../domain/charger/Clock.ts"
import { idReservedMillis } from "../../domain/reservation/Reservation.ts"
import { uuid7 } from "../../domain/values/Uuid7.ts"
import { optional, rowOf } from "../kernel/Rows.ts"
import { endedAt, heldReason, isBilledAfterAll, isClosed, withReview } from "./SessionRows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/**
 * The smallest id that a session which started at `startedAt` (ms since 1970) or later can have. Ids contain the time when the start was
 * received. A charger's clock may be ahead of that by a limited time, and a session that used a reservation has the reservation's id for a
 * limited time. So the index on ids can be used where no index on times exists.
 */
export const firstIdOf = (startedAt: number): string =>
  uuid7(Math.max(0, startedAt - Math.max(latestAheadMillis, idReservedMillis)), new Uint8Array(10))

/** The last midnight before `now` in an IANA time zone, in ms since 1970; in UTC if the runtime does not know the zone. */
export const midnight = (now: number, timeZone: string): number => {
  const zone = Option.getOrElse(DateTime.zoneMakeNamed(timeZone), () => DateTime.zoneMakeNamedUnsafe("UTC"))
  return DateTime.toEpochMillis(DateTime.startOf(DateTime.makeZonedUnsafe(now, { timeZone: zone }), "day"))
}

/** `sumThrough` and `sumWh`: the sum includes the sessions with ids up to `sumThrough` (`schema/statistics.sql`). */
const organisationRow = rowOf(
  Schema.Struct({ timeZone: Schema.String, sumThrough: optional(Schema.String), sumWh: optional(Schema.Finite) })
)

const figuresRow = rowOf(
  Schema.Struct({
    chargers: Schema.Int,
    connected: Schema.Int,
    available: Schema.Int,
    occupied: Schema.Int,
    faulted: Schema.Int,
    unavailable: Schema.Int,
    activeSessions: Schema.Int,
    sessionsToday: Schema.Int,
    energyWhToday: Schema.Finite,
    energyWhTotal: Schema.Finite
  })
)

/** Whether a `session s` with its review `r` counts: it is not held and not invalid. */
export const exists = (sql: SqlClient.SqlClient) => sql`
  ((s.status <> 'INVALID' OR ${isBilledAfterAll(sql)}) AND ${heldReason(sql)} IS NULL)`

/** The sessions that may have begun today, found with indexes: by the charger's report or an operator's correction. */
const mayBegin = (own: Scoped, today: Date) => own`
  s.id = ANY (ARRAY(
    SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.id >= ${firstIdOf(today.getTime())} AND x.started_at >= ${today}
    UNION ALL
    SELECT y.session_id FROM session_review y WHERE ${own.rowsOf("y")} AND y.started_at >= ${today}))`

/** The sessions whose energy may count for today: those that are running, or have ended today by the charger's report or a correction. */
const mayEnd = (own: Scoped, today: Date) => own`
  s.id = ANY (ARRAY(
    SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at IS NULL
    UNION ALL
    SELECT x.id FROM session x WHERE ${own.rowsOf("x")} AND x.ended_at >= ${today}
    UNION ALL
    SELECT y.session_id FROM session_review y WHERE ${own.rowsOf("y")} AND y.ended_at >= ${today}))`

/**
 * An organisation's figures, in two statements.
 *
 * The energy of today is that of the sessions that ended today and of the running ones so far. A session is counted on the day it started.
 * Corrected values replace reported ones. Held sessions are not counted, since their values are doubtful, and neither are invalid ones with
 * their few Wh. The total is the stored sum of older sessions plus the sum of those since then. So both statements read only the sessions
 * of a few days, however many years there are.
 */
export const statistics = (sql: SqlClient.SqlClient) =>
  Effect.fn("Chargers.statistics")(function* (organisationId: string, now: number) {
    const own = scopedTo(sql, organisationId)
    const zone = yield* guarded(
      organisationRow(own`
        SELECT o.time_zone AS "timeZone", t.through AS "sumThrough", t.energy_wh::float8 AS "sumWh"
        FROM organisation o LEFT JOIN session_total t ON t.organisation_id = o.id WHERE ${own.itself("o")}`)
    )
    const since = zone?.sumThrough === undefined ? sql`` : sql`AND s.id > ${zone.sumThrough}`
    const today = new Date(midnight(now, zone?.timeZone ?? "UTC"))
    const figures = yield* guarded(
      figuresRow(own`
        SELECT a.*, b.*, d.*
        FROM (
          SELECT count(*)::int AS chargers,
            count(*) FILTER (WHERE n.closed_at IS NULL AND l.lease_until > now())::int AS connected
          FROM charger c LEFT JOIN connection n ON n.charger_id = c.charger_id LEFT JOIN node l ON l.node_id = n.node_id
          WHERE ${own.rowsOf("c")}
        ) a, (
          SELECT count(*) FILTER (WHERE k.status = 'Available')::int AS available,
            count(*) FILTER (WHERE k.status NOT IN ('Available', 'Faulted', 'Unavailable'))::int AS occupied,
            count(*) FILTER (WHERE k.status = 'Faulted')::int AS faulted,
            count(*) FILTER (WHERE k.status = 'Unavailable')::int AS unavailable
          FROM connector k JOIN charger c ON c.charger_id = k.charger_id
          WHERE ${own.rowsOf("c")} AND k.evse_id > 0
        ) b, (
          SELECT
            (SELECT count(*) FROM session s WHERE ${own.rowsOf("s")} AND s.ended_at IS NULL AND NOT ${isClosed(sql)})::int AS "activeSessions",
            (SELECT count(*) FROM session s ${withReview(sql)}
              WHERE ${own.rowsOf("s")} AND ${mayBegin(own, today)} AND coalesce(r.started_at, s.started_at) >= ${today}
                AND NOT s.reservation_only AND ${exists(sql)})::int AS "sessionsToday",
            (SELECT coalesce(sum(coalesce(r.energy_wh, s.energy_wh)), 0) FROM session s ${withReview(sql)}
              WHERE ${own.rowsOf("s")} AND ${mayEnd(own, today)} AND ${exists(sql)}
                AND coalesce(${endedAt(sql)} >= ${today}, true))::float8 AS "energyWhToday",
            ${zone?.sumWh ?? 0}::float8 + (SELECT coalesce(sum(session_counted_wh(s, r)), 0) FROM session s ${withReview(sql)}
              WHERE ${own.rowsOf("s")} ${since})::float8 AS "energyWhTotal"
        ) d`)
    )
    if (figures === undefined) return yield* Effect.die("a SELECT of aggregates gave no row")
    const { available, faulted, occupied, unavailable, ...rest } = figures
    return { ...rest, connectors: { available, occupied, faulted, unavailable } }
  })
