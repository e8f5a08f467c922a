/** What a partner's driver wishes of a session, beside it for as long as it stands. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const chargingPreferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE session_roaming ADD COLUMN preferences jsonb`
})
