/**
 * What lists are read along: charge detail records by when their sessions started, since a month of long ago lies behind all that have been
 * numbered since.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const listing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX cdr_started ON cdr (organisation_id, started_at, number)`
})
