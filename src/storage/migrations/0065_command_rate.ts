/** Chargers that were commanded in the last minute are counted over all keys of an organisation, and so are found by it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const commandRate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX command_rate`
  yield* sql`CREATE INDEX command_rate ON command (organisation_id, created_at)`
})
