/** Database errors become errors of the domain: not now, not this value, or a defect that reveals no data of tenants. */
import { assert } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { textArray, uuidArray } from "../../src/storage/kernel/Arrays.ts"
import {
  guarded,
  guardedWrite,
  isDataError,
  isForeignKeyViolation,
  isUniqueViolation,
  SqlDefect
} from "../../src/storage/kernel/SqlErrors.ts"
import { forEachDatabase } from "../support/databases.ts"

const reasonOf = <A, E>(exit: Exit.Exit<A, E>): unknown => {
  const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
  if (reason === undefined) return exit
  if (Cause.isFailReason(reason)) return (reason.error as { readonly reason?: unknown }).reason
  return Cause.isDieReason(reason) ? reason.defect : reason
}

forEachDatabase(
  "SqlErrors",
  (it, driver) => {
    const error = (statement: Effect.Effect<unknown, SqlError>) => Effect.flip(statement)

    it.effect("recognise a unique violation by its constraint", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE uniques (a int CONSTRAINT a_once UNIQUE, b int CONSTRAINT b_once UNIQUE)`
        yield* sql`INSERT INTO uniques VALUES (1, 1)`
        const violation = yield* error(sql`INSERT INTO uniques VALUES (2, 1)`)
        assert.isTrue(isUniqueViolation(violation))
        assert.isTrue(isUniqueViolation(violation, "b_once"))
        assert.isFalse(isUniqueViolation(violation, "a_once"))
        assert.isTrue(isDataError(violation))
        assert.isFalse(isUniqueViolation(new Error("duplicate key")))
      })
    )

    it.effect("recognise a foreign key violation by its constraint", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE parents (id int PRIMARY KEY)`
        yield* sql`CREATE TABLE children (parent int CONSTRAINT has_parent REFERENCES parents)`
        const violation = yield* error(sql`INSERT INTO children VALUES (1)`)
        assert.isTrue(isForeignKeyViolation(violation, "has_parent"))
        assert.isFalse(isForeignKeyViolation(violation, "another"))
        assert.isFalse(isUniqueViolation(violation))
      })
    )

    it.effect("distinguish a value that cannot be stored from a wrong statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE checked (n int CHECK (n > 0), t text NOT NULL)`
        yield* sql`CREATE INDEX checked_t ON checked (t)`
        const atFault = [
          sql`SELECT ${"\0"}::text`,
          sql`SELECT 1 / ${0}::int`,
          sql`SELECT ${"abc"}::int`,
          sql`INSERT INTO checked VALUES (-1, '')`,
          sql`INSERT INTO checked VALUES (1, NULL)`,
          // Too long for an index, and not compressible.
          sql`INSERT INTO checked SELECT 1, string_agg(md5(n::text), '') FROM generate_series(1, 300) n`,
          // These two never reach the database.
          sql`SELECT ${uuidArray(["no uuid"])}`,
          sql`SELECT ${textArray([undefined as unknown as string])}`
        ]
        for (const statement of atFault) assert.isTrue(isDataError(yield* error(statement)))
        for (const statement of [sql`SELECT nothing`, sql`SELECT * FROM nowhere`])
          assert.isFalse(isDataError(yield* error(statement)))
      })
    )

    it.effect("make a defect of a wrong statement and of an unexpected value, without revealing the value", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE private (email text CONSTRAINT email_once UNIQUE)`
        yield* sql`INSERT INTO private VALUES ('ada@example.com')`
        const duplicate = reasonOf(yield* Effect.exit(guarded(sql`INSERT INTO private VALUES ('ada@example.com')`)))
        assert.instanceOf(duplicate, SqlDefect)
        assert.include(String(duplicate), "23505")
        assert.include(String(duplicate), "email_once")
        assert.notInclude(`${String(duplicate)}${(duplicate as Error).stack}${JSON.stringify(duplicate)}`, "ada@")
        const mistake = reasonOf(yield* Effect.exit(guarded(sql`SELECT nothing`)))
        assert.include(String(mistake), 'column "nothing" does not exist')
      })
    )

    it.effect("pass an error of the domain through", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(guarded(Effect.fail({ reason: "mine" })))
        assert.strictEqual(reasonOf(exit), "mine")
      })
    )

    it.effect("treat a read-only session as a full disk", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE walled (n int)`
        const write = sql.withTransaction(
          Effect.andThen(sql`SET TRANSACTION READ ONLY`, sql`INSERT INTO walled VALUES (1)`)
        )
        assert.strictEqual(reasonOf(yield* Effect.exit(guarded(write))), "full")
      })
    )

    if (driver.name === "PGlite") return

    it.effect("treat a lost connection as a database that is down, and a write's outcome as unknown", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kill = sql`SELECT pg_terminate_backend(pg_backend_pid())`
        assert.strictEqual(reasonOf(yield* Effect.exit(guarded(kill))), "down")
        assert.strictEqual(reasonOf(yield* Effect.exit(guardedWrite(kill))), "unknown")
        // Inside a transaction the ROLLBACK fails as well, and that failure comes as a defect.
        assert.strictEqual(reasonOf(yield* Effect.exit(guarded(sql.withTransaction(kill)))), "down")
        assert.strictEqual(reasonOf(yield* Effect.exit(guardedWrite(sql.withTransaction(kill)))), "unknown")
        assert.strictEqual((yield* sql`SELECT 1 AS one`)[0]?.["one"], 1)
      })
    )

    it.effect("treat a timeout and a lock that is not free as busy", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const slow = sql.withTransaction(Effect.andThen(sql`SET LOCAL statement_timeout = 20`, sql`SELECT pg_sleep(5)`))
        assert.strictEqual(reasonOf(yield* Effect.exit(guarded(slow))), "busy")
        yield* sql`CREATE TABLE locked (n int)`
        const inside = yield* Deferred.make<void>()
        const tried = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE locked`
              yield* Deferred.succeed(inside, undefined)
              yield* Deferred.await(tried)
            })
          )
        )
        yield* Deferred.await(inside)
        const blocked = sql.withTransaction(sql`LOCK TABLE locked NOWAIT`)
        assert.strictEqual(reasonOf(yield* Effect.exit(guarded(blocked))), "busy")
        yield* Deferred.succeed(tried, undefined)
        yield* Fiber.join(holder)
      })
    )

    it.effect("treat an unreachable server as down, even for a write", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* Effect.exit(guardedWrite(sql`SELECT 1`))
      }).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make("postgres://user@127.0.0.1:1/none") })),
        Effect.map((exit) => assert.strictEqual(reasonOf(exit), "down"))
      )
    )
  },
  { migrations: {} }
)
