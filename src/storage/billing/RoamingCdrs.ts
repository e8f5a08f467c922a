/** The port `RoamingCdrs` over SQL. Queries use the indexes on partners' records. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type RoamingCdr, versionsWithoutCredits } from "../../domain/cdr/RoamingCdr.ts"
import { NotFound } from "../../domain/Errors.ts"
import { type CdrsTaken, RoamingCdrs } from "../../domain/cdr/RoamingCdrs.ts"
import { versionsWithPlainTariffs } from "../../domain/tariff/Plain.ts"
import type { Window, Windowed } from "../../domain/values/Window.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray, uuidArray } from "../kernel/Arrays.ts"
import { CdrBodyRow } from "./CdrRows.ts"
import { cdrColumns, CdrRow } from "./Cdrs.ts"
import { sealedBy } from "../roaming/PartyRows.ts"
import { Millis, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { RoamingRow } from "../roaming/RoamingRows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { totals } from "./Totals.ts"

const Row = Schema.Struct({
  ...CdrRow.fields,
  body: Schema.Struct({ ...CdrBodyRow.fields, roaming: RoamingRow }),
  lastUpdated: Millis
})
const rows = rowsOf(Row)
const idRows = rowsOf(Schema.Struct({ id: Schema.String }))
const totalRow = rowOf(Schema.Struct({ total: Whole }))

/** True for a `cdr d` that is neither a credit nor a replacement of another record. */
const isFirst = (sql: SqlClient.SqlClient) => sql`
  (d.credits IS NULL AND (d.revision = 0 OR NOT EXISTS (
    SELECT 1 FROM cdr o WHERE o.organisation_id = d.organisation_id AND o.session_id = d.session_id AND o.credits IS NULL
      AND o.revision < d.revision)))`

/** The organisation's records `cdr d` that the partner gets. */
const given = (sql: SqlClient.SqlClient, { partnerId, takesCredits }: CdrsTaken) =>
  sql`d.partner_id = ${partnerId} ${takesCredits ? sql`` : sql`AND ${isFirst(sql)}`}`

const within = (sql: SqlClient.SqlClient, { from, party, to }: Window) => sql`
  ${party === undefined ? sql`` : sql`AND ${sealedBy(sql, party)}`}
  ${from === undefined ? sql`` : sql`AND d.stored_at >= ${new Date(from)}`}
  ${to === undefined ? sql`` : sql`AND d.stored_at < ${new Date(to)}`}`

const columns = (sql: SqlClient.SqlClient) => sql`${cdrColumns(sql)}, d.stored_at AS "lastUpdated"`

const window = (sql: SqlClient.SqlClient) => {
  const totalOf = totals()
  return Effect.fn("RoamingCdrs.window")(function* (taken: CdrsTaken, asked: Window) {
    const own = scopedTo(sql, taken.organisationId)
    const which = sql`${given(sql, taken)} ${within(sql, asked)}`
    const count = Effect.map(
      guarded(totalRow(own`SELECT count(*) AS total FROM cdr d WHERE ${own.rowsOf("d")} AND ${which}`)),
      (row) => row?.total ?? 0
    )
    // Rows before the page's offset are skipped by their key alone. With `from`, the order is that of storing, which is the same as the
    // order of numbers. In the order of `number` itself, PostgreSQL would read through all records stored before `from`.
    const order = asked.from === undefined ? sql`d.number` : sql`d.stored_at, d.number`
    const page = guarded(
      rows(own`
        SELECT ${columns(sql)}
        FROM (SELECT d.number FROM cdr d WHERE ${own.rowsOf("d")} AND ${which} ORDER BY ${order} OFFSET ${asked.offset} LIMIT ${asked.limit}) w
        JOIN cdr d ON d.number = w.number
        WHERE ${own.rowsOf("d")}
        ORDER BY ${order}`)
    )
    const { organisationId, partnerId, takesCredits } = taken
    const key = JSON.stringify([organisationId, partnerId, takesCredits, asked.from, asked.to, asked.party])
    const windowed: Windowed<RoamingCdr> = yield* totalOf(key, asked, count, page)
    return windowed
  })
}

const get = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingCdrs.get")(function* (taken: CdrsTaken, id: string) {
    if (!isUuid(id)) return yield* new NotFound({ kind: "cdr", id })
    const own = scopedTo(sql, taken.organisationId)
    const [found] = yield* guarded(
      rows(own`SELECT ${columns(sql)} FROM cdr d WHERE ${own.rowsOf("d")} AND ${given(sql, taken)} AND d.id = ${id}`)
    )
    const cdr: RoamingCdr | undefined = found
    return cdr ?? (yield* new NotFound({ kind: "cdr", id }))
  })

const withheld = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingCdrs.withheld")(function* (organisationId: string, ids: ReadonlyArray<string>) {
    if (ids.length === 0) return new Set<string>()
    const own = scopedTo(sql, organisationId)
    const found = yield* guarded(
      idRows(own`
        SELECT d.id FROM cdr d JOIN partner p ON p.id = d.partner_id
        WHERE ${own.rowsOf("d")} AND ${own.rowsOf("p")} AND d.id = ANY (${uuidArray(ids)}) AND NOT ${isFirst(sql)}
          AND (p.switches ->> 'noCreditCdrs' = 'true' OR p.connection ->> 'version' = ANY (${textArray(versionsWithoutCredits)}))`)
    )
    return new Set(found.map(({ id }) => id))
  })

const ofPlainTariffs = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoamingCdrs.ofPlainTariffs")(function* (organisationId: string, ids: ReadonlyArray<string>) {
    if (ids.length === 0) return new Set<string>()
    const own = scopedTo(sql, organisationId)
    const found = yield* guarded(
      idRows(own`
        SELECT d.id FROM cdr d JOIN partner p ON p.id = d.partner_id
        WHERE ${own.rowsOf("d")} AND ${own.rowsOf("p")} AND d.id = ANY (${uuidArray(ids)})
          AND p.connection ->> 'version' = ANY (${textArray(versionsWithPlainTariffs)})`)
    )
    return new Set(found.map(({ id }) => id))
  })

export const layer: Layer.Layer<RoamingCdrs, never, SqlClient.SqlClient> = Layer.effect(
  RoamingCdrs,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RoamingCdrs.of({ window: window(sql), get: get(sql), withheld: withheld(sql), ofPlainTariffs: ofPlainTariffs(sql) })
  )
)
