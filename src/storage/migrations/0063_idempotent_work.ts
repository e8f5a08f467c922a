/**
 * Who runs the request of an `Idempotency-Key`, so that its claim is free as soon as that process is gone, and what the request had reached by
 * then. `node_id` is NULL where nobody runs it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const idempotentWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE idempotency ADD COLUMN node_id text, ADD COLUMN reached text`
})
