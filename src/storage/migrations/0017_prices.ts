/** Prices of sessions as they were last made, and how far the journal was read for them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE journal_reader (name text PRIMARY KEY, position bigint NOT NULL)`,
  // What came before there were tariffs has no price.
  `INSERT INTO journal_reader (name, position) SELECT 'prices', coalesce(max(position), 0) FROM journal`,
  `CREATE TABLE session_price (
    session_id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    based_on timestamptz NOT NULL,
    price jsonb NOT NULL
  )`
]

export const prices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
