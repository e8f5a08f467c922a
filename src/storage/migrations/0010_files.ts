/** Files that chargers send us. What they hold lies beside the database; a row says that it came whole. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE file (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL,
    charger_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('Diagnostics', 'Log')),
    name text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'Waiting' CHECK (state IN ('Waiting', 'Stored')),
    size bigint NOT NULL DEFAULT 0,
    sha256 text,
    token_verifier bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    completed_at timestamptz
  )`,
  `CREATE INDEX file_organisation ON file (organisation_id, id)`,
  `CREATE INDEX file_charger ON file (charger_id, id)`
]

export const files = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
