/** A database that cannot be used stops the start, with one line that names the setting and no secret. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { layer } from "../../src/storage/kernel/Database.ts"
import type { Migrations } from "../../src/storage/kernel/Migrations.ts"
import { freshPostgres } from "../support/postgres.ts"

const start = (url: string, migrations: Migrations) =>
  Effect.scoped(
    Layer.build(
      layer({
        url: Redacted.make(url),
        dataDir: tmpdir(),
        nodeId: "test",
        minFreeBytes: 0,
        poolSize: 2,
        watchdogMillis: 10_000,
        migrations
      })
    )
  )

const refusal = (url: string, migrations: Migrations = {}) => Effect.flip(start(url, migrations))

const testUrl = process.env["TEST_DATABASE_URL"]

describe("starting on a PostgreSQL server", () => {
  it.live("says that no server answers there", () =>
    Effect.gen(function* () {
      const error = yield* refusal("postgres://voltlane:hunter2@127.0.0.1:1/voltlane")
      assert.strictEqual(error.kind, "unreachable")
      assert.match(error.message, /^DATABASE_URL: cannot connect to the database: .*ECONNREFUSED/)
      assert.notInclude(error.message, "hunter2")
      assert.notInclude(error.message, "\n")
    })
  )

  it.live.skipIf(testUrl === undefined)("says that the server has no such database", () =>
    Effect.gen(function* () {
      const url = new URL(testUrl ?? "")
      url.pathname = "/not_made_by_anybody"
      const error = yield* refusal(url.href)
      assert.strictEqual(error.kind, "unreachable")
      assert.include(error.message, 'database "not_made_by_anybody" does not exist')
    })
  )

  it.live.skipIf(testUrl === undefined)("says that the schema is of a newer version, and which migration failed", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshPostgres(testUrl ?? "", { migrated: false }))
      const older = { "0001_one": Effect.void }
      yield* start(url, { ...older, "0002_two": Effect.void })
      const newer = yield* refusal(url, older)
      assert.strictEqual(newer.kind, "schema")
      assert.include(newer.message, "database schema 2 is newer than this version of Voltlane (knows 1)")
      const broken = Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql`SELECT nothing`))
      const failed = yield* refusal(url, { ...older, "0002_two": Effect.void, "0003_three": broken })
      assert.strictEqual(failed.kind, "migration")
      assert.strictEqual(
        failed.message,
        'DATABASE_URL: migration 0003_three failed and was undone: column "nothing" does not exist'
      )
    })
  )
})
