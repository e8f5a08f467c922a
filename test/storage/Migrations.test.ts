/** The schema goes forward by whole steps, whatever interrupts it, and never backward. */
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  migrate,
  MigrationFailed,
  type Migrations,
  SchemaRefused,
  schemaVersion
} from "../../src/storage/kernel/Migrations.ts"
import { migrations as real } from "../../src/storage/migrations/all.ts"
import { emptyTables, forEachDatabase } from "../support/databases.ts"

/** Every test begins with an empty database. */
const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP SCHEMA public CASCADE`
  yield* sql`CREATE SCHEMA public`
  return sql
})

const statements = (...texts: ReadonlyArray<string>): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true }))

const three: Migrations = {
  "0001_first": statements(
    "CREATE TABLE first (n int)",
    "INSERT INTO first VALUES (1)",
    "CREATE INDEX first_n ON first (n)"
  ),
  "0002_second": statements(
    "ALTER TABLE first ADD COLUMN m int",
    "UPDATE first SET m = n + 1",
    "CREATE TABLE second (n int)"
  ),
  "0003_third": statements(
    "CREATE FUNCTION third() RETURNS int LANGUAGE sql AS 'SELECT 3'",
    "INSERT INTO second VALUES (third())"
  )
}

const upTo = (n: number): Migrations => Object.fromEntries(Object.entries(three).slice(0, n))

const tables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    (rows) => rows.map((row) => row.name)
  )

/** A process killed at a statement: the connection never sends the next one. */
class Killed extends Error {}

/** The same migrations, with the process dying before their statement number `at`, counted over all. */
const killedBefore = (at: number) => {
  let count = 0
  const counting = Effect.map(SqlClient.SqlClient, (sql) => ({
    ...sql,
    unsafe: (text: string) => (count++ === at ? Effect.die(new Killed()) : sql.unsafe(text))
  }))
  const layer = Layer.effect(
    SqlClient.SqlClient,
    counting as unknown as Effect.Effect<SqlClient.SqlClient, never, SqlClient.SqlClient>
  )
  return Object.fromEntries(
    Object.entries(three).map(([key, step]) => [key, Effect.provide(step, layer, { local: true })])
  ) as Migrations
}

forEachDatabase(
  "Migrations",
  (it, driver) => {
    it.effect("create the schema, and change nothing the second time", () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        assert.strictEqual(yield* schemaVersion, 0)
        assert.strictEqual(yield* migrate(three), 3)
        assert.strictEqual(yield* schemaVersion, 3)
        assert.deepStrictEqual(yield* tables(sql), ["first", "schema_migrations", "second"])
        assert.strictEqual(yield* migrate(three), 3)
        assert.deepStrictEqual((yield* sql`SELECT n, m FROM first`)[0], { n: 1, m: 2 })
      })
    )

    it.effect("apply only the new steps to an existing schema", () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        yield* migrate(upTo(1))
        yield* sql`INSERT INTO first VALUES (7)`
        yield* migrate(three)
        const rows = yield* sql<{ m: number }>`SELECT m FROM first ORDER BY n`
        assert.deepStrictEqual(
          rows.map((row) => row.m),
          [2, 8]
        )
      })
    )

    it.effect("leave only complete steps when the process is killed at any statement, and continue from there", () =>
      Effect.gen(function* () {
        for (let at = 0; at < 8; at++) {
          const sql = yield* fresh
          const exit = yield* Effect.exit(migrate(killedBefore(at)))
          assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Killed)
          const version = Math.floor(at / 3)
          assert.strictEqual(yield* schemaVersion, version)
          const made = [
            ...(version > 0 ? ["first"] : []),
            ...(version > 0 ? ["schema_migrations"] : []),
            ...(version > 1 ? ["second"] : [])
          ]
          assert.deepStrictEqual(yield* tables(sql), made)
          assert.strictEqual(yield* migrate(three), 3)
          assert.deepStrictEqual((yield* sql`SELECT n, m FROM first`)[0], { n: 1, m: 2 })
          assert.deepStrictEqual((yield* sql`SELECT n FROM second`)[0], { n: 3 })
        }
      })
    )

    it.effect("roll back a step that fails, and name it", () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        const broken = {
          ...upTo(1),
          "0002_broken": statements("CREATE TABLE half (n int)", "CREATE TABLE first (n int)")
        }
        const error = yield* Effect.flip(migrate(broken))
        assert.instanceOf(error, MigrationFailed)
        assert.strictEqual(error.message, "migration 0002_broken failed and was undone")
        assert.deepStrictEqual(yield* tables(sql), ["first", "schema_migrations"])
      })
    )

    it.effect("refuse a schema made by a newer version, and change nothing", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* migrate(three)
        const error = yield* Effect.flip(migrate(upTo(2)))
        assert.instanceOf(error, SchemaRefused)
        assert.strictEqual(
          error.message,
          "database schema 3 is newer than this version of Voltlane (knows 2); start the newer version or restore a backup"
        )
        assert.strictEqual(yield* schemaVersion, 3)
      })
    )

    it.effect("refuse a schema with a different step at the same number", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* migrate({ "0001_other": Effect.void })
        const error = yield* Effect.flip(migrate(three))
        assert.match(error.message, /^database schema 1 has 0001_other where this version of Voltlane has 0001_first/)
      })
    )

    it.effect("are applied once when several processes start at the same time", () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        const versions = yield* Effect.all([migrate(three), migrate(three), migrate(three)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(versions, [3, 3, 3])
        assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS n FROM second`, [{ n: 1 }])
      })
    )

    it.effect("refuse a database made before the first release, and change nothing", () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        yield* migrate({ "0001_spine": statements("CREATE TABLE old (n int)"), "0002_more": Effect.void })
        const error = yield* Effect.flip(migrate(real))
        assert.instanceOf(error, SchemaRefused)
        assert.strictEqual(
          error.message,
          "the database was made by a version of Voltlane before its first release and cannot be upgraded; " +
            "set DATA_DIR or DATABASE_URL to an empty database"
        )
        assert.deepStrictEqual(yield* tables(sql), ["old", "schema_migrations"])
      })
    )

    it.effect(`apply all steps of this version on ${driver.name}`, () =>
      Effect.gen(function* () {
        const sql = yield* fresh
        assert.strictEqual(yield* migrate(real), Object.keys(real).length)
        yield* emptyTables
        assert.include(yield* tables(sql), "schema_migrations")
      })
    )
  },
  { migrations: {} }
)
