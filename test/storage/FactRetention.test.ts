/** Facts are deleted after their retention, in slices behind a cursor, except those that bills, disputes and the audit log need. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { forgetFacts, maintain } from "../../src/storage/kernel/Partitions.ts"
import { forEachDatabase } from "../support/databases.ts"
import { freshId } from "../support/journalFacts.ts"
import { usualRetention } from "../support/retention.ts"

const now = Date.UTC(2028, 5, 15, 12)
const limit = Date.UTC(2027, 4, 15, 12)

const addFact = (name: string, type: string, heardAt: number, body: object = {}) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO journal (key, organisation_id, type, subject, at, heard_at, body)
      VALUES (${new TextEncoder().encode(name)}, ${freshId()}::uuid, ${type}, ${name}, ${new Date(heardAt)}, ${new Date(heardAt)},
        ${JSON.stringify(body)}::text::json)`
  })

const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ subject: string }>`SELECT subject FROM journal ORDER BY position`
  return rows.map(({ subject }) => subject)
})

const cleared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM journal`
  yield* sql`UPDATE journal_reader SET position = 0 WHERE name LIKE 'retention%'`
})

forEachDatabase("facts older than their retention", (it) => {
  it.effect("are deleted, except those of sessions and those with an author", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const type of ["MeterRead", "ConnectorStatusChanged", "SessionStarted", "SessionEnded", "OrphanRecorded"]) {
        yield* addFact(`old ${type}`, type, limit - 1)
      }
      yield* addFact("old change", "SiteChanged", limit - 1, { by: "key:1" })
      yield* addFact("old note", "WorkChanged", limit - 1, { by: null })
      yield* addFact("young status", "ConnectorStatusChanged", limit)
      yield* maintain(sql, usualRetention, now)
      assert.deepStrictEqual(yield* left, [
        "old SessionStarted",
        "old SessionEnded",
        "old OrphanRecorded",
        "old change",
        "young status"
      ])
      yield* cleared
    })
  )

  it.effect("that belong to sessions or have an author are deleted after their own retentions, where set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sessionLimit = Date.UTC(2024, 5, 15, 12)
      const auditLimit = Date.UTC(2025, 5, 15, 12)
      for (const [name, at] of [
        ["first", sessionLimit - 1],
        ["second", auditLimit - 1],
        ["third", auditLimit]
      ] as const) {
        yield* addFact(`${name} end`, "SessionEnded", at)
        yield* addFact(`${name} change`, "SiteChanged", at, { by: "key:1" })
        yield* addFact(`${name} start by an operator`, "SessionStarted", at, { by: "key:1" })
      }
      yield* maintain(sql, usualRetention, now)
      assert.strictEqual((yield* left).length, 9)
      yield* maintain(sql, { ...usualRetention, sessionsRetentionMonths: 48, auditRetentionMonths: 36 }, now)
      assert.deepStrictEqual(yield* left, ["second end", "third end", "third change", "third start by an operator"])
      yield* cleared
    })
  )

  it.effect("are read once: each round continues after the last one and stops before the first younger fact", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let n = 1; n <= 5; n++) yield* addFact(`kept ${n}`, "SessionEnded", limit - 1)
      for (let n = 1; n <= 5; n++) yield* addFact(`old ${n}`, "MeterRead", limit - 1)
      yield* addFact("young", "MeterRead", limit + 1)
      yield* addFact("older, behind it", "MeterRead", limit - 1)
      const seen: Array<number> = []
      for (let n = 0; n < 4; n++) seen.push(yield* forgetFacts(sql, limit, 4))
      assert.deepStrictEqual(seen, [4, 4, 2, 0])
      const kept = [1, 2, 3, 4, 5].map((n) => `kept ${n}`)
      assert.deepStrictEqual(yield* left, [...kept, "young", "older, behind it"])
      assert.strictEqual(yield* forgetFacts(sql, limit + 2, 4), 2)
      assert.deepStrictEqual(yield* left, kept)
      yield* cleared
    })
  )
})
