/**
 * Uptime of connectors, read from their history: what stood when the month began, what changed in it, and the domain's `uptimeOf` over it.
 * Part of `ChargerHistory`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { historyMonths, uptimeOf } from "../../domain/charger/Uptime.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import type { ConnectorUptime } from "../../domain/charger/ChargerHistory.ts"
import type { Presence } from "../../domain/charger/Presence.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { monthAt, monthsBefore, type Span, spanOf } from "../../domain/values/Month.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { int4Array, textArray, timestamptzArray } from "../kernel/Arrays.ts"
import { asRemembered } from "./ConnectionEnds.ts"
import { pagedList } from "../kernel/Cursor.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** Connectors whose history one statement reads: the embedded database runs one at a time, and a long one holds up all others. */
const connectorsPerStatement = 50

/**
 * Statuses of a connector, or connections of a charger, that are looked at for a month: more than one a minute. Of a connector that
 * flickers faster the oldest are left out, and counting begins with those that are not.
 */
const changesAtMost = 50_000

/** Orders of a charger that are looked at: one a day for all the time that history is kept. */
const ordersAtMost = 800

/** The zone furthest ahead of UTC is so far ahead, and a month has begun somewhere when it has there. */
const furthestZone = "Pacific/Kiritimati"

const ConnectorRow = Schema.Struct({
  chargerId: Schema.String,
  evseId: Schema.Int,
  connectorId: Schema.Int,
  siteId: Schema.String,
  timeZone: Schema.String
})
type ConnectorRow = typeof ConnectorRow.Type

const connectorRows = rowsOf(ConnectorRow)
const organisationRow = rowOf(Schema.Struct({ timeZone: Schema.String }))

const statusRows = rowsOf(
  Schema.Struct({
    ord: Schema.Int,
    at: Millis,
    heardAt: Millis,
    tie: Schema.BigInt,
    status: Schema.Literals(["Available", "Unavailable", "Faulted"])
  })
)

const connectionRows = rowsOf(
  Schema.Struct({ ord: Schema.Int, connectedAt: Millis, epoch: Schema.BigInt, disconnectedAt: optional(Millis) })
)

const orderRows = rowsOf(Schema.Struct({ ord: Schema.Int, at: Millis, evseId: Schema.Int, operative: Schema.Boolean }))

const Number32 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x7fffffff }))

const pages = pagedList(
  "statistics/uptime",
  Schema.Tuple([
    Schema.String.check(Schema.makeFilter((id) => isChargerId(id) || "expected a charger's id")),
    Number32,
    Number32
  ]),
  (row: ConnectorRow) => [row.chargerId, row.evseId, row.connectorId] as const
)

/** A place on a charger, or the whole of it, and the time that is asked for. */
interface Asked {
  readonly chargerId: string
  readonly evseId: number
  readonly connectorId: number
  readonly span: Span
}

const input = (sql: SqlClient.SqlClient, asked: ReadonlyArray<Asked>) => sql`
  unnest(${textArray(asked.map((one) => one.chargerId))}, ${int4Array(asked.map((one) => one.evseId))},
    ${int4Array(asked.map((one) => one.connectorId))}, ${timestamptzArray(asked.map((one) => one.span.from))},
    ${timestamptzArray(asked.map((one) => one.span.to))}) WITH ORDINALITY AS u(charger_id, evse_id, connector_id, since, until, ord)`

/** What stood at the beginning and what changed until the end, without the changes that are none for uptime (Available to Charging). */
const statusesOf = (sql: SqlClient.SqlClient, own: Scoped, asked: ReadonlyArray<Asked>) =>
  statusRows(own`
    SELECT u.ord::int AS ord, h.from_at AS at, h.heard_at AS "heardAt", h.tie, h.status
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      SELECT n.*, lag(n.status) OVER (ORDER BY n.from_at, n.heard_at, n.tie) AS before
      FROM (
        SELECT p.from_at, p.heard_at, p.tie, CASE WHEN p.status IN ('Unavailable', 'Faulted') THEN p.status ELSE 'Available' END AS status
        FROM connector_history p
        WHERE ${own.rowsOf("p")} AND p.charger_id = u.charger_id AND p.evse_id = u.evse_id AND p.connector_id = u.connector_id
          AND p.from_at < u.until AND p.from_at >= coalesce((
            SELECT b.from_at FROM connector_history b
            WHERE b.charger_id = u.charger_id AND b.evse_id = u.evse_id AND b.connector_id = u.connector_id AND b.from_at <= u.since
            ORDER BY b.from_at DESC LIMIT 1), u.since)
        ORDER BY p.from_at DESC, p.heard_at DESC, p.tie DESC LIMIT ${changesAtMost}
      ) n
    ) h
    WHERE h.before IS DISTINCT FROM h.status`)

/** Those that reach into the time, and the first one after it. One whose node has gone without closing it lasted as long as the lease. */
const connectionsOf = (sql: SqlClient.SqlClient, own: Scoped, asked: ReadonlyArray<Asked>, now: number) =>
  connectionRows(own`
    SELECT u.ord::int AS ord, h.connected_at AS "connectedAt", h.epoch,
      coalesce(h.disconnected_at, CASE WHEN l.lease_until < ${new Date(now)} THEN l.lease_until END) AS "disconnectedAt"
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      (SELECT * FROM connection_history p
        WHERE ${own.rowsOf("p")} AND p.charger_id = u.charger_id AND p.connected_at < u.until AND p.connected_at >= coalesce((
          SELECT b.connected_at FROM connection_history b WHERE b.charger_id = u.charger_id AND b.connected_at <= u.since
          ORDER BY b.connected_at DESC LIMIT 1), u.since)
        ORDER BY p.connected_at DESC, p.epoch DESC LIMIT ${changesAtMost})
      UNION ALL
      (SELECT * FROM connection_history p WHERE ${own.rowsOf("p")} AND p.charger_id = u.charger_id AND p.connected_at >= u.until
        ORDER BY p.connected_at, p.epoch LIMIT 1)
    ) h
    LEFT JOIN connection n ON n.charger_id = h.charger_id AND n.epoch = h.epoch
    LEFT JOIN node l ON l.node_id = n.node_id`)

/** What the charger took as an order, the newest until the end of the time. */
const ordersOf = (sql: SqlClient.SqlClient, own: Scoped, asked: ReadonlyArray<Asked>) =>
  orderRows(own`
    SELECT u.ord::int AS ord, h.completed_at AS at, (h.command #>> '{place,evseId}')::int AS "evseId",
      h.command ->> 'availability' = 'Operative' AS operative
    FROM ${input(sql, asked)} CROSS JOIN LATERAL (
      SELECT m.completed_at, m.command FROM command m
      WHERE ${own.rowsOf("m")} AND m.charger_id = u.charger_id AND m.type = 'ChangeAvailability' AND m.status = 'Accepted'
        AND m.completed_at < u.until
      ORDER BY m.completed_at DESC LIMIT ${ordersAtMost}
    ) h`)

/** Rows by the ordinal (from 1) of what they were asked for. */
const byOrdinal = <A extends { readonly ord: number }>(rows: ReadonlyArray<A>, count: number) => {
  const grouped = Array.from({ length: count }, (): Array<A> => [])
  for (const row of rows) grouped[row.ord - 1]?.push(row)
  return grouped
}

/** A charger's connectors share a site and so a month, and its connections, orders and status as a whole are read once. */
const measured = (sql: SqlClient.SqlClient, presence: Presence["Service"], own: Scoped, month: string, now: number) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<ConnectorRow>) {
    const connectors = rows.map((row): Asked => ({ ...row, span: spanOf(month, row.timeZone) }))
    const chargers = [
      ...new Map(
        connectors.map((one): [string, Asked] => [one.chargerId, { ...one, evseId: 0, connectorId: 0 }])
      ).values()
    ]
    const indexOf = new Map(chargers.map(({ chargerId }, i) => [chargerId, i]))
    const statuses = byOrdinal(
      yield* statusesOf(sql, own, [...connectors, ...chargers]),
      connectors.length + chargers.length
    )
    const connections = byOrdinal(yield* connectionsOf(sql, own, chargers, now), chargers.length)
    const orders = byOrdinal(yield* ordersOf(sql, own, chargers), chargers.length)
    return rows.map(({ timeZone, ...row }, i): ConnectorUptime => {
      const charger = indexOf.get(row.chargerId) ?? 0
      const history = {
        connector: statuses[i] ?? [],
        whole: statuses[connectors.length + charger] ?? [],
        connections: (connections[charger] ?? []).map((one) => asRemembered(presence, row.chargerId, one)),
        orders: (orders[charger] ?? []).filter(({ evseId }) => evseId === 0 || evseId === row.evseId)
      }
      return { ...row, month, timeZone, ...uptimeOf(history, spanOf(month, timeZone), now) }
    })
  })

/** Refuses a month that lies ahead everywhere, and one that was forgotten in part. */
const within = (month: string, now: number): Effect.Effect<string, InvalidInput> => {
  if (spanOf(month, furthestZone).from > now) {
    return Effect.fail(new InvalidInput({ pointer: "/month", detail: "has not begun yet" }))
  }
  if (spanOf(month, furthestZone).from < monthsBefore(now, historyMonths)) {
    const detail = `is older than what is kept: history goes back ${historyMonths} months`
    return Effect.fail(new InvalidInput({ pointer: "/month", detail }))
  }
  return Effect.succeed(month)
}

export const uptime = (sql: SqlClient.SqlClient, presence: Presence["Service"]) =>
  Effect.fn("ChargerHistory.uptime")(function* (
    organisationId: string,
    request: PageRequest & {
      readonly month?: string | undefined
      readonly siteId?: string | undefined
      readonly chargerId?: string | undefined
    },
    now: number
  ) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const zone = yield* guarded(
      organisationRow(own`SELECT o.time_zone AS "timeZone" FROM organisation o WHERE ${own.itself("o")}`)
    )
    const month = yield* within(request.month ?? monthAt(now, zone?.timeZone ?? "UTC"), now)
    const { chargerId, siteId } = request
    if (siteId !== undefined && !isUuid(siteId)) return { items: [], nextCursor: null }
    const rows = yield* guarded(
      connectorRows(own`
        SELECT c.charger_id AS "chargerId", k.evse_id AS "evseId", k.connector_id AS "connectorId", c.site_id AS "siteId",
          s.time_zone AS "timeZone"
        FROM charger c JOIN connector k ON k.charger_id = c.charger_id JOIN site s ON s.id = c.site_id
        WHERE ${own.rowsOf("c")} AND k.evse_id > 0
          ${siteId === undefined ? sql`` : sql`AND c.site_id = ${siteId}`}
          ${chargerId === undefined ? sql`` : sql`AND c.charger_id = ${chargerId}`}
          ${
            after === undefined
              ? sql``
              : sql`AND c.charger_id >= ${after[0]} AND (c.charger_id, k.evse_id, k.connector_id) > (${after[0]}, ${after[1]}, ${after[2]})`
          }
        ORDER BY c.charger_id, k.evse_id, k.connector_id LIMIT ${pages.rows(request)}`)
    )
    const page = pages.page(request, rows, (row) => row)
    const measure = measured(sql, presence, own, month, now)
    const items: Array<ConnectorUptime> = []
    for (let i = 0; i < page.items.length; i += connectorsPerStatement) {
      items.push(...(yield* guarded(measure(page.items.slice(i, i + connectorsPerStatement)))))
    }
    return { items, nextCursor: page.nextCursor }
  })
