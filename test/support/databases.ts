/**
 * Databases for tests. `forEachDriver` runs a suite once on the embedded database and once on PostgreSQL (where `TEST_DATABASE_URL`
 * names one; without it that half is skipped and says so), each with a fresh database of its own, migrated and empty:
 *
 *     forEachDriver("Sites", Sites.layer, (it) => {
 *       it.effect("finds a site by its id", () => Effect.gen(function* () { const sites = yield* Sites; … }))
 *     })
 *
 * The embedded one has one session, so every suite also proves that its code uses no second connection inside a transaction.
 */
import { layer as suite, type Vitest } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { PgClient } from "@effect/sql-pg"
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { type Database, type DatabaseFailed, layer, layerMemory } from "../../src/storage/Database.ts"
import type { Migrations } from "../../src/storage/Migrations.ts"
import { seed } from "./seed.ts"

export interface Driver {
  readonly name: "PGlite" | "PostgreSQL"
  /** A fresh database, gone when the layer is closed. */
  readonly layer: Layer.Layer<Database, DatabaseFailed>
}

export interface DriverOptions {
  /** Replaces the schema; `{}` is an empty database. */
  readonly migrations?: Migrations
  /** Connections to PostgreSQL. The embedded database has one whatever is said. */
  readonly poolSize?: number
}

const testUrl = process.env["TEST_DATABASE_URL"]

/** Node has it; the types that we have do not say so. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> }

/**
 * Engines are threads, and those of one process share what V8 has made of PGlite while anybody has it: half of what it takes to start
 * one. So it is had here, from the first to the last.
 */
const engineCode = Effect.runSync(
  Effect.cached(
    Effect.promise(async () =>
      WebAssembly.compile(await readFile("node_modules/@electric-sql/pglite/dist/pglite.wasm"))
    )
  )
)

const pglite = (options: DriverOptions): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.map(Effect.andThen(engineCode, seed(options.migrations === undefined)), (tar) =>
      layerMemory({ tar, migrations: options.migrations })
    )
  )

/** Runs statements on the server that `TEST_DATABASE_URL` names, outside the database under test. */
const onServer = (url: string, statement: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(statement)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)

/** Makes a database of its own on the test server and drops it when the scope closes, whoever is still connected. */
export const freshPostgres = (url: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const name = `voltlane_test_${randomBytes(8).toString("hex")}`
      return Effect.as(onServer(url, `CREATE DATABASE ${name}`), name)
    }),
    (name) => onServer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  ).pipe(
    Effect.map((name) => {
      const own = new URL(url)
      own.pathname = `/${name}`
      return Redacted.make(own.href)
    })
  )

const postgres = (url: string, options: DriverOptions): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.map(freshPostgres(url), (own) =>
      layer({
        url: own,
        dataDir: tmpdir(),
        nodeId: "test",
        minFreeBytes: 0,
        poolSize: options.poolSize ?? 4,
        watchdogMillis: 10_000,
        migrations: options.migrations
      })
    )
  )

/** The databases that this run has: the embedded one always, PostgreSQL where `TEST_DATABASE_URL` is set. */
export const drivers = (options: DriverOptions = {}): ReadonlyArray<Driver> => [
  { name: "PGlite", layer: pglite(options) },
  ...(testUrl === undefined ? [] : [{ name: "PostgreSQL" as const, layer: postgres(testUrl, options) }])
]

type Run<R> = (it: Vitest.MethodsNonLive<R | Database>, driver: Driver) => void

/**
 * One suite per driver. All tests of a suite share one database; `under` is what is tested, built once on it. The clock is the real one,
 * since a database has no other.
 */
export const forEachDriver = <A, E>(
  name: string,
  under: Layer.Layer<A, E, Database>,
  run: Run<A>,
  options: DriverOptions = {}
): void => {
  for (const driver of drivers(options)) {
    const whole = Layer.provideMerge(under, driver.layer)
    suite(whole, { excludeTestServices: true, timeout: "180 seconds" })(`${name} on ${driver.name}`, (it) =>
      run(it, driver)
    )
  }
  // oxlint-disable-next-line vitest/no-conditional-tests, vitest/no-disabled-tests -- the half that is missing is to be seen
  if (testUrl === undefined) describe.skip(`${name} on PostgreSQL (TEST_DATABASE_URL is not set)`, () => undefined)
}

/** For suites of SQL itself. */
export const forEachDatabase = (name: string, run: Run<never>, options: DriverOptions = {}): void =>
  forEachDriver(name, Layer.empty, run, options)

/** Empties every table but the record of migrations, for a test that must begin with nothing. */
export const emptyTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`SELECT quote_ident(tablename) AS name FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> 'schema_migrations'`
  if (tables.length > 0) yield* sql.unsafe(`TRUNCATE ${tables.map((table) => table.name).join(", ")} CASCADE`)
})
