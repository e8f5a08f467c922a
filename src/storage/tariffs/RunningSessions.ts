/** Counts the running sessions for each version of a tariff, in SQL. Part of `Tariffs`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { NotFound } from "../../domain/Errors.ts"
import type { Tariff } from "../../domain/tariff/Tariff.ts"
import { isClosed } from "../charging/SessionRows.ts"
import { rowsOf } from "../kernel/Rows.ts"
import { scopedTo } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"

/** How many versions of one tariff are shown. */
const shownMost = 500

type Find = (organisationId: string, id: string) => Effect.Effect<Tariff, NotFound | SqlError>

const runningRows = rowsOf(Schema.Struct({ version: Schema.Int, sessions: Schema.Int, reservations: Schema.Int }))

/** Uses the indexes of open sessions and of reservations: these are few, however many sessions the tariff has priced. */
export const runningSessions = (sql: SqlClient.SqlClient, find: Find) =>
  Effect.fn("Tariffs.runningSessions")((organisationId: string, id: string) => {
    const own = scopedTo(sql, organisationId)
    return guarded(
      Effect.gen(function* () {
        yield* find(organisationId, id)
        return yield* runningRows(own`
          SELECT t.version, (count(*) FILTER (WHERE NOT o.reserved))::int AS sessions,
            (count(*) FILTER (WHERE o.reserved))::int AS reservations
          FROM (
            SELECT s.id, false AS reserved FROM session s
            WHERE ${own.rowsOf("s")} AND s.ended_at IS NULL AND NOT ${isClosed(sql)} AND s.status IN ('ACTIVE', 'PENDING')
            UNION ALL
            SELECT s.id, true FROM session s WHERE ${own.rowsOf("s")} AND s.status = 'RESERVATION'
          ) o
          JOIN session_tariff t ON t.session_id = o.id
          WHERE ${own.rowsOf("t")} AND t.tariff_id = ${id}
          GROUP BY t.version ORDER BY t.version DESC LIMIT ${shownMost}`)
      })
    )
  })
