/** What every storage of answers for `Idempotency-Key` must do, on every database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency } from "../../src/domain/operator/Idempotency.ts"
import { sweep } from "../../src/storage/operators/Idempotency.ts"
import { nastyTexts } from "../support/nastyText.ts"
import type { ContractIt } from "../support/repositories.ts"

const answer = { status: 201, contentType: "application/json", body: '{"id":"1"}' }
/** The real time and not an invented one: the layer deletes by the real clock what is older than a day. */
const start = Date.now()
const minute = 60 * 1000
const day = 24 * 60 * minute

export const idempotencyContract = (it: ContractIt): void => {
  it.effect("the first request is executed, and the same one again gets its answer", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      expect(yield* idempotency.claim("key a", "1", "print", start)).toMatchObject({ _tag: "Claimed" })
      expect(yield* idempotency.claim("key a", "1", "print", start + 1)).toEqual({ _tag: "InProgress" })
      yield* idempotency.complete("key a", "1", answer)
      expect(yield* idempotency.claim("key a", "1", "print", start + 2)).toEqual({ _tag: "Replay", answer })
    })
  )

  it.effect("the same key with a different request is reported as reused, while the first runs and after its end", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key b", "1", "print", start)
      expect(yield* idempotency.claim("key b", "1", "other", start)).toEqual({ _tag: "Reused" })
      expect(yield* idempotency.claim("key b", "1", "other", start + 2 * minute)).toEqual({ _tag: "Reused" })
      yield* idempotency.complete("key b", "1", answer)
      expect(yield* idempotency.claim("key b", "1", "other", start)).toEqual({ _tag: "Reused" })
    })
  )

  it.effect("exactly one of many simultaneous requests is executed", () =>
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

  it.effect("the same idempotency key may be used with two API keys independently", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key d", "1", "print", start)
      expect(yield* idempotency.claim("key e", "1", "other", start)).toMatchObject({ _tag: "Claimed" })
    })
  )

  it.effect("a request that did nothing frees its key, and a stored answer can be neither freed nor replaced", () =>
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

  it.effect("a key stays claimed for as long as its request runs", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key g", "1", "print", start)
      expect(yield* idempotency.claim("key g", "1", "print", start + 60 * minute)).toEqual({ _tag: "InProgress" })
    })
  )

  it.effect("a request of a dead process is taken over at once, and one of a live process is not", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO node (node_id, started_at, lease_until)
        VALUES ('lives', now(), now() + interval '1 hour'), ('gone', now(), now() - interval '1 second')`
      for (const [key, node] of [
        ["of ours, of an earlier life", "test"],
        ["of a node that has no lease", "unknown"],
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

  it.effect("work is committed together with its answer, and rolled back if it gives none", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const sql = yield* SqlClient.SqlClient
      const write = (name: string) =>
        Effect.orDie(sql`INSERT INTO service (name, value) VALUES (${name}, decode('00', 'hex'))`)
      const written = (name: string) =>
        Effect.map(sql`SELECT 1 FROM service WHERE name = ${name}`, ({ length }) => length)
      yield* idempotency.claim("key w", "1", "print", start)
      expect(yield* idempotency.within("key w", "1", Effect.as(write("committed"), 201), () => answer)).toBe(201)
      expect(yield* idempotency.claim("key w", "1", "print", start)).toEqual({ _tag: "Replay", answer })
      yield* idempotency.claim("key w", "2", "print", start)
      expect(yield* idempotency.within("key w", "2", Effect.as(write("undone"), 503), () => undefined)).toBe(503)
      yield* idempotency.claim("key w", "3", "print", start)
      const died = yield* Effect.exit(
        idempotency.within("key w", "3", Effect.andThen(write("died"), Effect.die("oops")), () => answer)
      )
      expect(died._tag).toBe("Failure")
      expect([yield* written("committed"), yield* written("undone"), yield* written("died")]).toEqual([1, 0, 0])
      for (const key of ["2", "3"]) {
        expect(yield* idempotency.claim("key w", key, "another", start)).toMatchObject({ _tag: "Claimed" })
      }
    })
  )

  it.effect("a process writes nothing more for a request that another process has taken over", () =>
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

  it.effect("progress recorded before the answer is returned when the key is claimed again", () =>
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

  it.effect("an answer is kept for a day; then its key is free, and the next sweep deletes its row", () =>
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

  it.effect("a sweep deletes more rows than one of its statements can", () =>
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

  it.effect("keys and answers with any text come back unchanged", () =>
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
