/** The meter readings of one session, page by page in the order of the charger's time. Part of `Sessions`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import type { SessionReading } from "../../domain/session/ChargingSession.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, TimeKey } from "../kernel/Cursor.ts"
import { Millis, optional, rowsOf, Whole } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** A sample as it is stored. */
export const Sample = Schema.Struct({
  value: Schema.String,
  measurand: Schema.String,
  context: Schema.String,
  format: Schema.String,
  location: Schema.String,
  unit: Schema.String,
  phase: Schema.optional(Schema.String)
})

const ReadingRow = Schema.Struct({
  at: Millis,
  /** The reading's own key in hex; it orders readings with the same time. */
  key: Schema.String,
  heardAt: Millis,
  rawAt: optional(Schema.String),
  energyWh: optional(Whole),
  samples: Schema.Array(Sample)
})

const readingRows = rowsOf(ReadingRow)

const ReadingKey = Schema.Struct({
  at: TimeKey,
  key: Schema.String.check(Schema.isPattern(/^[0-9a-f]{2,64}$/))
})

const pages = pagedList("readings", ReadingKey, ({ at, key }: typeof ReadingRow.Type) => ({ at, key }))

const readingOf = ({ key: _, ...reading }: typeof ReadingRow.Type): SessionReading => reading

export const readings = (sql: SqlClient.SqlClient) =>
  Effect.fn("Sessions.readings")(function* (organisationId: string, id: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const session = isUuid(id)
      ? yield* guarded(own`SELECT 1 FROM session s WHERE ${own.rowsOf("s")} AND s.id = ${id}`)
      : []
    if (session.length === 0) return yield* new NotFound({ kind: "session", id })
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT m.at, encode(m.key, 'hex') AS key, m.heard_at AS "heardAt", m.raw_at AS "rawAt", m.energy_wh AS "energyWh", m.samples FROM meter m
        WHERE ${own.rowsOf("m")} AND m.session_id = ${id}
          ${after === undefined ? sql`` : sql`AND (m.at, m.key) > (${new Date(after.at)}, decode(${after.key}, 'hex'))`}
        ORDER BY m.at, m.key LIMIT ${pages.rows(request)}`,
        rows: readingRows,
        item: readingOf
      })
    )
  })
