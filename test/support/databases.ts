/**
 * Databases for tests. `forEachDriver` runs a suite once on the embedded database and once on PostgreSQL (if `TEST_DATABASE_URL` is set; otherwise
 * that half is skipped, with a notice), each with a database that has the schema and nothing else:
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
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { type Database, type DatabaseFailed, layer } from "../../src/storage/kernel/Database.ts"
import type { Migrations } from "../../src/storage/kernel/Migrations.ts"
import type { Secrets } from "../../src/domain/values/Secrets.ts"
import * as NodeSecrets from "../../src/storage/operators/Secrets.ts"
import { layerEmbedded } from "./engines.ts"
import { freshPostgres } from "./postgres.ts"
import { testUrl, tried } from "./tried.ts"

/** What repositories need: a database, and the key under which they seal secrets. */
type Provided = Database | Secrets

/** The tests' key. Passwords are hashed at little cost: hundreds of hashes at the usual one take minutes. */
export const testSecrets = NodeSecrets.layer(Redacted.make("a secret of the tests"), { log2N: 10, r: 8, p: 1 })

export interface Driver {
  readonly name: "PGlite" | "PostgreSQL"
  /** A database for exclusive use until the layer is closed. */
  readonly layer: Layer.Layer<Provided, DatabaseFailed>
}

export interface DriverOptions {
  /** Replaces the schema; `{}` gives an empty database. */
  readonly migrations?: Migrations
  /** Connections to PostgreSQL. The embedded database always has one. */
  readonly poolSize?: number
}

const postgres = (url: string, options: DriverOptions): Layer.Layer<Database, DatabaseFailed> =>
  Layer.unwrap(
    Effect.map(freshPostgres(url, { migrated: options.migrations === undefined }), (own) =>
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

/** The databases of this run: the embedded one, and PostgreSQL if `TEST_DATABASE_URL` is set, unless `TEST_DRIVERS` selects one of them. */
export const drivers = (options: DriverOptions = {}): ReadonlyArray<Driver> => [
  ...(tried.PGlite
    ? [{ name: "PGlite" as const, layer: Layer.merge(layerEmbedded(options.migrations), testSecrets) }]
    : []),
  ...(tried.PostgreSQL
    ? [{ name: "PostgreSQL" as const, layer: Layer.merge(postgres(testUrl ?? "", options), testSecrets) }]
    : [])
]

type Run<R> = (it: Vitest.MethodsNonLive<R | Provided>, driver: Driver) => void

/**
 * One suite per driver. All tests of a suite share one database. `under` is the layer under test, built once on it. The clock is the real one, since
 * a database has no other.
 */
export const forEachDriver = <A, E>(
  name: string,
  under: Layer.Layer<A, E, Provided>,
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

/** Empties every table except the record of migrations, for a test that must begin with nothing. */
export const emptyTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Emptying a table takes milliseconds, whether it has rows or not.
  const tables = yield* sql<{ name: string }>`SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
      AND pg_relation_size(oid) > 0`
  if (tables.length > 0) yield* sql.unsafe(`TRUNCATE ${tables.map((table) => table.name).join(", ")} CASCADE`)
})
