/** What is true of the whole service and of no organisation: by it a start tells that it has the key this database was made with. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const service = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE TABLE service (name text PRIMARY KEY, value bytea NOT NULL)`)
})
