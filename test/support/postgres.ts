/**
 * Separate databases on the PostgreSQL server of the tests. One with the schema is copied from a template, which the first process that needs it
 * creates: running the migrations takes seconds of CPU, copying the result a tenth of a second.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import { migrate } from "../../src/storage/kernel/Migrations.ts"
import { migrations } from "../../src/storage/migrations/all.ts"
import { bounded } from "./bounded.ts"
import { fingerprint } from "./seed.ts"

/** Each takes a tenth of a second, but seconds on a busy machine. */
const cloneSeconds = 30
const templateSeconds = 120

/** The database of the same server that has this name. */
const named = (url: string, name: string): string => {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

const connected = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

/** Runs statements on the server of `url`, outside the database under test. */
const onServer = (url: string, effect: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>) =>
  Effect.flatMap(SqlClient.SqlClient, effect).pipe(Effect.provide(connected(url)), Effect.orDie, Effect.asVoid)

/** A number with which nothing else takes an advisory lock in the server's first database: "tmpl" in ASCII. */
const lockKey = 0x746d706c

const templatePrefix = "voltlane_template_"

const exists = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(sql`SELECT 1 FROM pg_database WHERE datname = ${name}`, (rows) => rows.length > 0)

/**
 * Creates the template unless it exists. It has another name until it is complete, and only one process at a time creates it. Templates of other
 * versions are dropped, so that a server that outlives its tests keeps only one.
 */
const ensureTemplate = (url: string, name: string): Effect.Effect<void> =>
  onServer(url, (sql) =>
    Effect.gen(function* () {
      if (yield* exists(sql, name)) return
      const unfinished = `${name}_unfinished`
      yield* sql.unsafe(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
      const others = yield* sql<{ name: string }>`SELECT datname AS name FROM pg_database
        WHERE starts_with(datname, ${templatePrefix})`
      for (const other of others) yield* Effect.ignore(sql.unsafe(`DROP DATABASE IF EXISTS ${other.name}`))
      yield* sql.unsafe(`CREATE DATABASE ${unfinished}`)
      yield* migrate(migrations).pipe(Effect.provide(connected(named(url, unfinished))), Effect.orDie)
      yield* sql.unsafe(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
      // No connections may be open to it, or it could not be copied.
      yield* sql.unsafe(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
    }).pipe((make) =>
      Effect.acquireUseRelease(
        sql`SELECT pg_advisory_lock(${lockKey})`,
        () => make,
        () => Effect.orDie(sql`SELECT pg_advisory_unlock(${lockKey})`)
      )
    )
  ).pipe(bounded(templateSeconds, "the PostgreSQL database that tests are copied from was not made"))

const create = (url: string, name: string, template: string | undefined): Effect.Effect<void> =>
  onServer(url, (sql) =>
    sql.unsafe(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`)
  ).pipe(bounded(cloneSeconds, "a PostgreSQL database for this suite was not made"))

const drop = (url: string, name: string): Effect.Effect<void> =>
  onServer(url, (sql) => sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)).pipe(
    bounded(cloneSeconds, "the PostgreSQL database of this suite was not dropped")
  )

/**
 * Creates a separate database on the test server, empty or with the schema, and drops it when the scope closes, even if
 * clients are still connected.
 */
export const freshPostgres = (url: string, { migrated }: { readonly migrated: boolean }) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const name = `voltlane_test_${randomBytes(8).toString("hex")}`
      const template = migrated ? `${templatePrefix}${fingerprint(true)}` : undefined
      if (template !== undefined) yield* ensureTemplate(url, template)
      yield* create(url, name, template)
      return name
    }),
    (name) => drop(url, name)
  ).pipe(Effect.map((name) => Redacted.make(named(url, name))))
