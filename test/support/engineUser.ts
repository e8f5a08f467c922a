/**
 * A program that uses an embedded database from an image as the service does, and prints how much memory it took: `engineUser.ts DIRECTORY IMAGE`.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { saveEngineMemory } from "../../src/main/EngineMemory.ts"
import { makeEngine } from "../../src/storage/pglite/Engine.ts"

const [directory = "", image = ""] = process.argv.slice(2)

/** V8 does its optimisation within a second of this work. */
const work = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let n = 0; n < 300; n++) yield* sql.unsafe(`SELECT count(*) + ${n} AS n FROM pg_class WHERE relname <> 'x${n}'`)
  yield* Effect.sleep("2 seconds")
})

const program = Effect.gen(function* () {
  yield* saveEngineMemory(undefined)
  const engine = yield* makeEngine({ directory, image, fsync: false, watchdogMillis: 60_000, onLost: console.error })
  const client = { stream: engine.connect, username: "postgres", database: "postgres", maxConnections: 1 }
  yield* Effect.provide(work, PgClient.layer(client))
  // Not `maxRSS`: that begins with the memory of the process that started this one.
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  console.log(`peak ${Math.round(Number(peak) / 1024)}`)
})
await Effect.runPromise(Effect.scoped(program))
