/**
 * A session's time of change never goes back. Readings set it by the database's clock and ends by the time at which they were heard, which is
 * earlier by as long as they waited and by what the two clocks differ; a price of before the end then looked newer than one of after it, and
 * stayed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Of those that a start supersedes, of those that end, and of those that a reading is of; with how often each is there. */
const changes: ReadonlyArray<readonly [from: string, to: string, times: number]> = [
  ["updated_at = to_timestamp(x.heard / 1000)", "updated_at = greatest(s.updated_at, to_timestamp(x.heard / 1000))", 2],
  ["updated_at = clock_timestamp()", "updated_at = greatest(s.updated_at, clock_timestamp())", 1]
]

export const sessionUpdates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef('journal_commit'::regproc) AS text`
  let text = rows[0]?.text ?? ""
  for (const [from, to, times] of changes) {
    const parts = text.split(from)
    if (parts.length !== times + 1) return yield* Effect.die(new Error(`journal_commit is not as it was: ${from}`))
    text = parts.join(to)
  }
  yield* sql.unsafe(text)
})
