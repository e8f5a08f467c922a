/** Maintenance of the embedded database: dead rows are removed, and a nearly full disk stops writes but not reads. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { guarded } from "../../../src/storage/kernel/SqlErrors.ts"
import { makeEngine } from "../../../src/storage/pglite/Engine.ts"
import { makeFreeSpace } from "../../../src/storage/pglite/FreeSpace.ts"
import { maintain } from "../../../src/storage/pglite/Maintenance.ts"
import { seed } from "../../support/seed.ts"

const disk = { free: 100 }

const database = Layer.unwrap(
  Effect.gen(function* () {
    const engine = yield* makeEngine({
      directory: undefined,
      tar: yield* seed(false),
      fsync: false,
      watchdogMillis: 60_000,
      onLost: (line) => assert.fail(line)
    })
    const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 64, measure: async () => disk.free })
    return Layer.effectDiscard(maintain(engine, space, { spaceMillis: 10, vacuumMillis: 20 })).pipe(
      Layer.provideMerge(
        PgClient.layer({
          stream: engine.connect,
          username: "postgres",
          database: "postgres",
          minConnections: 1,
          maxConnections: 1
        })
      )
    )
  })
)

/** Repeats the check until it is true. */
const eventually = <E, R>(look: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(look, (so) => (so ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), eventually(look))))

describe("maintain", () => {
  it.live(
    "removes dead rows, updates statistics, and refuses writes on a full disk until there is room again",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE busy AS SELECT g AS n FROM generate_series(1, 500) g`
        for (let n = 0; n < 3; n++) yield* sql`UPDATE busy SET n = n + 1`
        yield* eventually(
          Effect.map(
            sql<{
              done: boolean
            }>`SELECT last_vacuum IS NOT NULL AND last_analyze IS NOT NULL AND n_dead_tup = 0 AS done
              FROM pg_stat_user_tables WHERE relname = 'busy'`,
            (rows) => rows[0]?.done === true
          )
        )

        const write = Effect.match(guarded(sql`INSERT INTO busy VALUES (0)`), {
          onFailure: (error) => error.reason as string,
          onSuccess: () => "written"
        })
        const read = Effect.map(sql`SELECT count(*) FROM busy`, (rows) => rows.length)
        disk.free = 10
        yield* eventually(Effect.map(write, (outcome) => outcome === "full"))
        assert.strictEqual(yield* read, 1)
        disk.free = 100
        yield* eventually(Effect.map(write, (outcome) => outcome === "written"))
      }).pipe(Effect.provide(database)),
    60_000
  )
})
