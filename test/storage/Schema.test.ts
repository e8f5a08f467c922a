/** The migrations result in the schema of the schema files; differences are found by comparing the catalogues of two databases. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync } from "node:fs"
import { loadSchema, schemaDirectory, schemaFiles } from "../../src/storage/migrations/0001_baseline.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { migrate } from "../../src/storage/kernel/Migrations.ts"
import { catalogue, differences } from "../support/catalogue.ts"
import { forEachDatabase } from "../support/databases.ts"

const changes: ReadonlyArray<readonly [change: string, undo: string, found: string]> = [
  ["ALTER TABLE site ADD COLUMN more int", "ALTER TABLE site DROP COLUMN more", "column site"],
  ["ALTER TABLE site ALTER name DROP NOT NULL", "ALTER TABLE site ALTER name SET NOT NULL", "column site"],
  [
    "ALTER TABLE session ALTER energy_wh SET DEFAULT 1",
    "ALTER TABLE session ALTER energy_wh SET DEFAULT 0",
    "column session"
  ],
  [
    "ALTER TABLE token RENAME CONSTRAINT token_status_check TO other",
    "ALTER TABLE token RENAME CONSTRAINT other TO token_status_check",
    "constraint token"
  ],
  ["ALTER INDEX command_rate RENAME TO rate", "ALTER INDEX rate RENAME TO command_rate", "index "],
  ["ALTER TABLE cdr DISABLE TRIGGER cdr_sealed", "ALTER TABLE cdr ENABLE TRIGGER cdr_sealed", "trigger "],
  ["ALTER FUNCTION evse_name STABLE", "ALTER FUNCTION evse_name VOLATILE", "function "],
  ["COMMENT ON TABLE node IS 'x'", "", "comment node"],
  ["UPDATE number_block SET next = 2", "UPDATE number_block SET next = 1", "row of number_block"]
]

forEachDatabase(
  "The schema",
  (it) => {
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP SCHEMA public CASCADE`
      yield* sql`CREATE SCHEMA public`
      return sql
    })

    it.effect("is the same from the migrations and from its files, and any difference is detected", () =>
      Effect.gen(function* () {
        yield* empty
        yield* migrate(migrations)
        const migrated = yield* catalogue
        const sql = yield* empty
        yield* loadSchema(schemaDirectory)
        const filed = yield* catalogue
        assert.deepStrictEqual(differences(migrated, filed), [])
        assert.isAbove(filed.length, 1000)
        for (const [change, undo, found] of changes) {
          yield* sql.unsafe(change)
          const said = differences(filed, yield* catalogue)
          assert.isTrue(
            said.some((line) => line.slice(2).startsWith(found)),
            `${change}: ${said.join("\n")}`
          )
          if (undo !== "") yield* sql.unsafe(undo)
        }
      })
    )

    it.effect("consists of the loaded files, and each table has a comment", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(readdirSync(schemaDirectory).sort(), schemaFiles.map((name) => `${name}.sql`).sort())
        const sql = yield* empty
        yield* loadSchema(schemaDirectory)
        assert.deepStrictEqual(
          yield* sql`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
            AND obj_description(oid) IS NULL`,
          []
        )
      })
    )
  },
  { migrations: {} }
)
