/** What every repository relies on: one client for both databases, isolated transactions, and notifications that arrive. */
import { expect } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../src/domain/values/StorageHealth.ts"
import {
  textArray,
  timestamptzArray,
  uuidArray,
  float8Array,
  int8Array,
  jsonbArray,
  boolArray,
  byteaArray,
  int4Array
} from "../../src/storage/kernel/Arrays.ts"
import { Notifications } from "../../src/storage/kernel/Notifications.ts"
import { forEachDatabase } from "../support/databases.ts"

forEachDatabase(
  "Database",
  (it, driver) => {
    const table = (name: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`CREATE TABLE ${name} (n int PRIMARY KEY)`)
        return sql
      })
    const count = (sql: SqlClient.SqlClient, name: string) =>
      Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(name)}`, (rows) => rows[0]?.n)

    it.effect("hides the rows of a transaction until it is committed", () =>
      Effect.gen(function* () {
        const sql = yield* table("unseen")
        const inside = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO unseen VALUES (1)`
              yield* Deferred.succeed(inside, undefined)
              yield* Deferred.await(goOn)
              yield* sql`INSERT INTO unseen VALUES (2)`
            })
          )
        )
        yield* Deferred.await(inside)
        // PGlite is one session: a query waits for the end of the transaction, which must therefore not wait for the query.
        const asked = yield* Effect.forkChild(count(sql, "unseen"))
        if (driver.name === "PGlite") yield* Deferred.succeed(goOn, undefined)
        expect(yield* Fiber.join(asked)).toBe(driver.name === "PGlite" ? 2 : 0)
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(writer)
        expect(yield* count(sql, "unseen")).toBe(2)
      })
    )

    it.effect("shows each of many concurrent transactions only its own rows and committed ones", () =>
      Effect.gen(function* () {
        const sql = yield* table("crowd")
        const one = (n: number) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE crowd IN ACCESS EXCLUSIVE MODE`
              const before = (yield* count(sql, "crowd")) ?? 0
              yield* sql`INSERT INTO crowd VALUES (${n})`
              yield* Effect.yieldNow
              expect(yield* count(sql, "crowd")).toBe(before + 1)
              if (n % 2 === 1) return yield* Effect.fail("odd")
            })
          )
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => n),
          (n) => Effect.exit(one(n)),
          { concurrency: "unbounded" }
        )
        expect(yield* count(sql, "crowd")).toBe(10)
      })
    )

    it.effect("rolls back a transaction whose fiber is interrupted, and serves the next one", () =>
      Effect.gen(function* () {
        const sql = yield* table("broken_off")
        const inside = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO broken_off VALUES (1)`
              yield* Deferred.succeed(inside, undefined)
              return yield* Effect.never
            })
          )
        )
        yield* Deferred.await(inside)
        yield* Fiber.interrupt(fiber)
        expect(yield* count(sql, "broken_off")).toBe(0)
      })
    )

    it.effect("rolls back a nested transaction alone", () =>
      Effect.gen(function* () {
        const sql = yield* table("nested")
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO nested VALUES (1)`
            yield* Effect.exit(
              sql.withTransaction(Effect.andThen(sql`INSERT INTO nested VALUES (2)`, Effect.fail("no")))
            )
            yield* sql`INSERT INTO nested VALUES (3)`
          })
        )
        const rows = yield* sql<{ n: number }>`SELECT n FROM nested ORDER BY n`
        expect(rows.map((row) => row.n)).toEqual([1, 3])
      })
    )

    it.effect("accepts columns as arrays, with nulls and without elements", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = "01890a5d-ac96-774b-bcce-b302099a8057"
        const at = new Date("2026-11-20T12:00:00.123Z")
        const rows =
          yield* sql`SELECT * FROM unnest(${textArray(["ä", null])}, ${uuidArray([id, null])}, ${int4Array([-7, null])},
          ${int8Array([9_007_199_254_740_993n, null])}, ${float8Array([1.5, null])}, ${boolArray([true, null])},
          ${timestamptzArray([at, null])}, ${byteaArray([new Uint8Array([0, 255]), null])}, ${jsonbArray([{ a: [1] }, null])})
          AS x(t, u, i, b, f, o, z, y, j)`
        expect(rows[0]).toMatchObject({
          t: "ä",
          u: id,
          i: -7,
          b: 9_007_199_254_740_993n,
          f: 1.5,
          o: true,
          z: at,
          j: { a: [1] }
        })
        expect(new Uint8Array(rows[0]?.["y"] as Uint8Array)).toEqual(new Uint8Array([0, 255]))
        expect(Object.values(rows[1] ?? {})).toEqual(Array.from({ length: 9 }, () => null))
        expect(
          yield* sql`SELECT * FROM unnest(${textArray([])}, ${timestamptzArray([at.getTime()].slice(1))}) AS x(t, z)`
        ).toEqual([])
        const millis = yield* sql<{ z: Date }>`SELECT * FROM unnest(${timestamptzArray([at.getTime()])}) AS x(z)`
        expect(millis[0]?.z).toEqual(at)
      })
    )

    it.effect("accepts a parameter of eight megabytes and returns it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const text = "x".repeat(8_000_000)
        const rows = yield* sql<{ t: string }>`SELECT ${text}::text AS t`
        expect(rows[0]?.t.length).toBe(text.length)
      })
    )

    it.effect("delivers notifications to every listener of their channel, and to no others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const notifications = yield* Notifications
        const receive = (channel: string, n: number) =>
          notifications.listen(channel).pipe(
            Stream.filter((word) => word !== ""),
            Stream.take(n),
            Stream.runCollect,
            Effect.forkChild({ startImmediately: true })
          )
        const listeners = [yield* receive("heard", 2), yield* receive("heard", 2)]
        // Listening begins some time after the stream is run, so notifications are repeated.
        yield* Effect.forkChild(
          Effect.forever(Effect.andThen(sql`SELECT pg_notify('unheard', 'x')`, Effect.sleep("10 millis")))
        )
        const speak = Effect.gen(function* () {
          for (let n = 0; ; n++) {
            yield* sql.withTransaction(sql`SELECT pg_notify('heard', ${`wörd ${n}`})`)
            yield* Effect.sleep("10 millis")
          }
        })
        const speaker = yield* Effect.forkChild(speak)
        for (const listener of listeners) {
          for (const word of yield* Fiber.join(listener)) expect(word).toMatch(/^wörd \d+$/)
        }
        yield* Fiber.interrupt(speaker)
      })
    )

    it.effect("reports its kind, durability and health", () =>
      Effect.gen(function* () {
        const health = yield* StorageHealth
        expect(health.kind).toBe(driver.name === "PGlite" ? "pglite" : "postgres")
        expect(health.durability).toMatch(driver.name === "PGlite" ? /kill -9, not power loss/ : /^PostgreSQL/)
        const report = yield* health.check
        expect(report).toMatchObject({ ok: true, schemaVersion: 0 })
        expect(Exit.isSuccess(yield* Effect.exit(health.writable))).toBe(true)
      })
    )
  },
  { migrations: {} }
)
