/**
 * Builds the image from which the first start of the embedded database begins (`src/storage/pglite/Image.ts`), unless the one for these sources
 * exists. It needs only production packages. If the image cannot be built, the service creates its database itself, which only takes longer.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { saveEngineMemory } from "../src/main/EngineMemory.ts"
import { migrate } from "../src/storage/kernel/Migrations.ts"
import { migrations } from "../src/storage/migrations/all.ts"
import { makeEngine } from "../src/storage/pglite/Engine.ts"
import { imageFolder, imagePath, imagePrefix, pack } from "../src/storage/pglite/Image.ts"

/** Brings the schema into a new database. Returns the WAL segment with which it will be opened: a new one that contains nothing of the migrations. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate(migrations)
  yield* sql`SELECT pg_switch_wal()::text`
  yield* sql`CHECKPOINT`
  const [row] = yield* sql<{ segment: string }>`SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS segment`
  return row?.segment ?? ""
})

const made = (directory: string): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const lost = (line: string) => {
      throw new Error(line)
    }
    const engine = yield* makeEngine({ directory, fsync: false, watchdogMillis: 60_000, onLost: lost })
    const client = { stream: engine.connect, username: "postgres", database: "postgres", maxConnections: 1 }
    return yield* engine.unwatched(Effect.provide(fill, PgClient.layer(client)))
  }).pipe(Effect.scoped)

/** Writes the image to `path`. */
export const writeImage = (path: string): Effect.Effect<void, unknown> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "voltlane-image-"))),
    (scratch) => {
      const directory = join(scratch, "database")
      const isOtherSegment = (segment: string) => (file: string) =>
        /^pg_wal\/[\dA-F]{24}$/.test(file) && file !== `pg_wal/${segment}`
      return Effect.map(made(directory), (segment) => pack(directory, path, isOtherSegment(segment)))
    },
    (scratch) => Effect.sync(() => rmSync(scratch, { recursive: true, force: true }))
  )

const main = Effect.gen(function* () {
  const path = imagePath()
  if (path === undefined || existsSync(path)) return
  const began = performance.now()
  yield* saveEngineMemory(undefined)
  mkdirSync(imageFolder, { recursive: true })
  yield* writeImage(path)
  const old = readdirSync(imageFolder).filter(
    (name) => name.startsWith(imagePrefix) && join(imageFolder, name) !== path
  )
  for (const name of old) rmSync(join(imageFolder, name))
  process.stdout.write(`database image built in ${Math.round(performance.now() - began)} ms\n`)
})

if (import.meta.main) {
  const failed = (cause: unknown) =>
    Effect.sync(
      () => void process.stderr.write(`no database image, the first start builds its own: ${String(cause)}\n`)
    )
  await Effect.runPromise(Effect.catchCause(main, failed))
}
