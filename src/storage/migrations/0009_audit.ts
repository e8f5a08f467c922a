/** The audit log's indexes: the few facts of the journal that have an author, by organisation and by what they are about. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Readings have no author and are by far the most and the longest: their bodies are not parsed for it.
const authored = `WHERE type <> 'MeterRead' AND (body ->> 'by') IS NOT NULL`

const statements = [
  `CREATE INDEX journal_audit ON journal (organisation_id, position) ${authored}`,
  `CREATE INDEX journal_audit_subject ON journal (organisation_id, subject, position) ${authored}`
]

export const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
