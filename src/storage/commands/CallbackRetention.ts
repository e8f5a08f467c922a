/**
 * How long partners' callbacks are kept: until they cannot be asked about. Commands themselves are kept with the charger's history; what a partner was sent
 * of them, where, and which cards they let charge is not.
 */
import { Clock, Effect, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { uuid7 } from "../../domain/values/Uuid7.ts"
import { deletedInPieces } from "../kernel/InPieces.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

/** Longer than any session lasts and any reservation lasts; partners ask about what they have seen within weeks. */
const keptMillis = 90 * 24 * 60 * 60 * 1000

const every = "1 hour"

/** Rows in one statement, and statements in a row. */
const pieces = { rows: 1_000, statements: 50 }

/** Deletes the callbacks of commands that were issued before `before` (ms epoch), and names of reservations that none is left of; answers how many. */
export const forgetCallbacks = (sql: SqlClient.SqlClient, before: number) =>
  Effect.gen(function* () {
    // Ids of commands begin with the time that they were issued at, so that the oldest lie together.
    const first = uuid7(before, new Uint8Array(10))
    const gone = yield* deletedInPieces(
      pieces,
      (rows) => sql`
        DELETE FROM partner_command WHERE command_id IN (
          SELECT command_id FROM partner_command WHERE command_id < ${first} ORDER BY command_id LIMIT ${rows}::int)
        RETURNING command_id`
    )
    yield* sql`
      DELETE FROM partner_reservation r WHERE r.created_at < ${new Date(before)} AND NOT EXISTS (
        SELECT 1 FROM partner_command e
        WHERE e.partner_id = r.partner_id AND e.kind = 'ReserveNow' AND lower(e.reference) = r.reference_key AND e.location_id = r.location_id)`
    return gone
  })

/** Sweeps until the scope closes. */
export const sweepCallbacks = (
  sql: SqlClient.SqlClient,
  writable: Effect.Effect<void, StorageUnavailable>
): Effect.Effect<void, never, Scope.Scope> => {
  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.andThen(writable, guardedWrite(forgetCallbacks(sql, now - keptMillis)))
  )
  const guarded = Effect.catch(sweep, () => Effect.void)
  return Effect.asVoid(Effect.forkScoped(Effect.repeat(guarded, Schedule.spaced(every))))
}
