/**
 * The port `Idempotency` over SQL: one row per key and request. A claim is an INSERT, so that of two requests at once one goes ahead;
 * the answer is written into it, and rows older than a day are swept.
 */
import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { Idempotency, type Claim, type StoredAnswer } from "../domain/ports/Idempotency.ts"
import { StorageHealth } from "../domain/ports/StorageHealth.ts"
import { optional, rowOf } from "./rows.ts"
import { guarded, guardedWrite } from "./SqlErrors.ts"

/** How long an answer is kept. */
const keptMs = 24 * 60 * 60 * 1000

/** A request that has given no answer for so long has lost its process: every request is bounded well below it. */
const abandonedMs = 60 * 1000

const sweepEvery = "10 minutes"

/** Rows that one DELETE takes: the embedded database runs one statement at a time. */
const sweepRows = 500

/** DELETEs of one sweep; what is left waits for the next. */
const sweepRounds = 200

/** A row can vanish between the INSERT that met it and the SELECT that looks for it; it does not do so for ever. */
const claimTries = 3

const claimedRow = rowOf(
  Schema.Struct({
    fingerprint: Schema.String,
    status: optional(Schema.Int),
    contentType: optional(Schema.String),
    body: optional(Schema.String)
  })
)

const standing = (row: NonNullable<Effect.Success<ReturnType<typeof look>>>, fingerprint: string): Claim => {
  if (row.fingerprint !== fingerprint) return { _tag: "Reused" }
  if (row.status === undefined) return { _tag: "InProgress" }
  return {
    _tag: "Replay",
    answer: { status: row.status, contentType: row.contentType ?? "", body: row.body ?? "" }
  }
}

const look = (sql: SqlClient.SqlClient, keyId: string, key: string) =>
  claimedRow(sql`
    SELECT i.fingerprint, i.status, i.content_type AS "contentType", i.body FROM idempotency i
    WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key}`)

const take = (sql: SqlClient.SqlClient, keyId: string, key: string, fingerprint: string, now: number) => sql`
  INSERT INTO idempotency AS i (key_id, idempotency_key, fingerprint, claimed_at)
  VALUES (${keyId}, ${key}, ${fingerprint}, ${new Date(now)})
  ON CONFLICT (key_id, idempotency_key) DO UPDATE
    SET fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at, status = NULL, content_type = NULL, body = NULL
    WHERE i.claimed_at <= ${new Date(now - keptMs)}
      OR (i.status IS NULL AND i.claimed_at <= ${new Date(now - abandonedMs)} AND i.fingerprint = excluded.fingerprint)
  RETURNING i.key_id`

/** A write of its own, and hence behind the guard of the disk's free space. */
type Write = <A>(statement: Effect.Effect<A, SqlError>) => Effect.Effect<A, StorageUnavailable>

const claim = (sql: SqlClient.SqlClient, write: Write) =>
  Effect.fn("Idempotency.claim")(function* (keyId: string, key: string, fingerprint: string, now: number) {
    for (let tries = 0; tries < claimTries; tries++) {
      const taken = yield* write(take(sql, keyId, key, fingerprint, now))
      if (taken.length > 0) return { _tag: "Claimed" } satisfies Claim
      const row = yield* guarded(look(sql, keyId, key))
      if (row !== undefined) return standing(row, fingerprint)
    }
    return { _tag: "InProgress" } satisfies Claim
  })

/** The first answer stands: one that comes after a take-over changes nothing. */
const complete = (sql: SqlClient.SqlClient, write: Write) =>
  Effect.fn("Idempotency.complete")((keyId: string, key: string, answer: StoredAnswer) =>
    Effect.asVoid(
      write(sql`
        UPDATE idempotency i SET status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
        WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL`)
    )
  )

const release = (sql: SqlClient.SqlClient, write: Write) =>
  Effect.fn("Idempotency.release")((keyId: string, key: string) =>
    Effect.asVoid(
      write(
        sql`DELETE FROM idempotency i WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL`
      )
    )
  )

/** Deletes what is older than a day, in small statements; answers how many rows went. */
export const sweep = (sql: SqlClient.SqlClient, now: number) =>
  Effect.gen(function* () {
    let gone = 0
    for (let round = 0; round < sweepRounds; round++) {
      const deleted = yield* guarded(sql`
        DELETE FROM idempotency WHERE (key_id, idempotency_key) IN (
          SELECT key_id, idempotency_key FROM idempotency WHERE claimed_at <= ${new Date(now - keptMs)}
          ORDER BY claimed_at LIMIT ${sweepRows})
        RETURNING key_id`)
      gone += deleted.length
      if (deleted.length < sweepRows) break
    }
    return gone
  })

export const layer: Layer.Layer<Idempotency, never, SqlClient.SqlClient | StorageHealth> = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const health = yield* StorageHealth
    const write: Write = (statement) => Effect.andThen(health.writable, guardedWrite(statement))
    const now = Effect.andThen(health.writable, Clock.currentTimeMillis)
    const sweeping = Effect.flatMap(now, (at) => sweep(sql, at))
    // A database that is away does not end the sweeper: the next turn finds the same rows.
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.catchTag(sweeping, "StorageUnavailable", () => Effect.succeed(0)),
        Schedule.spaced(sweepEvery)
      )
    )
    return Idempotency.of({ claim: claim(sql, write), complete: complete(sql, write), release: release(sql, write) })
  })
)
