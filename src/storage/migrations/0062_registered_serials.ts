/**
 * The serial number that an operator registered of a charger, which its client certificate may carry. What a charger reports of itself is kept apart
 * and proves nothing; so nothing is taken over from there.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const registeredSerials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE charger ADD COLUMN registered_serial text`)
})
