/**
 * The port `Certificates`. Certificate requests are read from the journal, since they are few and their facts contain everything. Installed
 * certificates are read from the stored answers to commands.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CertificateUse } from "../../domain/command/ChargerCommand.ts"
import { certificatesIn } from "../../domain/command/InstalledCertificates.ts"
import { Certificates } from "../../domain/charger/Certificates.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { pagedList } from "../kernel/Cursor.ts"
import { Millis, rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

const RequestRow = Schema.Struct({ id: Schema.String, at: Millis, csr: Schema.String })
const requestRows = rowsOf(RequestRow)
const Position = Schema.String.check(Schema.isPattern(/^\d{1,18}$/))
const pages = pagedList("certificate-requests", Position, (row: typeof RequestRow.Type) => row.id)

const requests = (sql: SqlClient.SqlClient) =>
  Effect.fn("Certificates.requests")(function* (organisationId: string, chargerId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
        SELECT j.position::text AS id, j.at, j.body ->> 'csr' AS csr FROM journal j
        WHERE ${own.rowsOf("j")} AND j.subject = ${`charger:${chargerId}`} AND j.type = 'CertificateSigningRequested'
          ${after === undefined ? sql`` : sql`AND j.position < ${after}::text::bigint`}
        ORDER BY j.position DESC LIMIT ${pages.rows(request)}`,
        rows: requestRows,
        item: (row) => row
      })
    )
  })

const AnswerRow = Schema.Struct({
  certificateType: CertificateUse,
  askedAt: Millis,
  answer: Schema.Unknown,
  changedSince: Schema.Boolean
})
const answerRows = rowsOf(AnswerRow)

/**
 * NotFound is an answer too: no certificate of this type is installed. Answers from before the charger was registered are ignored, since
 * they are from another device with the same id.
 */
const installed = (sql: SqlClient.SqlClient) =>
  Effect.fn("Certificates.installed")(function* (organisationId: string, chargerId: string) {
    const own = scopedTo(sql, organisationId)
    const rows = yield* guarded(
      answerRows(own`
        SELECT DISTINCT ON (1) m.command ->> 'certificateType' AS "certificateType", m.completed_at AS "askedAt", m.result AS answer,
          EXISTS (
            SELECT 1 FROM command l
            WHERE l.charger_id = m.charger_id AND l.organisation_id = m.organisation_id AND l.turn > m.turn
              AND (l.type = 'DeleteCertificate'
                OR (l.type = 'InstallCertificate' AND l.command ->> 'certificateType' = m.command ->> 'certificateType'))
              AND (l.status IN ('Sent', 'Accepted', 'TimedOut') OR l.result ->> 'errorCode' = 'ConnectionLost')
          ) AS "changedSince"
        FROM command m JOIN charger c ON c.charger_id = m.charger_id AND c.organisation_id = m.organisation_id
        WHERE ${own.rowsOf("m")} AND m.charger_id = ${chargerId} AND m.type = 'GetInstalledCertificateIds'
          AND lower(trim(m.result ->> 'status')) IN ('accepted', 'notfound') AND m.created_at >= c.created_at
        ORDER BY 1, m.turn DESC`)
    )
    return rows.map(({ answer, ...row }) => ({ ...row, certificates: certificatesIn(answer) }))
  })

export const layer: Layer.Layer<Certificates, never, SqlClient.SqlClient> = Layer.effect(
  Certificates,
  Effect.map(SqlClient.SqlClient, (sql) => Certificates.of({ requests: requests(sql), installed: installed(sql) }))
)
