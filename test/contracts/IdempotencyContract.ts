/** What every storage of answers for `Idempotency-Key` fulfils, whatever the database. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency } from "../../src/domain/ports/Idempotency.ts"
import { sweep } from "../../src/storage/Idempotency.ts"
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
      expect(yield* idempotency.claim("key a", "1", "print", start)).toEqual({ _tag: "Claimed" })
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
      expect(yield* idempotency.claim("key e", "1", "other", start)).toEqual({ _tag: "Claimed" })
    })
  )

  it.effect("a request that did nothing frees its key; an answer that stands cannot be freed or replaced", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      yield* idempotency.claim("key f", "1", "print", start)
      yield* idempotency.release("key f", "1")
      expect(yield* idempotency.claim("key f", "1", "another", start)).toEqual({ _tag: "Claimed" })
      yield* idempotency.complete("key f", "1", answer)
      yield* idempotency.release("key f", "1")
      yield* idempotency.complete("key f", "1", { ...answer, status: 500 })
      expect(yield* idempotency.claim("key f", "1", "another", start)).toEqual({ _tag: "Replay", answer })
    })
  )

  it.effect("a claim whose process died is taken over after a minute, and not before", () =>
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const claim = (now: number) => idempotency.claim("key g", "1", "print", now)
      yield* claim(start)
      expect(yield* claim(start + minute - 1)).toEqual({ _tag: "InProgress" })
      expect(yield* claim(start + minute)).toEqual({ _tag: "Claimed" })
      expect(yield* claim(start + minute + 1)).toEqual({ _tag: "InProgress" })
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
      expect(yield* claim("1", start + day)).toEqual({ _tag: "Claimed" })
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
        expect(yield* idempotency.claim("key i", text, text, start)).toEqual({ _tag: "Claimed" })
        yield* idempotency.complete("key i", text, { ...answer, body: text })
        expect(yield* idempotency.claim("key i", text, text, start)).toEqual({
          _tag: "Replay",
          answer: { ...answer, body: text }
        })
      }
    })
  )
}
