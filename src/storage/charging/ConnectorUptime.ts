/** Uptime of connectors in a month, page by page: the domain's `uptimeOf` over their histories. Part of `ChargerHistory`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { historyMonths, uptimeOf } from "../../domain/charger/Uptime.ts"
import { InvalidInput } from "../../domain/Errors.ts"
import type { ConnectorUptime } from "../../domain/charger/ChargerHistory.ts"
import type { Presence } from "../../domain/charger/Presence.ts"
import { isChargerId } from "../../domain/values/ChargerId.ts"
import { monthAt, monthsBefore, spanOf } from "../../domain/values/Month.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList } from "../kernel/Cursor.ts"
import { rowOf, rowsOf } from "../kernel/Rows.ts"
import { type Scoped, scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { historiesOf } from "./ConnectorHistories.ts"

/** How many connectors' histories one statement reads. The embedded database runs one statement at a time, so a long one delays all others. */
const connectorsPerStatement = 50

/** The time zone that is furthest ahead of UTC: a month has begun somewhere once it has begun there. */
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

/** The uptime of connectors in a month, each in the time zone of its site. */
const measured = (sql: SqlClient.SqlClient, presence: Presence["Service"], own: Scoped, month: string, now: number) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<ConnectorRow>) {
    const asked = rows.map((row) => ({ ...row, span: spanOf(month, row.timeZone) }))
    const { histories } = yield* historiesOf(sql, presence, own, asked, now)
    return asked.map(({ span, ...row }, i): ConnectorUptime => ({
      ...row,
      month,
      ...uptimeOf(histories[i]!, span, now)
    }))
  })

/** Refuses a month that has not begun in any time zone, and one whose history is partly deleted. */
const within = (month: string, now: number): Effect.Effect<string, InvalidInput> => {
  if (spanOf(month, furthestZone).from > now) {
    return Effect.fail(new InvalidInput({ pointer: "/month", detail: "has not begun yet" }))
  }
  if (spanOf(month, furthestZone).from < monthsBefore(now, historyMonths)) {
    const detail = `is too far in the past: history is kept for ${historyMonths} months`
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
