/**
 * Reservations that nobody used, by their charger: what is heard late of a session there may be that it ran at a connector which was reserved, and then the
 * reservation has another price.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const index = `CREATE INDEX session_reserved_charger ON session (charger_id, ended_at) WHERE reservation_only`

export const reservedConnectors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(index)
})
