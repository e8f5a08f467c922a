/** A database of an older version has records without revisions: they stay as they are, are the first of their sessions, and are found by their card. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../src/storage/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId, noon, seedChargers } from "../support/journalFacts.ts"

forEachDatabase(
  "The records of an older version",
  (it) => {
    it.effect("are those of sessions that nobody has corrected, and are sealed as before", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(Object.fromEntries(Object.entries(migrations).filter(([key]) => key < "0021")))
        const { organisationId, siteId } = yield* seedChargers(["OLD-2"])
        const [id, sessionId, at] = [freshId(), freshId(), new Date(noon)]
        yield* sql`
          INSERT INTO cdr (id, organisation_id, number, session_id, charger_id, site_id, started_at, ended_at, body, issued_at)
          VALUES (${id}, ${organisationId}, 1, ${sessionId}, 'OLD-2', ${siteId}, ${at}, ${at}, '{"total": {}, "tokenUid": "Blue"}',
            ${at})`
        yield* migrate(migrations)
        assert.deepStrictEqual(yield* sql`SELECT id, number::int, revision, token_key AS card FROM cdr`, [
          { id, number: 1, revision: 0, card: "blue" }
        ])
        const again = (revision: number) => sql`
          INSERT INTO cdr (id, organisation_id, number, session_id, revision, charger_id, site_id, started_at, ended_at, body, issued_at)
          VALUES (${freshId()}, ${organisationId}, 2, ${sessionId}, ${revision}, 'OLD-2', ${siteId}, ${at}, ${at}, '{"total": {}}', ${at})`
        assert.strictEqual((yield* Effect.exit(again(0)))._tag, "Failure", "a session has one record for each revision")
        yield* again(1)
        assert.strictEqual((yield* Effect.exit(sql`UPDATE cdr SET number = 9`))._tag, "Failure")
      })
    )
  },
  { migrations: {} }
)
