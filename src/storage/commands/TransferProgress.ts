/** The progress of transfers as reported by chargers, stored with the command that the domain assigns it to. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { ProgressReported } from "../../domain/charger/Fact.ts"
import { commandStatuses } from "../../domain/command/Command.ts"
import { transferMeant, transferTypes } from "../../domain/command/TransferProgress.ts"
import { textArray, timestamptzArray, uuidArray } from "../kernel/Arrays.ts"
import { optional, rowsOf } from "../kernel/Rows.ts"

/** How many of a charger's newest transfers a report may be about: more than anyone requests while one is running. */
const transfersLooked = 100

const transferRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    chargerId: Schema.String,
    organisationId: Schema.String,
    type: Schema.Literals(transferTypes),
    requestId: optional(Schema.Finite),
    status: Schema.Literals(commandStatuses),
    errorCode: optional(Schema.String)
  })
)

/** Stores the progress in these facts, in their order, in the transaction that has appended them. */
export const followProgress = (
  sql: SqlClient.SqlClient,
  reports: ReadonlyArray<ProgressReported>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (reports.length === 0) return
    const transfers = yield* transferRows(sql`
      SELECT m.id AS "commandId", m.charger_id AS "chargerId", m.organisation_id AS "organisationId", m.type,
        (m.command ->> 'requestId')::float8 AS "requestId", m.status, m.result ->> 'errorCode' AS "errorCode"
      FROM unnest(${textArray([...new Set(reports.map(({ chargerId }) => chargerId))])}) AS x(charger_id)
      CROSS JOIN LATERAL (
        SELECT * FROM command c
        WHERE c.charger_id = x.charger_id AND c.type IN ('GetDiagnostics', 'GetLog', 'UpdateFirmware', 'SignedUpdateFirmware')
        ORDER BY c.turn DESC LIMIT ${transfersLooked}::int
      ) m ORDER BY m.turn DESC`)
    const last = new Map<string, { readonly status: string; readonly at: number }>()
    for (const { at, body, chargerId, organisationId } of reports) {
      const own = transfers.filter((one) => one.chargerId === chargerId && one.organisationId === organisationId)
      const meant = transferMeant(body, own)
      if (meant !== undefined) last.set(meant.commandId, { status: body.status, at })
    }
    if (last.size === 0) return
    const progress = [...last.values()]
    yield* sql`
      UPDATE command m SET progress_status = x.status, progress_at = x.at
      FROM unnest(${uuidArray([...last.keys()])}, ${textArray(progress.map(({ status }) => status))},
        ${timestamptzArray(progress.map(({ at }) => at))}) AS x(id, status, at)
      WHERE m.id = x.id`
  })
