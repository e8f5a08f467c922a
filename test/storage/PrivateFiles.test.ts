/** Only the owner can read what is in `DATA_DIR`: what was there before, and what the embedded database creates. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { makeEngine } from "../../src/storage/pglite/Engine.ts"
import { closeToOthers, NotPrivate } from "../../src/storage/pglite/PrivateFiles.ts"
import { fastDirectory } from "../support/fastDirectory.ts"
import { openToOthers } from "../support/modes.ts"
import { plant } from "../support/seed.ts"

const directory = Effect.acquireRelease(Effect.sync(fastDirectory), (path) =>
  Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8)

describe.skipIf(process.platform === "win32")("DATA_DIR", () => {
  it.live("is closed to others with all its contents, without following links except its own directories", () =>
    Effect.gen(function* () {
      const outside = join(yield* directory, "outside")
      writeFileSync(outside, "", { mode: 0o644 })
      const dataDir = join(yield* directory, "data")
      mkdirSync(join(dataDir, "database", "base"), { recursive: true })
      for (const name of ["secret-key", "database/PG_VERSION", "database/base/1"])
        writeFileSync(join(dataDir, name), "")
      symlinkSync(outside, join(dataDir, "link"))
      for (const name of ["", "database", "database/base"]) chmodSync(join(dataDir, name), 0o2755)
      chmodSync(join(dataDir, "database/base/1"), 0o666)
      chmodSync(join(dataDir, "secret-key"), 0o640)
      chmodSync(join(dataDir, "database/PG_VERSION"), 0o500)

      expect(closeToOthers(dataDir)).toBe(5)
      expect(openToOthers(dataDir)).toEqual([])
      expect(
        ["", "secret-key", "database/PG_VERSION", "database/base/1"].map((name) => modeOf(join(dataDir, name)))
      ).toEqual(["700", "600", "500", "600"])
      expect(modeOf(outside)).toBe("644")
      expect(closeToOthers(dataDir)).toBe(0)
      expect(closeToOthers(join(dataDir, "not there"))).toBe(0)

      // Its own directories may be on another disk.
      const disk = join(yield* directory, "disk")
      mkdirSync(disk)
      chmodSync(disk, 0o755)
      symlinkSync(disk, join(dataDir, "files"))
      symlinkSync(join(disk, "not there"), join(disk, "files"))
      expect(closeToOthers(dataDir)).toBe(1)
      expect(modeOf(disk)).toBe("700")
    })
  )

  it.live("checks the files of chargers only when their folder is open to others", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const files = join(dataDir, "files")
      mkdirSync(files)
      writeFileSync(join(files, "one"), "")
      for (const [mode, closed] of [
        [0o700, 0],
        [0o755, 2]
      ] as const) {
        chmodSync(join(files, "one"), 0o644)
        chmodSync(files, mode)
        expect(closeToOthers(dataDir)).toBe(closed)
      }
    })
  )

  // No user may change these, not even root.
  it.live.skipIf(!existsSync("/proc/self/attr"))(
    "that cannot be closed is refused with one line that says what to do",
    () =>
      Effect.sync(() => {
        const refused = (): unknown => {
          try {
            return closeToOthers("/proc/self/attr")
          } catch (error) {
            return error
          }
        }
        expect(refused()).toBeInstanceOf(NotPrivate)
        expect(refused()).toMatchObject({
          message: expect.stringMatching(
            /^\/proc\/self\/attr can be read by other users of this machine \(mode 0555\), .*set DATA_DIR/
          )
        })
      })
  )

  it.live(
    "has nothing open to others after the embedded database has worked in it",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* directory
        yield* Effect.promise(() => plant(dataDir, false))
        closeToOthers(dataDir)
        const before = readdirSync(dataDir, { recursive: true }).length
        yield* Effect.scoped(
          Effect.gen(function* () {
            const engine = yield* makeEngine({
              directory: join(dataDir, "database"),
              fsync: false,
              watchdogMillis: 60_000,
              onLost: (line) => expect.fail(line)
            })
            const connection = yield* PgConnection.make({
              stream: engine.connect,
              username: "postgres",
              database: "postgres",
              connectTimeout: "60 seconds"
            })
            yield* connection.query("CREATE TABLE secrets AS SELECT generate_series(1, 1000) AS n")
            yield* connection.query("SELECT pg_switch_wal()")
            yield* connection.query("CHECKPOINT")
          })
        )
        expect(readdirSync(dataDir, { recursive: true }).length).toBeGreaterThan(before)
        expect(openToOthers(dataDir)).toEqual([])
      }),
    60_000
  )
})
