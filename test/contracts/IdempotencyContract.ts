/** What every storage of answers for `Idempotency-Key` fulfils, whatever the database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import { sweep } from "../../src/storage/operators/Idempotency.ts"
import { nastyTexts } from "../support/nastyText.ts"
import type { ContractIt } from "../support/repositories.ts"

const answer = { status: 201, contentType: "application/json", body: '{"id":"1"}' }
/** Now, and no made-up day: the layer sweeps by the real clock what is older than a day. */
const start = Date.now()
const minute = 60 * 1000
const day = 24 * 60 * minute

export const idempotencyContract = (it: ContractIt): void => {
  it.effect("the first request goes ahead, and the same one again gets its answer", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      expect(yield* idempotency.claim("key a", "1", "print", start)).toMatchObject({ _tag: "Claimed" })
      expect(yield* idempotency.claim("key a", "1", "print", start + 1)).toEqual({ _tag: "InProgress" })
      yield* idempotency.complete("key a", "1", answer)
      expect(yield* idempotency.claim("key a", "1", "print", start + 2)).toEqual({ _tag: "Replay", answer })
    })
  )

  it.effect("the same key with another request is told so, while it runs and when it is done", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key b", "1", "print", start)
      expect(yield* idempotency.claim("key b", "1", "other", start)).toEqual({ _tag: "Reused" })
      expect(yield* idempotency.claim("key b", "1", "other", start + 2 * minute)).toEqual({ _tag: "Reused" })
      yield* idempotency.complete("key b", "1", answer)
      expect(yield* idempotency.claim("key b", "1", "other", start)).toEqual({ _tag: "Reused" })
    })
  )

  it.effect("of many at once exactly one goes ahead", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const claims = yield* Effect.all(
        Array.from({ length: 20 }, () => idempotency.claim("key c", "1", "print", start)),
        { concurrency: "unbounded" }
      )
      const tags = claims.map(({ _tag }) => _tag).sort()
      expect(tags).toEqual(["Claimed", ...Array.from({ length: 19 }, () => "InProgress")])
    })
  )

  it.effect("two keys of the API do not meet in one idempotency key", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key d", "1", "print", start)
      expect(yield* idempotency.claim("key e", "1", "other", start)).toMatchObject({ _tag: "Claimed" })
    })
  )

  it.effect("a request that did nothing frees its key; an answer that stands cannot be freed or replaced", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key f", "1", "print", start)
      yield* idempotency.release("key f", "1")
      expect(yield* idempotency.claim("key f", "1", "another", start)).toMatchObject({ _tag: "Claimed" })
      yield* idempotency.complete("key f", "1", answer)
      yield* idempotency.release("key f", "1")
      yield* idempotency.complete("key f", "1", { ...answer, status: 500 })
      expect(yield* idempotency.claim("key f", "1", "another", start)).toEqual({ _tag: "Replay", answer })
    })
  )

  it.effect("a request may run for as long as it likes: its key is nobody else's meanwhile", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key g", "1", "print", start)
      expect(yield* idempotency.claim("key g", "1", "print", start + 60 * minute)).toEqual({ _tag: "InProgress" })
    })
  )

  it.effect("a request whose process is gone is taken over at once, and one of a process that lives is not", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO node (node_id, started_at, lease_until)
        VALUES ('lives', now(), now() + interval '1 hour'), ('gone', now(), now() - interval '1 second')`
      for (const [key, node] of [
        ["of ours, of an earlier life", "test"],
        ["of a node that has no lease", "nobody"],
        ["of a node whose lease has run out", "gone"],
        ["of a node that lives", "lives"]
      ] as const) {
        yield* sql`
          INSERT INTO idempotency (key_id, idempotency_key, fingerprint, claimed_at, node_id)
          VALUES ('key n', ${key}, 'print', ${new Date(start)}, ${node})`
        const claim = (print: string) => idempotency.claim("key n", key, print, start + 1)
        expect(yield* claim("other"), key).toEqual({ _tag: "Reused" })
        expect((yield* claim("print"))._tag, key).toBe(node === "lives" ? "InProgress" : "Claimed")
        expect((yield* claim("print"))._tag, key).toBe("InProgress")
      }
    })
  )

  it.effect("work and its answer stand together, and work that came to nothing leaves nothing", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const write = (name: string) =>
        Effect.orDie(sql`INSERT INTO service (name, value) VALUES (${name}, decode('00', 'hex'))`)
      const written = (name: string) =>
        Effect.map(sql`SELECT 1 FROM service WHERE name = ${name}`, ({ length }) => length)
      yield* idempotency.claim("key w", "1", "print", start)
      expect(yield* idempotency.within("key w", "1", Effect.as(write("stands"), 201), () => answer)).toBe(201)
      expect(yield* idempotency.claim("key w", "1", "print", start)).toEqual({ _tag: "Replay", answer })
      yield* idempotency.claim("key w", "2", "print", start)
      expect(yield* idempotency.within("key w", "2", Effect.as(write("undone"), 503), () => undefined)).toBe(503)
      yield* idempotency.claim("key w", "3", "print", start)
      const died = yield* Effect.exit(
        idempotency.within("key w", "3", Effect.andThen(write("died"), Effect.die("oops")), () => answer)
      )
      expect(died._tag).toBe("Failure")
      expect([yield* written("stands"), yield* written("undone"), yield* written("died")]).toEqual([1, 0, 0])
      for (const key of ["2", "3"]) {
        expect(yield* idempotency.claim("key w", key, "another", start)).toMatchObject({ _tag: "Claimed" })
      }
    })
  )

  it.effect("a process whose request was taken over while it was away writes nothing of it any more", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const work = (name: string) =>
        Effect.orDie(sql`INSERT INTO service (name, value) VALUES (${name}, decode('00', 'hex'))`)
      for (const key of ["within", "reach", "release"]) {
        yield* idempotency.claim("key t", key, "print", start)
        yield* sql`UPDATE idempotency SET node_id = 'other' WHERE key_id = 'key t' AND idempotency_key = ${key}`
      }
      const late = [
        idempotency.within("key t", "within", work("late, within"), () => answer),
        idempotency.reach("key t", "reach", work("late, reach"), () => "reached")
      ]
      for (const one of late) expect((yield* Effect.flip(one))._tag).toBe("StorageUnavailable")
      yield* idempotency.release("key t", "release")
      expect(yield* sql`SELECT 1 FROM service WHERE name LIKE 'late, %'`).toEqual([])
      const left = yield* sql`SELECT status, reached FROM idempotency WHERE key_id = 'key t'`
      expect(left).toEqual(Array.from({ length: 3 }, () => ({ status: null, reached: null })))
    })
  )

  it.effect("what was reached before the answer comes with the key when it is claimed again", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const claim = (now: number) => idempotency.claim("key r", "1", "print", now)
      yield* claim(start)
      expect(yield* idempotency.reach("key r", "1", Effect.succeed(7), (n) => `made ${n}`)).toBe(7)
      expect(yield* claim(start)).toEqual({ _tag: "InProgress" })
      yield* idempotency.release("key r", "1")
      expect(yield* idempotency.claim("key r", "1", "other", start)).toEqual({ _tag: "Reused" })
      expect(yield* claim(start + 1)).toEqual({ _tag: "Claimed", reached: "made 7" })
      const failed = yield* Effect.exit(idempotency.reach("key r", "1", Effect.fail("no"), () => "made 8"))
      expect(failed._tag).toBe("Failure")
      yield* idempotency.release("key r", "1")
      expect(yield* claim(start + 2)).toEqual({ _tag: "Claimed", reached: "made 7" })
      yield* idempotency.complete("key r", "1", answer)
      expect(yield* claim(start + 3)).toEqual({ _tag: "Replay", answer })
      expect(yield* claim(start + day + 2)).toEqual({ _tag: "Claimed", reached: undefined })
    })
  )

  it.effect("an answer is kept for a day; then its key is free, and the row goes at the next sweep", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const claim = (key: string, now: number) => idempotency.claim("key h", key, "print", now)
      for (const key of ["1", "2"]) {
        yield* claim(key, start)
        yield* idempotency.complete("key h", key, answer)
      }
      expect(yield* claim("1", start + day - 1)).toEqual({ _tag: "Replay", answer })
      expect(yield* claim("1", start + day)).toMatchObject({ _tag: "Claimed" })
      expect(yield* claim("1", start + day)).toEqual({ _tag: "InProgress" })
      yield* sweep(sql, start + day)
      const left = yield* sql`SELECT idempotency_key FROM idempotency WHERE key_id = 'key h'`
      expect(left).toEqual([{ idempotency_key: "1" }])
    })
  )

  it.effect("a sweep takes more rows than one of its statements does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM idempotency`
      yield* sql`
        INSERT INTO idempotency (key_id, idempotency_key, fingerprint, claimed_at)
        SELECT 'many', n::text, 'print', ${new Date(start)} FROM generate_series(1, 1201) AS n`
      expect(yield* sweep(sql, start + day - 1)).toBe(0)
      expect(yield* sweep(sql, start + day)).toBe(1201)
      expect(yield* sql`SELECT 1 FROM idempotency`).toEqual([])
    })
  )

  it.effect("keys and answers of any text come back as they were given", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      for (const text of nastyTexts) {
        expect(yield* idempotency.claim("key i", text, text, start)).toMatchObject({ _tag: "Claimed" })
        yield* idempotency.complete("key i", text, { ...answer, body: text })
        expect(yield* idempotency.claim("key i", text, text, start)).toEqual({
          _tag: "Replay",
          answer: { ...answer, body: text }
        })
      }
    })
  )
}
