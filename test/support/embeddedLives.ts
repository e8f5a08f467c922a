/** An embedded database in a directory, and a process that writes to it until it is killed, for tests of what is stored afterwards. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer } from "../../src/storage/kernel/Database.ts"
import { type Program, startProgram } from "./processes.ts"

export const makeDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "voltlane-embedded-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const writer = (dataDir: string, task = "write") =>
  startProgram("test/support/embeddedWriter.ts", [dataDir, task])

const acked = (program: Program): number =>
  Math.max(
    0,
    ...program
      .output()
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("acked "))
      .map((line) => Number(line.slice(6)))
  )

export const options = (dataDir: string) => ({
  dataDir,
  nodeId: "test",
  minFreeBytes: 0,
  poolSize: 1,
  watchdogMillis: 10_000,
  migrate: false
})

export const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    n: number
    missing: number
  }>`SELECT count(*)::int AS n, (max(n) - count(*))::int AS missing FROM ledger`
  return rows[0]
})

/** Tries to open the database that another process has open, and must be refused. */
const refused = (directory: string, holder: Program) =>
  Effect.gen(function* () {
    const began = performance.now()
    const error = yield* Effect.flip(Effect.provide(ledger, layer(options(directory)), { local: true }))
    assert.isBelow(performance.now() - began, 1_000)
    assert.isTrue(error._tag === "DatabaseFailed" && error.kind === "locked")
    assert.include(error.message, `in use by process ${holder.child.pid} on `)
  })

/** Lets a process write for a while, kills it, and checks that what it acknowledged is stored. */
export const killedAfter = (directory: string, millis: number) =>
  Effect.gen(function* () {
    const program = yield* writer(directory)
    assert.match(yield* program.line("durability "), /every commit is synced to the disk/)
    yield* program.line("acked ")
    yield* refused(directory, program)
    yield* Effect.sleep(millis)
    yield* program.kill("SIGKILL")
    yield* program.ended
    const promised = acked(program)
    const found = yield* Effect.provide(ledger, layer(options(directory)), { local: true })
    // The last commit may have been stored without an acknowledgement.
    assert.isTrue(found?.n === promised || found?.n === promised + 1, `acked ${promised}, found ${found?.n}`)
    assert.strictEqual(found?.missing, 0)
  })
