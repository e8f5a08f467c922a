/** Connections to the one session that the embedded database has, and a database that cannot be opened. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { makeEngine } from "../../../src/storage/pglite/Engine.ts"
import { seed } from "../../support/seed.ts"

const engine = Effect.flatMap(seed(false), (tar) =>
  makeEngine({ directory: undefined, tar, fsync: false, watchdogMillis: 60_000, onLost: (line) => assert.fail(line) })
)

const connect = (stream: PgConnection.Config["stream"]) =>
  PgConnection.make({ stream, username: "postgres", database: "postgres", connectTimeout: "60 seconds" })

describe("makeEngine", () => {
  it.live(
    "gives a new connection a clean session, and ends the one before it",
    () =>
      Effect.gen(function* () {
        const { connect: stream } = yield* engine
        const first = yield* connect(stream)
        yield* first.query("CREATE TABLE kept (n int)")
        yield* first.query("BEGIN")
        yield* first.query("INSERT INTO kept VALUES ($1)", [1])
        yield* first.query("SELECT pg_advisory_lock(7)")

        const second = yield* connect(stream)
        const [row] = yield* second.queryValues(`SELECT (SELECT count(*) FROM kept)::int, (SELECT count(*) FROM pg_locks
          WHERE locktype = 'advisory')::int, (SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT%')::int`)
        assert.deepStrictEqual(row, [0, 0, 0])
        const error = yield* Effect.flip(first.query("SELECT 1"))
        assert.strictEqual(error.reason._tag, "ConnectionError")
        assert.deepStrictEqual(yield* second.queryValues("SELECT 2"), [[2]])
      }),
    60_000
  )

  it.live(
    "ignores a cancel request, and answers the next query",
    () =>
      Effect.gen(function* () {
        const { connect: stream } = yield* engine
        const connection = yield* connect(stream)
        const slow = connection.query("SELECT count(*) FROM generate_series(1, 1000000)")
        yield* Effect.timeoutOption(slow, "20 millis")
        assert.deepStrictEqual(yield* connection.queryValues("SELECT 1"), [[1]])
      }),
    60_000
  )

  it.live(
    "says why it cannot open a database",
    () =>
      Effect.gen(function* () {
        const directory = mkdtempSync(join(tmpdir(), "voltlane-engine-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
        writeFileSync(join(directory, "PG_VERSION"), "8\n")
        const error = yield* Effect.flip(
          makeEngine({ directory, fsync: true, watchdogMillis: 60_000, onLost: (line) => assert.fail(line) })
        )
        assert.strictEqual(error._tag, "EngineFailed")
        assert.isAbove(error.message.length, 10)
      }),
    60_000
  )
})
