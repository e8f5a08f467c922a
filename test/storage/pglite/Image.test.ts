/** A first start from the image: the database is the same as a built one, with an identity of its own, private, and complete or absent. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe } from "vitest"
import { migrate } from "../../../src/storage/kernel/Migrations.ts"
import { migrations } from "../../../src/storage/migrations/all.ts"
import { makeEngine } from "../../../src/storage/pglite/Engine.ts"
import { ensureCreated } from "../../../src/storage/pglite/Files.ts"
import { imageName, imagePath, unpack } from "../../../src/storage/pglite/Image.ts"
import { catalogue, differences } from "../../support/catalogue.ts"
import { layerEmbedded } from "../../support/engines.ts"
import { fastDirectory } from "../../support/fastDirectory.ts"
import { builtImage } from "../../support/image.ts"
import { openToOthers } from "../../support/modes.ts"
import { startProgram } from "../../support/processes.ts"

const scratch = Effect.acquireRelease(Effect.sync(fastDirectory), (path) =>
  Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Opens the database of `directory`, and closes it when the answer is there. */
const inside = <A, E>(
  directory: string,
  image: string | undefined,
  question: Effect.Effect<A, E, SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const onLost = (line: string) => assert.fail(line)
    const engine = yield* makeEngine({ directory, image, fsync: true, watchdogMillis: 60_000, onLost })
    assert.isTrue(engine.synced)
    const client = { stream: engine.connect, username: "postgres", database: "postgres", maxConnections: 1 }
    return yield* Effect.provide(question, PgClient.layer(client))
  }).pipe(Effect.scoped)

/** What belongs to the whole cluster and not to the schema. */
const cluster = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT (SELECT jsonb_agg(to_jsonb(d) - 'oid' - 'datfrozenxid' - 'datminmxid' ORDER BY datname) FROM pg_database d) AS databases,
    (SELECT jsonb_agg(to_jsonb(r) ORDER BY rolname) FROM pg_roles r) AS roles,
    (SELECT jsonb_agg(extname ORDER BY extname) FROM pg_extension) AS extensions,
    (SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name IN ('data_checksums', 'wal_level', 'server_encoding', 'TimeZone')) AS settings,
    (SELECT jsonb_agg(jsonb_build_array(migration_id, name)) FROM schema_migrations) AS migrations`
})

const whole = Effect.all({ schema: catalogue, cluster })

const identifier = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: string }>`SELECT system_identifier::text AS id FROM pg_control_system()`
  return row?.id ?? ""
})

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'`
  return row?.n ?? -1
})

describe("the image", () => {
  it.live(
    "gives the same database as building it",
    () =>
      Effect.gen(function* () {
        const unpacked = yield* inside(join(yield* scratch, "database"), yield* builtImage, whole)
        const built = yield* Effect.provide(Effect.andThen(migrate(migrations), whole), layerEmbedded({}), {
          local: true
        })
        assert.deepStrictEqual(differences(built.schema, unpacked.schema), [])
        assert.isAbove(unpacked.schema.length, 1000)
        assert.deepStrictEqual(unpacked.cluster, built.cluster)
      }),
    120_000
  )

  it.live(
    "gives each database an identity of its own, and access to its owner alone",
    () =>
      Effect.gen(function* () {
        const image = yield* builtImage
        const directories = [join(yield* scratch, "one"), join(yield* scratch, "two")]
        const umask = process.umask(0)
        for (const directory of directories) assert.isTrue(unpack(image, directory))
        process.umask(umask)
        const nonces = directories.map((directory) =>
          readFileSync(join(directory, "global", "pg_control")).toString("hex", 257, 289)
        )
        assert.strictEqual(new Set(nonces).size, 2)
        if (process.platform !== "win32")
          for (const directory of directories) assert.deepStrictEqual(openToOthers(directory), [])
        const ids = yield* Effect.forEach(directories, (directory) => inside(directory, undefined, identifier))
        assert.strictEqual(new Set(ids).size, 2)
        for (const id of ids) assert.match(id, /^[1-9]\d{17,18}$/)
        // The log is the one segment that the engine continues with, at its full size.
        const again = join(yield* scratch, "again")
        assert.isTrue(unpack(image, again))
        const segments = readdirSync(join(again, "pg_wal"), { withFileTypes: true }).filter((entry) => entry.isFile())
        assert.deepStrictEqual(
          segments.map(({ name }) => readFileSync(join(again, "pg_wal", name)).length),
          [16 * 1024 * 1024]
        )
      }),
    120_000
  )

  it.live(
    "is not used when it is damaged or missing: an empty database is built",
    () =>
      Effect.gen(function* () {
        const folder = yield* scratch
        const bytes = readFileSync(yield* builtImage)
        const damaged = join(folder, "damaged")
        for (const [at, length] of [
          [bytes.length - 5, bytes.length],
          [3, bytes.length],
          [-1, 0],
          [-1, 20],
          [-1, bytes.length / 2]
        ] as const) {
          const copy = Buffer.from(bytes.subarray(0, length))
          if (at >= 0) copy[at]! ^= 1
          writeFileSync(damaged, copy)
          assert.isFalse(unpack(damaged, join(folder, "unpacked")), `${at} of ${length}`)
          assert.isFalse(existsSync(join(folder, "unpacked")))
        }
        assert.isFalse(unpack(join(folder, "not there"), join(folder, "unpacked")))
        assert.strictEqual(yield* inside(join(folder, "database"), damaged, tables), 0)
      }),
    120_000
  )

  it.live("is not used over an existing database", () =>
    Effect.gen(function* () {
      const directory = join(yield* scratch, "database")
      mkdirSync(directory)
      writeFileSync(join(directory, "PG_VERSION"), "18\n")
      const image = yield* builtImage
      yield* Effect.promise(() => ensureCreated(directory, image, false))
      assert.deepStrictEqual(readdirSync(directory), ["PG_VERSION"])
    })
  )

  it.live("has a name that depends on all files that it is made from", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      const names = [imageName()]
      const of = (change: (storage: string) => void): void => {
        const storage = join(folder, String(names.length))
        cpSync("src/storage", storage, { recursive: true })
        change(storage)
        names.push(imageName(pathToFileURL(`${storage}/`)))
      }
      of(() => undefined)
      assert.strictEqual(names[0], names[1])
      of((storage) => appendFileSync(join(storage, "schema", "work.sql"), "\n"))
      of((storage) => appendFileSync(join(storage, "migrations", "all.ts"), "\n"))
      of((storage) => writeFileSync(join(storage, "migrations", "0002_more.ts"), ""))
      of((storage) => appendFileSync(join(storage, "pglite", "Files.ts"), "\n"))
      assert.strictEqual(new Set(names).size, names.length - 1)
      // An image of another version has another file name.
      assert.strictEqual(imagePath(folder), join(folder, imageName()))
    })
  )

  it.live(
    "makes the complete database or none when the process is killed meanwhile",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* scratch, "database")
        const image = yield* builtImage
        const unfinished = `${directory}.unfinished`
        const killed = Effect.gen(function* () {
          const program = yield* startProgram("test/support/databaseMaker.ts", [directory, image])
          while (!existsSync(join(unfinished, "base", "5")) && !existsSync(directory)) yield* Effect.sleep("1 millis")
          yield* program.kill("SIGKILL")
          yield* program.ended
          return !existsSync(directory)
        })
        let tries = 0
        while (!(yield* Effect.scoped(killed))) {
          // It was finished before it could be killed.
          assert.strictEqual(readFileSync(join(directory, "PG_VERSION"), "utf8"), "18\n")
          rmSync(directory, { recursive: true })
          assert.isBelow(++tries, 10)
        }
        assert.isTrue(existsSync(unfinished))
        assert.isAbove(yield* inside(directory, image, tables), 50)
        assert.isFalse(existsSync(unfinished))
      }),
    120_000
  )
})
