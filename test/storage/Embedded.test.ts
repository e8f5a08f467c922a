/** The embedded database in a directory: what it acknowledged is there after every kind of end, and only one process has it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { StorageHealth } from "../../src/domain/ports/StorageHealth.ts"
import { layer } from "../../src/storage/Database.ts"
import { type Program, startProgram } from "../support/processes.ts"

const makeDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "voltlane-embedded-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const writer = (dataDir: string, task = "write") => startProgram("test/support/embeddedWriter.ts", [dataDir, task])

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

const options = (dataDir: string) => ({
  dataDir,
  nodeId: "test",
  minFreeBytes: 0,
  poolSize: 1,
  watchdogMillis: 10_000,
  migrate: false
})

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    n: number
    missing: number
  }>`SELECT count(*)::int AS n, (max(n) - count(*))::int AS missing FROM ledger`
  return rows[0]
})

/** Takes the database that another process has, and is refused. */
const refused = (directory: string, holder: Program) =>
  Effect.gen(function* () {
    const began = performance.now()
    const error = yield* Effect.flip(Effect.provide(ledger, layer(options(directory)), { local: true }))
    assert.isBelow(performance.now() - began, 1_000)
    assert.isTrue(error._tag === "DatabaseFailed" && error.kind === "locked")
    assert.include(error.message, `in use by process ${holder.child.pid} on `)
  })

/** Lets a process write for a while, kills it, and looks whether what it was promised is there. */
const killedAfter = (directory: string, millis: number) =>
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
    // The last commit may have been stored although nobody heard of it any more.
    assert.isTrue(found?.n === promised || found?.n === promised + 1, `acked ${promised}, found ${found?.n}`)
    assert.strictEqual(found?.missing, 0)
  })

/** A query that never returns: the process ends by itself, and the next one finds all in order. */
const hung = (directory: string) =>
  Effect.gen(function* () {
    const stuck = yield* writer(directory, "stuck")
    yield* stuck.line("stuck")
    assert.strictEqual(yield* stuck.ended, 70)
    assert.match(stuck.output(), /^voltlane: the embedded database has not answered for 2 s; this process ends/m)
    const check = Effect.flatMap(StorageHealth, (service) => service.check)
    const health = yield* Effect.provide(check, layer(options(directory)), { local: true })
    assert.deepInclude(health, { ok: true, schemaVersion: 1 })
    assert.isAbove(health.freeBytes ?? 0, 0)
    // Closed in order, it leaves no lock, and the log has not grown with what was written.
    assert.isFalse(existsSync(join(directory, "voltlane.lock")))
    const segments = readdirSync(join(directory, "database", "pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name))
    assert.isAtMost(segments.length, 5)
  })

describe("the embedded database", () => {
  it.live(
    "has every acknowledged row, once, after any kind of end, and is one process's at a time",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        // Killed while the files are being made; the others among their commits.
        const first = yield* writer(directory)
        yield* Effect.sleep("1500 millis")
        yield* first.kill("SIGKILL")
        yield* first.ended
        yield* killedAfter(directory, 100)
        yield* killedAfter(directory, 900)
        yield* hung(directory)
      }),
    180_000
  )

  it.live("does not start on a disk with too little room, and says so", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const error = yield* Effect.flip(
        Effect.provide(ledger, layer({ ...options(directory), minFreeBytes: 2 ** 60 }), { local: true })
      )
      assert.isTrue(error._tag === "DatabaseFailed" && error.kind === "unusable")
      assert.match(error.message, /^DATA_DIR has \d+ MiB left/)
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )
})
