/** A suite finds the embedded database as if it were the first to use it, whatever the suite before did. */
import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import { type Engine, makeEngine } from "../../src/storage/pglite/Engine.ts"
import { bounded } from "./bounded.ts"
import { resetTo, templateOf } from "./engineReset.ts"
import { layerEmbedded, lend } from "./engines.ts"
import { anOrganisation, repositories } from "./repositories.ts"
import { seed } from "./seed.ts"

/** One suite, from its first test to its last. */
const asSuite = <A, E>(
  test: Effect.Effect<A, E, Layer.Success<typeof repositories> | Layer.Success<ReturnType<typeof layerEmbedded>>>
) => Effect.scoped(Effect.provide(test, Layer.fresh(Layer.provideMerge(repositories, layerEmbedded()))))

/** Everything that a suite can observe: the rows of every table, the schema, the sequences, the session and the planner's statistics. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`
  const rows: Record<string, unknown> = {}
  for (const { name } of tables) rows[name] = yield* sql.unsafe(`SELECT * FROM ${name} ORDER BY 1`)
  return {
    rows,
    columns: yield* sql`SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`,
    indexes: yield* sql`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    triggers: yield* sql`SELECT tgname, tgrelid::regclass::text AS on, tgenabled::text FROM pg_trigger ORDER BY 1, 2`,
    functions:
      yield* sql`SELECT proname, md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2`,
    sequences: yield* sql`SELECT sequencename, last_value FROM pg_sequences ORDER BY 1`,
    settings: yield* sql`SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY 1`,
    prepared: yield* sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'left behind%'`,
    channels: yield* sql`SELECT pg_listening_channels()`,
    planner: yield* sql`SELECT starelid::regclass::text FROM pg_statistic WHERE starelid >= 16384`
  }
})

/** Identifies the engine by something that it has in memory. */
const mark = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ at: string }>`SELECT pg_postmaster_start_time()::text AS at`
  return row?.at
})

const use = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* anOrganisation
  yield* sql`SELECT nextval('token_change'), nextval('journal_position_seq')`
  yield* sql`UPDATE number_block SET next = 1000`
  yield* sql`DELETE FROM journal_reader`
  yield* sql`CREATE TABLE meter_of_a_day PARTITION OF meter_unassigned FOR VALUES FROM ('2026-05-20') TO ('2026-05-21')`
  yield* sql`CREATE TABLE of_a_test AS SELECT 1 AS n`
  yield* sql`ANALYZE organisation`
  yield* sql`SET timezone = 'Asia/Tokyo'`
  yield* sql`LISTEN left_behind`
  yield* sql`SELECT pg_advisory_lock(1)`
  yield* sql`BEGIN`
  yield* sql`UPDATE organisation SET name = 'not committed'`
})

/** Statements after which no other suite may use the database. */
const changes = [
  "ALTER TABLE organisation ADD COLUMN more int",
  "ALTER TABLE organisation ALTER COLUMN name DROP NOT NULL",
  "ALTER TABLE organisation DISABLE TRIGGER ALL",
  "ALTER TABLE organisation RENAME TO organisation_2",
  "ALTER TABLE exchange SET (fillfactor = 50)",
  "CREATE INDEX one_more ON site (name)",
  "CREATE FUNCTION one_more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  "CREATE OR REPLACE FUNCTION one_more() RETURNS int LANGUAGE sql AS 'SELECT 2'",
  "DROP FUNCTION one_more",
  "CREATE VIEW a_view AS SELECT 1 AS n",
  "CREATE SCHEMA one_more",
  "CREATE ROLE one_more",
  "ALTER ROLE one_more SET timezone = 'UTC'",
  "ALTER SEQUENCE token_change INCREMENT 2",
  "DROP TABLE exchange CASCADE"
]

describe("the embedded database of a test worker", () => {
  it.live("is for every suite what it was for the first, and is still the same one", () =>
    Effect.gen(function* () {
      const before = yield* asSuite(Effect.all([everything, mark]))
      yield* asSuite(use)
      const after = yield* asSuite(Effect.all([everything, mark]))
      assert.deepStrictEqual(after, before)
    })
  )

  it.live("is not used again by others when its schema was changed, and while a suite has it", () =>
    Effect.gen(function* () {
      const before = yield* asSuite(everything)
      const [first, second, meanwhile] = yield* asSuite(
        Effect.gen(function* () {
          yield* anOrganisation
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(changes[0]!)
          return [yield* mark, yield* asSuite(mark), yield* asSuite(everything)]
        })
      )
      assert.notStrictEqual(first, second)
      assert.deepStrictEqual(meanwhile, before)
      const change = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(changes[0]!))
      assert.strictEqual(yield* asSuite(Effect.tap(mark, change)), second)
      assert.deepStrictEqual(yield* asSuite(everything), before)
    })
  )

  it.live("is seen to have another schema after every change of it", () =>
    asSuite(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const change of changes) {
          const template = yield* templateOf
          assert.isTrue(yield* resetTo(template), `before ${change}`)
          yield* sql.unsafe(change)
          assert.isFalse(yield* resetTo(template), change)
        }
      })
    )
  )

  it.live("is not accessible to what an earlier suite left running", () =>
    Effect.gen(function* () {
      const engine = yield* makeEngine({
        directory: undefined,
        tar: yield* seed(true),
        fsync: false,
        watchdogMillis: 60_000,
        onLost: (line) => assert.fail(line)
      })
      const { end, lent } = lend(engine)
      const payloads: Array<string> = []
      lent.onNotice(({ payload }) => payloads.push(payload))
      const ask = (which: Engine, statement: string) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
          Effect.provide(
            PgClient.layer({ stream: which.connect, username: "postgres", database: "postgres", maxConnections: 1 })
          )
        )
      yield* ask(lent, "LISTEN notices")
      yield* ask(lent, "NOTIFY notices, 'during'")
      yield* end
      yield* ask(engine, "NOTIFY notices, 'after'")
      const late = yield* Effect.exit(ask(lent, "SELECT 1"))
      assert.include(String(late), "the suite that had this embedded database is over")
      assert.deepStrictEqual(payloads, ["during"])
    })
  )
})

describe("what tests have done for them", () => {
  it.live("fails with a sentence when it does not end, though it cannot be interrupted", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.uninterruptible(Effect.never).pipe(bounded(0.01, "the embedded database did not start"))
      )
      assert.include(String(exit), "the embedded database did not start within 0.01 s")
    })
  )
})
