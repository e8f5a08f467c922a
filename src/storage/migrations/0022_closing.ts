/**
 * Sessions whose end never came. Closing is a remark beside the session and not an end of it: it holds as long as nothing more is heard, so that
 * `closed_as_of` is the `updated_at` that was closed. Whatever is stored of the session afterwards opens it again, and a real stop ends it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `ALTER TABLE organisation ADD COLUMN close_silent_hours integer NOT NULL DEFAULT 24`,
  `ALTER TABLE session ADD COLUMN closed_as_of timestamptz, ADD COLUMN close_reason text`
]

export const closing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
