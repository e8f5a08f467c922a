/**
 * The zone by which a session's tariff is read, as the site had it when the session began: a site that is corrected or goes later changes no price
 * of what was before.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const changes: ReadonlyArray<readonly [from: string, to: string]> = [
  ["(session_id, organisation_id, tariff_id, version)", "(session_id, organisation_id, tariff_id, version, time_zone)"],
  [
    "SELECT s.id, s.organisation_id, t.id, t.version",
    `SELECT s.id, s.organisation_id, t.id, t.version,
    (SELECT i.time_zone FROM site i WHERE i.id = s.site_id AND i.organisation_id = s.organisation_id)`
  ]
]

export const zoneOfPrice = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Of sessions that began before this column came it is the site's own.
  yield* sql.unsafe(`ALTER TABLE session_tariff ADD COLUMN time_zone text`)
  const rows = yield* sql<{
    readonly text: string
  }>`SELECT pg_get_functiondef('session_tariff_choose'::regproc) AS text`
  let text = rows[0]?.text ?? ""
  for (const [from, to] of changes) {
    const parts = text.split(from)
    if (parts.length !== 2) return yield* Effect.die(new Error(`session_tariff_choose is not as it was: ${from}`))
    text = parts.join(to)
  }
  yield* sql.unsafe(text)
})
