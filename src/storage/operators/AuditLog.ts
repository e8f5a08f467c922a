/**
 * The port `AuditLog` over SQL: the journal's facts that have an author, found with the partial indexes `journal_audit` and
 * `journal_audit_subject`.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AuditEntry, type AuditFilter, AuditLog } from "../../domain/operator/AuditLog.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { pagedList } from "../kernel/Cursor.ts"
import { Millis, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const Document = Schema.Record(Schema.String, Schema.Unknown)

const Row = Schema.Struct({
  position: Whole,
  at: Millis,
  type: Schema.String,
  subject: Schema.String,
  body: Schema.Struct({ by: Schema.String, before: Schema.optionalKey(Document), after: Schema.optionalKey(Document) }),
  rest: Document
})

const rows = rowsOf(Row)
const pages = pagedList("audit-log", Schema.Int, (row: typeof Row.Type) => row.position)

/** Facts about records contain the record before and after the change; for others, the whole body shows what was requested. */
const toEntry = ({ at, body, position, rest, subject, type }: typeof Row.Type): AuditEntry => {
  // A command to a charger may contain one-time addresses, so it is left out; `parameters` show what the author requested.
  const { by: _, command: __, ...given } = rest
  const record = body.before !== undefined || body.after !== undefined
  return {
    id: String(position),
    at,
    actor: body.by,
    action: type,
    subject,
    before: body.before,
    after: record ? body.after : given
  }
}

/**
 * By how many ms the order of times may differ from that of positions: a fact gets its time before its commit gets the position, and each
 * node has its own clock.
 */
const orderMillis = 60_000

/** The condition and the order are exactly those of the indexes; otherwise the planner does not use them. */
const list = (sql: SqlClient.SqlClient) =>
  Effect.fn("AuditLog.list")(function* (organisationId: string, request: PageRequest & AuditFilter) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const { action, actor, from, subject, to } = request
    const audited = sql`j.author IS NOT NULL`
    // First limits the positions to those around the time span, so that neither newer nor older facts are read. The limits are the nearest
    // facts that are certainly outside the span: those inside may have got their positions in another order than their times.
    const since = (at: number) => own`AND j.at >= ${new Date(at)} AND - j.position < coalesce((
      SELECT - j.position FROM journal j WHERE ${own.rowsOf("j")} AND ${audited} AND j.at < ${new Date(at - orderMillis)}
      ORDER BY j.at DESC LIMIT 1), 1)`
    const until = (at: number) => own`AND j.at < ${new Date(at)} AND - j.position > coalesce((
      SELECT - j.position FROM journal j WHERE ${own.rowsOf("j")} AND ${audited} AND j.at >= ${new Date(at + orderMillis)}
      ORDER BY j.at LIMIT 1), -9223372036854775808)`
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT j.position, j.at, j.type, j.subject, j.body, j.body AS rest FROM journal j
        WHERE ${own.rowsOf("j")} AND ${audited}
          ${subject === undefined ? sql`` : sql`AND j.subject = ${subject}`}
          ${actor === undefined ? sql`` : sql`AND j.author = ${actor}`}
          ${action === undefined ? sql`` : sql`AND j.type = ${action}`}
          ${from === undefined ? sql`` : since(from)}
          ${to === undefined ? sql`` : until(to)}
          ${after === undefined ? sql`` : sql`AND - j.position > - ${after}::float8::bigint`}
        ORDER BY - j.position LIMIT ${pages.rows(request)}`,
        rows: rows,
        item: toEntry
      })
    )
  })

export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) => AuditLog.of({ list: list(sql) }))
)
