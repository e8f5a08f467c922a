/**
 * Stores with each price whether it differs from the session's record. A price may be stored after the record, and a record after the
 * price. So the repositories of both compare the two, in the transaction that writes.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { differsFrom } from "../../domain/session/ChargingSession.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { fromRecordInForce, withReview } from "../charging/SessionRows.ts"

const Total = Schema.Struct({ exclVat: Schema.Finite, inclVat: Schema.Finite })

const comparedRows = rowsOf(
  Schema.Struct({ sessionId: Schema.String, differs: Schema.Boolean, price: Total, billed: Schema.NullOr(Total) })
)

/**
 * Compares the prices of these sessions with their records. The rows are locked first: if two transactions write a price and its record at
 * the same time, the second one sees both. They are locked in the order of ids, so there are no deadlocks.
 */
export const compareWithRecords = (sql: SqlClient.SqlClient, sessionIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const rows = yield* comparedRows(sql`
      SELECT p.session_id AS "sessionId", p.differs, json_build_object('exclVat', p.price -> 'exclVat', 'inclVat', p.price -> 'inclVat') AS price,
        (SELECT d.body -> 'total' ${fromRecordInForce(sql)}) AS billed
      FROM session_price p JOIN session s ON s.id = p.session_id ${withReview(sql)}
      WHERE p.session_id = ANY (${uuidArray(sessionIds)}) ORDER BY p.session_id FOR UPDATE OF p`)
    const changed = rows.filter(
      ({ billed, differs, price }) => differs !== (billed !== null && differsFrom(billed, price))
    )
    if (changed.length === 0) return
    yield* sql`
      UPDATE session_price SET differs = NOT differs WHERE session_id = ANY (${uuidArray(changed.map(({ sessionId }) => sessionId))})`
  })
