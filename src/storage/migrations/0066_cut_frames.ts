/** How many bytes a frame had that the message log has cut; null for all that it has whole. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const cutFrames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE message ADD COLUMN cut_from integer`)
})
