/** What an organisation expects of its chargers: their configuration, and what some makes need. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // One document of each kind, whole: the last one stands. Few, small, and read with the state of every charger that connects.
  `CREATE TABLE organisation_document (
    organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('configurationTemplate', 'quirks')),
    body jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organisation_id, kind)
  )`
]

export const configuration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
