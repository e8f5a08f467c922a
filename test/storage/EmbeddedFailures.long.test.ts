/** The embedded database in a directory: what it acknowledged is there after every kind of end, and only one process uses it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { StorageHealth } from "../../src/domain/values/StorageHealth.ts"
import { layer } from "../../src/storage/kernel/Database.ts"
import { killedAfter, ledger, makeDirectory, options, writer } from "../support/embeddedLives.ts"
import { plant } from "../support/seed.ts"

/** A query that never returns: the process ends by itself, and the next one finds all in order. */
const hung = (directory: string) =>
  Effect.gen(function* () {
    const stuck = yield* writer(directory, "stuck")
    yield* stuck.line("stuck")
    assert.strictEqual(yield* stuck.ended, 70)
    assert.match(stuck.output(), /^voltlane: the embedded database has not answered for 2 s; this process exits/m)
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
    "has every acknowledged row once after it was killed or hung, and is used by one process at a time",
    () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        yield* Effect.promise(() => plant(directory, false))
        yield* killedAfter(directory, 500)
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
