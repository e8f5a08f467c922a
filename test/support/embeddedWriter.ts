/**
 * A program that writes to the embedded database in a directory and prints `acked N` after each committed row, until it is killed. With `stuck` it
 * runs a query that never ends instead. For tests that kill it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../src/domain/values/StorageHealth.ts"
import { layer } from "../../src/storage/kernel/Database.ts"

const [dataDir = "", task = "write"] = process.argv.slice(2)

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE ledger (n int PRIMARY KEY, filling text NOT NULL)`
})

const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { durability } = yield* StorageHealth
  const [last] = yield* sql<{ n: number }>`SELECT coalesce(max(n), 0)::int AS n FROM ledger`
  console.log(`durability ${durability}`)
  for (let n = (last?.n ?? 0) + 1; ; n++) {
    // Large enough that checkpoints happen during the run.
    yield* sql`INSERT INTO ledger VALUES (${n}, (SELECT string_agg(md5((${n}::int * 1000 + g)::text), '') FROM generate_series(1, 300) g))`
    console.log(`acked ${n}`)
  }
})

const stuck = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  console.log("stuck")
  yield* sql`SELECT count(*) FROM generate_series(1, 1000000000000)`
})

const program = (task === "stuck" ? stuck : write).pipe(
  Effect.provide(
    layer({
      dataDir,
      nodeId: "writer",
      minFreeBytes: 0,
      poolSize: 1,
      watchdogMillis: task === "stuck" ? 2_000 : 10_000,
      migrations: { "0001_ledger": ledger }
    })
  ),
  Effect.catchTag("DatabaseFailed", (error) =>
    Effect.sync(() => {
      console.log(`failed ${error.kind} ${error.message}`)
      process.exit(1)
    })
  )
)
await Effect.runPromise(program)
