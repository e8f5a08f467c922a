/** The port `Certificates` over the journal itself: requests are few, and their facts hold all there is. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Certificates } from "../domain/ports/Certificates.ts"
import type { PageRequest } from "../domain/values/Page.ts"
import { pagedList } from "./Cursor.ts"
import { Millis, rowsOf } from "./rows.ts"
import { scopedTo } from "./Scoped.ts"
import { guarded } from "./SqlErrors.ts"

const RequestRow = Schema.Struct({ id: Schema.String, at: Millis, csr: Schema.String })
const requestRows = rowsOf(RequestRow)
const Position = Schema.String.check(Schema.isPattern(/^\d{1,18}$/))
const pages = pagedList("certificate-requests", Position, (row: typeof RequestRow.Type) => row.id)

const requests = (sql: SqlClient.SqlClient) =>
  Effect.fn("Certificates.requests")(function* (organisationId: string, chargerId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    const rows = yield* guarded(
      requestRows(own`
        SELECT j.position::text AS id, j.at, j.body ->> 'csr' AS csr FROM journal j
        WHERE ${own.rowsOf("j")} AND j.subject = ${`charger:${chargerId}`} AND j.type = 'CertificateSigningRequested'
          ${after === undefined ? sql`` : sql`AND j.position < ${after}::text::bigint`}
        ORDER BY j.position DESC LIMIT ${pages.rows(request)}`)
    )
    return pages.page(request, rows, (row) => row)
  })

export const layer: Layer.Layer<Certificates, never, SqlClient.SqlClient> = Layer.effect(
  Certificates,
  Effect.map(SqlClient.SqlClient, (sql) => Certificates.of({ requests: requests(sql) }))
)
