/** One process per data directory: a second one is refused with the name of the first, and the lock of a dead process is taken over. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { holdLock } from "../../../src/storage/pglite/Lock.ts"
import { startProgram } from "../../support/processes.ts"

const makeDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "voltlane-lock-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const take = (directory: string) => holdLock({ directory, nodeId: "node-test", onLost: (line) => assert.fail(line) })

const other = (directory: string, nodeId = "node-other") =>
  startProgram("test/support/holdLock.ts", [directory, nodeId])

/** Rewrites one line of an existing lock. */
const alter = (path: string, name: string, value: string): void => {
  writeFileSync(path, readFileSync(path, "utf8").replace(new RegExp(`^${name} .*$`, "m"), `${name} ${value}`))
}

/** The lock of a process that was killed. */
const abandoned = (directory: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = yield* other(directory)
      yield* program.line("held ")
      yield* program.kill("SIGKILL")
      yield* program.ended
      return join(directory, "voltlane.lock")
    })
  )

describe("holdLock", () => {
  it.live("creates the directory, and removes its file when it is released", () =>
    Effect.gen(function* () {
      const directory = join(yield* makeDirectory, "deep", "down")
      const path = join(directory, "voltlane.lock")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const holder = yield* take(directory)
          assert.strictEqual(holder.pid, process.pid)
          assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        })
      )
      assert.isFalse(existsSync(path))
      yield* take(directory)
    })
  )

  it.live("refuses a second process in less than a second, and names the first", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const first = yield* other(directory)
      const pid = yield* first.line("held ")
      const began = performance.now()
      const error = yield* Effect.flip(take(directory))
      assert.isBelow(performance.now() - began, 1_000)
      assert.include(error.message, `DATA_DIR: ${directory} is in use by process ${pid} on `)
      assert.include(error.message, "NODE_ID node-other")
      first.child.stdin?.end()
      assert.strictEqual(yield* first.ended, 0)
      yield* take(directory)
    })
  )

  it.live("refuses a second time in the same process too", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      yield* take(directory)
      assert.include((yield* Effect.flip(take(directory))).message, `process ${process.pid}`)
    })
  )

  it.live("takes over from a process that was killed", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const path = yield* abandoned(directory)
      assert.isTrue(existsSync(path))
      const holder = yield* take(directory)
      assert.include(readFileSync(path, "utf8"), `nonce ${holder.nonce}`)
    })
  )

  it.live("takes over when another process has the process id of the dead one", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const path = yield* abandoned(directory)
      // Process 1 lives as long as the machine, and did not start when the dead one did.
      alter(path, "pid", "1")
      yield* take(directory)
    })
  )

  it.live("judges a holder on another machine or container by the age of its file alone", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const path = yield* abandoned(directory)
      alter(path, "place", "another-container/boot/pid:[1]")
      assert.include((yield* Effect.flip(take(directory))).message, "try again in 12 s")
      const old = new Date(Date.now() - 13_000)
      utimesSync(path, old, old)
      yield* take(directory)
    })
  )

  it.live("ignores a lock file that is not readable as a lock", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      writeFileSync(join(directory, "voltlane.lock"), "\0\0\0")
      yield* take(directory)
    })
  )

  it.live("gives a dead process's lock to exactly one of many concurrent processes", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      yield* abandoned(directory)
      const programs = yield* Effect.forEach(
        Array.from({ length: 6 }, (_, n) => n),
        (n) => other(directory, `node-${n}`)
      )
      const said = yield* Effect.forEach(
        programs,
        (program) => Effect.raceFirst(program.line("held "), program.line("refused ")).pipe(Effect.as(program)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(said.filter((program) => program.output().startsWith("held ")).length, 1)
    })
  )

  it.live("does not remove the lock of a process that took it meanwhile", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const path = join(directory, "voltlane.lock")
      const scope = yield* Scope.make()
      yield* Scope.provide(holdLock({ directory, nodeId: "frozen", onLost: () => undefined }), scope)
      alter(path, "nonce", "another-process")
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(existsSync(path))
    })
  )

  it.live("ends a process whose lock was taken by another one", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const program = yield* other(directory)
      yield* program.line("held ")
      alter(join(directory, "voltlane.lock"), "nonce", "another-process")
      assert.include(yield* program.line("lost "), "was taken by another process")
      assert.strictEqual(yield* program.ended, 70)
    })
  )

  it.live("says so when the directory cannot be written", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(take("/proc/nowhere"))
      assert.match(error.message, /^DATA_DIR: cannot write to \/proc\/nowhere: /)
    })
  )
})
