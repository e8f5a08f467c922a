/** Embedded databases that were created beforehand, for tests to start from. */
import { Effect } from "effect"
import { PgClient } from "@effect/sql-pg"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate } from "../../src/storage/kernel/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { makeEngine } from "../../src/storage/pglite/Engine.ts"
import { imagePath } from "../../src/storage/pglite/Image.ts"
import { bounded } from "./bounded.ts"

/** The seed depends on the engine and, if it is migrated, on the text of the migrations. */
export const fingerprint = (migrated: boolean): string => {
  const hash = createHash("sha256").update(readFileSync("node_modules/@electric-sql/pglite/package.json"))
  const directories = migrated ? ["src/storage/migrations", "src/storage/schema"] : []
  for (const directory of directories) {
    for (const name of readdirSync(directory).sort()) hash.update(name).update(readFileSync(join(directory, name)))
  }
  return hash.digest("hex").slice(0, 16)
}

/** It takes seconds on a cold machine, and ten times that on a busy one. */
const makeSeconds = 120

/** The template databases, which are half of all files. Tests create no databases from them. */
const templates = ["1", "4"]

/**
 * An embedded database takes half a second to load, but seconds to create if `npm ci` built no image for these sources. So one is created per machine
 * and version, and kept. It was closed normally: a database that was killed needs recovery, and has every file flushed to disk, at each start. Two
 * processes that create it at the same time both succeed, and either file is good.
 */
export const seedFile = (migrated: boolean): Effect.Effect<string> =>
  Effect.suspend(() => {
    const seeds = join(tmpdir(), "voltlane-test-seeds")
    const path = join(seeds, `small-${migrated ? "migrated" : "empty"}-${fingerprint(migrated)}.tar`)
    if (existsSync(path)) return Effect.succeed(path)
    mkdirSync(seeds, { recursive: true })
    const scratch = mkdtempSync(join(seeds, "making-"))
    const directory = join(scratch, "database")
    const make = Effect.gen(function* () {
      const engine = yield* makeEngine({
        directory,
        image: migrated ? imagePath() : undefined,
        fsync: false,
        watchdogMillis: 60_000,
        onLost: (line) => {
          throw new Error(line)
        }
      })
      const client = PgClient.layer({
        stream: engine.connect,
        username: "postgres",
        database: "postgres",
        maxConnections: 1
      })
      if (migrated) yield* Effect.provide(migrate(migrations), client)
    })
    const keep = Effect.sync(() => {
      for (const id of templates) rmSync(join(directory, "base", id), { recursive: true })
      const tar = join(scratch, "database.tar")
      execFileSync("tar", ["-cf", tar, "-C", directory, "."], { stdio: "ignore" })
      renameSync(tar, path)
      return path
    })
    return Effect.scoped(make).pipe(
      Effect.andThen(keep),
      Effect.orDie,
      bounded(makeSeconds, "the embedded database that tests begin with was not made"),
      Effect.ensuring(Effect.sync(() => rmSync(scratch, { recursive: true, force: true })))
    )
  })

/** The content of the file, for an engine in memory. */
export const seed = (migrated: boolean): Effect.Effect<Uint8Array> =>
  Effect.map(seedFile(migrated), (path) => new Uint8Array(readFileSync(path)))

/** Puts a database into a new `DATA_DIR`, so that the service that starts there only has to check it. */
export const plant = async (dataDir: string, migrated = true): Promise<void> => {
  const path = await Effect.runPromise(seedFile(migrated))
  const directory = join(dataDir, "database")
  mkdirSync(directory, { mode: 0o700 })
  execFileSync("tar", ["-xf", path, "-C", directory], { stdio: "ignore" })
}
