/**
 * The histories from which uptime and availability are computed, read for many connectors at once: the state at the start of the time span,
 * and the changes in it. Of the statuses only troubles (Unavailable, Faulted) and the status after each are read, since a busy connector
 * has hundreds of other statuses for each of them.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Presence } from "../../domain/charger/Presence.ts"
import type { AvailabilityHistory } from "../../domain/charger/Uptime.ts"
import type { Span } from "../../domain/values/Month.ts"
import { int4Array, textArray, timestamptzArray } from "../kernel/Arrays.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"
import type { Scoped } from "../kernel/Scoped.ts"
import { asRemembered } from "./ConnectionEnds.ts"

/** The most troubles of a connector that are read. Each has an end, so this means twice as many changes: more than one a minute for a month. */
const troublesAtMost = 25_000

/** The most connections of a charger that are read. */
const connectionsAtMost = 50_000

/** The most availability commands for an EVSE, or for the whole charger, that are read: more than one an hour for a month. */
const ordersAtMost = 800

const statusRows = rowsOf(
  Schema.Struct({
    ord: Schema.Int,
    at: Millis,
    heardAt: Millis,
    tie: Schema.BigInt,
    status: Schema.Literals(["Available", "Unavailable", "Faulted"]),
    /** True for the status at the start of the span and the first one in it; false for a trouble and the status that ended it. */
    isFirst: Schema.Boolean
  })
)

const connectionRows = rowsOf(
  Schema.Struct({ ord: Schema.Int, connectedAt: Millis, epoch: Schema.BigInt, disconnectedAt: optional(Millis) })
)

const orderRows = rowsOf(Schema.Struct({ ord: Schema.Int, at: Millis, operative: Schema.Boolean }))

/** A connector, or a whole charger (both numbers 0), and the requested time span. */
export interface Asked {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  readonly span: Span
}

const input = (sql: SqlClient.SqlClient, asked: ReadonlyArray<Asked>) => sql`
  unnest(${textArray(asked.map((one) => one.chargerId))}, ${int4Array(asked.map((one) => one.evseId))},
    ${int4Array(asked.map((one) => one.connectorId))}, ${timestamptzArray(asked.map((one) => one.span.from))},
    ${timestamptzArray(asked.map((one) => one.span.to))}) WITH ORDINALITY AS u(charger_id, evse_id, connector_id, since, until, ord)`

const limited = (sql: SqlClient.SqlClient, rowsAtMost: number | undefined) =>
  rowsAtMost === undefined ? sql`` : sql`LIMIT ${rowsAtMost}`

/** A status may be returned twice, as the end of one trouble and the beginning of the next. */
const statusesOf = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  asked: ReadonlyArray<Asked>,
  rowsAtMost: number | undefined
) => {
  const place = sql`p.charger_id = u.charger_id AND p.evse_id = u.evse_id AND p.connector_id = u.connector_id`
  return statusRows(own`
    SELECT u.ord::int AS ord, h.from_at AS at, h.heard_at AS "heardAt", h.tie, h."isFirst",
      CASE WHEN h.status IN ('Unavailable', 'Faulted') THEN h.status ELSE 'Available' END AS status
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      (SELECT p.from_at, p.heard_at, p.tie, p.status, true AS "isFirst" FROM connector_history p
        WHERE ${own.rowsOf("p")} AND ${place} AND p.from_at <= u.since
        ORDER BY p.from_at DESC, p.heard_at DESC, p.tie DESC LIMIT 1)
      UNION ALL
      (SELECT p.from_at, p.heard_at, p.tie, p.status, true FROM connector_history p
        WHERE ${own.rowsOf("p")} AND ${place} AND p.from_at > u.since AND p.from_at < u.until
        ORDER BY p.from_at, p.heard_at, p.tie LIMIT 1)
      UNION ALL
      (SELECT e.from_at, e.heard_at, e.tie, e.status, false FROM (
          SELECT p.from_at, p.heard_at, p.tie, p.status FROM connector_history p
          WHERE ${own.rowsOf("p")} AND ${place}
            AND p.status IN ('Unavailable', 'Faulted') AND p.from_at > u.since AND p.from_at < u.until
          ORDER BY p.from_at DESC, p.heard_at DESC, p.tie DESC LIMIT ${troublesAtMost}
        ) t CROSS JOIN LATERAL (
          SELECT t.from_at, t.heard_at, t.tie, t.status
          UNION ALL
          (SELECT p.from_at, p.heard_at, p.tie, p.status FROM connector_history p
            WHERE ${own.rowsOf("p")} AND ${place} AND (p.from_at, p.heard_at, p.tie) > (t.from_at, t.heard_at, t.tie)
            ORDER BY p.from_at, p.heard_at, p.tie LIMIT 1)
        ) e)
    ) h ${limited(sql, rowsAtMost)}`)
}

/**
 * The statuses of a connector. If it has more troubles than are read, the history begins with the oldest one that was read, since statuses
 * before it are missing.
 */
const pointsOf = <A extends { readonly isFirst: boolean }>(rows: ReadonlyArray<A>): ReadonlyArray<A> => {
  const inside = rows.filter(({ isFirst }) => !isFirst)
  return inside.length >= 2 * troublesAtMost - 1 ? inside : rows
}

/**
 * The connections that overlap the span, and the first one after it. If a node stopped without closing its connections, they ended with its
 * lease.
 */
const connectionsOf = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  asked: ReadonlyArray<Asked>,
  now: number,
  rowsAtMost: number | undefined
) =>
  connectionRows(own`
    SELECT u.ord::int AS ord, h.connected_at AS "connectedAt", h.epoch,
      coalesce(h.disconnected_at, CASE WHEN l.lease_until < ${new Date(now)} THEN l.lease_until END) AS "disconnectedAt"
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      (SELECT * FROM connection_history p
        WHERE ${own.rowsOf("p")} AND p.charger_id = u.charger_id AND p.connected_at < u.until AND p.connected_at >= coalesce((
          SELECT b.connected_at FROM connection_history b WHERE b.charger_id = u.charger_id AND b.connected_at <= u.since
          ORDER BY b.connected_at DESC LIMIT 1), u.since)
        ORDER BY p.connected_at DESC, p.epoch DESC LIMIT ${connectionsAtMost})
      UNION ALL
      (SELECT * FROM connection_history p WHERE ${own.rowsOf("p")} AND p.charger_id = u.charger_id AND p.connected_at >= u.until
        ORDER BY p.connected_at, p.epoch LIMIT 1)
    ) h
    LEFT JOIN connection n ON n.charger_id = h.charger_id AND n.epoch = h.epoch
    LEFT JOIN node l ON l.node_id = n.node_id ${limited(sql, rowsAtMost)}`)

/**
 * The availability commands that the charger accepted for the EVSE or for the whole charger: the one in force at the start of the span, and
 * those in it.
 */
const ordersOf = (
  sql: SqlClient.SqlClient,
  own: Scoped,
  asked: ReadonlyArray<Asked>,
  rowsAtMost: number | undefined
) => {
  const place = sql`m.charger_id = u.charger_id AND m.type = 'ChangeAvailability' AND m.status = 'Accepted'
    AND (m.command #>> '{place,evseId}')::integer = u.evse_id`
  return orderRows(own`
    SELECT u.ord::int AS ord, h.completed_at AS at, h.command ->> 'availability' = 'Operative' AS operative
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      (SELECT m.completed_at, m.command FROM command m
        WHERE ${own.rowsOf("m")} AND ${place} AND m.completed_at > u.since AND m.completed_at < u.until
        ORDER BY m.completed_at DESC LIMIT ${ordersAtMost})
      UNION ALL
      (SELECT m.completed_at, m.command FROM command m
        WHERE ${own.rowsOf("m")} AND ${place} AND m.completed_at <= u.since
        ORDER BY m.completed_at DESC FETCH FIRST 1 ROWS WITH TIES)
    ) h ${limited(sql, rowsAtMost)}`)
}

/** Groups rows by the ordinal (from 1) of the request that they answer. */
const byOrdinal = <A extends { readonly ord: number }>(rows: ReadonlyArray<A>, count: number) => {
  const grouped = Array.from({ length: count }, (): Array<A> => [])
  for (const row of rows) grouped[row.ord - 1]?.push(row)
  return grouped
}

/**
 * The history of each connector, and how many rows were read. With `rowsAtMost`, each statement ends at that number of rows. If the count
 * is not below it, the histories are incomplete. The connectors of a charger have the same span. Its connections, commands and overall
 * status are read once.
 */
export const historiesOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  presence: Presence["Service"],
  own: Scoped,
  connectors: ReadonlyArray<Asked>,
  now: number,
  rowsAtMost?: number
) {
  const placeOf = ({ chargerId, evseId }: Asked): string => `${evseId} ${chargerId}`
  const chargers = [
    ...new Map(
      connectors.map((one): [string, Asked] => [one.chargerId, { ...one, evseId: 0, connectorId: 0 }])
    ).values()
  ]
  const evses = [...new Map([...connectors, ...chargers].map((one) => [placeOf(one), one])).values()]
  const indexOf = new Map(chargers.map(({ chargerId }, i) => [chargerId, i]))
  const evseOf = new Map(evses.map((one, i) => [placeOf(one), i]))
  const read = {
    statuses: yield* statusesOf(sql, own, [...connectors, ...chargers], rowsAtMost),
    connections: yield* connectionsOf(sql, own, chargers, now, rowsAtMost),
    orders: yield* ordersOf(sql, own, evses, rowsAtMost)
  }
  const statuses = byOrdinal(read.statuses, connectors.length + chargers.length)
  const connections = byOrdinal(read.connections, chargers.length)
  const orders = byOrdinal(read.orders, evses.length)
  const ordersTo = (one: Asked) => orders[evseOf.get(placeOf(one)) ?? 0] ?? []
  return {
    rows: read.statuses.length + read.connections.length + read.orders.length,
    histories: connectors.map((one, i): AvailabilityHistory => {
      const { chargerId } = one
      const charger = indexOf.get(chargerId) ?? 0
      return {
        connector: pointsOf(statuses[i] ?? []),
        whole: pointsOf(statuses[connectors.length + charger] ?? []),
        connections: (connections[charger] ?? []).map((row) => asRemembered(presence, chargerId, row)),
        // For a connector that is itself the whole charger, these would otherwise be added twice.
        orders: [...ordersTo(one), ...(one.evseId === 0 ? [] : ordersTo({ ...one, evseId: 0 }))]
      }
    })
  }
})
