/**
 * The port `Idempotency` over SQL: one row per key and request. A claim is an INSERT, so only one of two simultaneous requests proceeds. It
 * names the process that runs the request, and becomes free as soon as that process is gone. The answer is stored in it in the transaction
 * of the work, and counts against its author's budget of the day. Rows older than a day are deleted.
 */
import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { StorageUnavailable } from "../../domain/Errors.ts"
import { Idempotency, type Claim, type StoredAnswer } from "../../domain/operator/Idempotency.ts"
import type { Principal } from "../../domain/values/AuditContext.ts"
import { isBudgeted, overBudget, rowBytes, shareOf, WriteBudget } from "../../domain/operator/WriteBudget.ts"
import { StorageHealth } from "../../domain/values/StorageHealth.ts"
import { countUse, hasUsed, refusedForBudget, useOf } from "../kernel/OrganisationUse.ts"
import { optional, rowOf } from "../kernel/Rows.ts"
import { guarded, guardedWrite } from "../kernel/SqlErrors.ts"

/** How long an answer is kept. */
const keptMs = 24 * 60 * 60 * 1000

const sweepEvery = "10 minutes"

/** How many rows one DELETE removes: the embedded database runs one statement at a time. */
const sweepRows = 500

/** How many DELETEs one sweep runs; the rest waits for the next sweep. */
const sweepRounds = 200

/** The row may be deleted between the INSERT that conflicted with it and the SELECT that reads it. This cannot happen every time. */
const claimTries = 3

const claimedRow = rowOf(
  Schema.Struct({
    fingerprint: Schema.String,
    status: optional(Schema.Int),
    contentType: optional(Schema.String),
    body: optional(Schema.String)
  })
)

const takenRow = rowOf(Schema.Struct({ reached: optional(Schema.String) }))

const current = (row: NonNullable<Effect.Success<ReturnType<typeof look>>>, fingerprint: string): Claim => {
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

/**
 * Claims a key that is free, or has become free: a day has passed, or the request has no answer and no process is running it. This process
 * is not running it, or it would know. A row with our node's name is from an earlier process of ours. Any other process is gone once its
 * lease has run out.
 */
const take = (
  { bytesPerDay, nodeId, sql }: Store,
  keyId: string,
  key: string,
  fingerprint: string,
  now: number,
  by: Payer | undefined
) => {
  const use = by && { organisationId: by.organisationId, author: by.actor, kind: "idempotency" as const, at: now }
  const isSpent = use === undefined ? sql`false` : hasUsed(sql, use, bytesPerDay, shareOf(bytesPerDay))
  const isOld = sql`i.claimed_at <= ${new Date(now - keptMs)}`
  return takenRow(sql`
    INSERT INTO idempotency AS i (key_id, idempotency_key, fingerprint, claimed_at, node_id)
    SELECT ${keyId}, ${key}, ${fingerprint}, ${new Date(now)}, ${nodeId} WHERE NOT ${isSpent}
    ON CONFLICT (key_id, idempotency_key) DO UPDATE
      SET fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at, node_id = excluded.node_id,
        reached = CASE WHEN ${isOld} THEN NULL ELSE i.reached END, status = NULL, content_type = NULL, body = NULL
      WHERE ${isOld} OR (i.status IS NULL AND i.fingerprint = excluded.fingerprint AND (i.node_id IS NULL OR i.node_id = excluded.node_id
        OR NOT EXISTS (SELECT 1 FROM node n WHERE n.node_id = i.node_id AND n.lease_until > now())))
    RETURNING i.reached`)
}

/** A write in its own transaction, which therefore checks the disk's free space first. */
type Write = <A, E, R>(
  statement: Effect.Effect<A, E, R>
) => Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R>

/** Whose budget an answer counts against; undefined for callers without one. */
type Payer = Pick<Principal, "actor" | "organisationId">

/** The requests that this process is running, by API key and idempotency key. */
type Running = Map<string, Payer | undefined>

interface Store {
  readonly sql: SqlClient.SqlClient
  readonly write: Write
  readonly nodeId: string
  readonly running: Running
  readonly bytesPerDay: number
}

const nameOf = (keyId: string, key: string): string => `${keyId} ${key}`

/** The refusal if the budget of the day is used up. */
const spent = ({ bytesPerDay, sql }: Store, by: Payer, now: number) =>
  Effect.gen(function* () {
    const use = { organisationId: by.organisationId, author: by.actor, kind: "idempotency" as const, at: now }
    const { all, own } = yield* guarded(useOf(sql, use))
    // One byte more, as another answer would use.
    const refusal = overBudget("idempotency", bytesPerDay, { all: all + 1, own: own + 1 }, now)
    if (refusal !== undefined) return yield* refusedForBudget("idempotency", refusal)
  })

const claim = (store: Store) =>
  Effect.fn("Idempotency.claim")(function* (keyId: string, key: string, fingerprint: string, now: number, by?: Payer) {
    const { running, sql, write } = store
    const name = nameOf(keyId, key)
    const payer = by !== undefined && isBudgeted(by.actor) ? by : undefined
    for (let tries = 0; tries < claimTries; tries++) {
      if (!running.has(name)) {
        // Added before the statement, so that the second of two simultaneous requests finds it.
        running.set(name, payer)
        const forget = Effect.sync(() => void running.delete(name))
        const taken = yield* Effect.onError(write(take(store, keyId, key, fingerprint, now, payer)), () => forget)
        if (taken !== undefined) return { _tag: "Claimed", reached: taken.reached } satisfies Claim
        yield* forget
      }
      const row = yield* guarded(look(sql, keyId, key))
      if (row !== undefined) return current(row, fingerprint)
      if (payer !== undefined) yield* spent(store, payer, now)
    }
    return { _tag: "InProgress" } satisfies Claim
  })

/** What was changed, and counted if the request has a payer. No rows if another process holds the claim. */
const counting = (
  { running, sql }: Store,
  keyId: string,
  key: string,
  bytes: number,
  change: Statement.Statement<unknown>
) =>
  Effect.gen(function* () {
    const rows = yield* change
    const payer = running.get(nameOf(keyId, key))
    if (rows.length === 0 || payer === undefined) return rows
    const { actor: author, organisationId } = payer
    const at = yield* Clock.currentTimeMillis
    yield* countUse(sql, { organisationId, author, kind: "idempotency", bytes: bytes + key.length + rowBytes, at })
    return rows
  })

const writeAnswer = (store: Store, keyId: string, key: string, answer: StoredAnswer) =>
  counting(
    store,
    keyId,
    key,
    answer.body.length,
    store.sql`
      UPDATE idempotency i SET status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
      WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL AND i.node_id = ${store.nodeId} RETURNING i.key_id`
  )

const writeReached = (store: Store, keyId: string, key: string, reached: string) =>
  counting(
    store,
    keyId,
    key,
    reached.length,
    store.sql`
      UPDATE idempotency i SET reached = ${reached}
      WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL AND i.node_id = ${store.nodeId} RETURNING i.key_id`
  )

const freed = (sql: SqlClient.SqlClient, nodeId: string, keyId: string, key: string) => sql`
  WITH kept AS (
    UPDATE idempotency i SET node_id = NULL
    WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL AND i.reached IS NOT NULL AND i.node_id = ${nodeId})
  DELETE FROM idempotency i
  WHERE i.key_id = ${keyId} AND i.idempotency_key = ${key} AND i.status IS NULL AND i.reached IS NULL AND i.node_id = ${nodeId}`

/**
 * Another process took over the claim while this one was frozen for longer than its lease. Its work must not be stored in addition to the
 * other's.
 */
const taken = new StorageUnavailable({
  reason: "busy",
  message: "another process took over this request because this process did not respond in time; try again"
})

/** A write that fails, and so undoes its transaction, if this process no longer holds the claim. */
const held = <R>(statement: Effect.Effect<ReadonlyArray<unknown>, SqlError, R>) =>
  Effect.filterOrFail(
    statement,
    (rows) => rows.length > 0,
    () => taken
  )

/** Undoes a transaction whose work has no result to store. */
class Undone<A> {
  readonly _tag = "Undone"
  readonly result: A
  constructor(result: A) {
    this.result = result
  }
}

const within =
  (store: Store, release: Idempotency["Service"]["release"]): Idempotency["Service"]["within"] =>
  <A, R>(
    keyId: string,
    key: string,
    work: Effect.Effect<A, never, R>,
    answerOf: (result: A) => StoredAnswer | undefined
  ) => {
    const whole = Effect.gen(function* () {
      const result = yield* work
      const answer = answerOf(result)
      if (answer === undefined) return yield* Effect.fail(new Undone(result))
      yield* held(writeAnswer(store, keyId, key, answer))
      return result
    })
    const freeing = Effect.ignore(release(keyId, key))
    return Effect.catch(
      Effect.onError(store.write(store.sql.withTransaction(whole)), () => freeing),
      (error) => (error instanceof Undone ? Effect.succeed(error.result) : Effect.fail(error))
    )
  }

/** Deletes rows older than a day, in small statements; returns how many were deleted. */
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

export interface IdempotencyOptions {
  readonly nodeId: string
}

export const layer = (
  options: IdempotencyOptions
): Layer.Layer<Idempotency, never, SqlClient.SqlClient | StorageHealth> =>
  Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const health = yield* StorageHealth
      const write: Write = (statement) => Effect.andThen(health.writable, guardedWrite(statement))
      const now = Effect.andThen(health.writable, Clock.currentTimeMillis)
      const sweeping = Effect.flatMap(now, (at) => sweep(sql, at))
      // An unreachable database does not stop the sweeper: the next sweep finds the same rows.
      yield* Effect.forkScoped(
        Effect.repeat(
          Effect.catchTag(sweeping, "StorageUnavailable", () => Effect.succeed(0)),
          Schedule.spaced(sweepEvery)
        )
      )
      const running: Running = new Map()
      const { idempotencyBytesPerDay: bytesPerDay } = yield* WriteBudget
      const store: Store = { sql, write, nodeId: options.nodeId, running, bytesPerDay }
      /** After `effect`, whatever its outcome, this process is no longer running the request. */
      const ending = <A, E, R>(keyId: string, key: string, effect: Effect.Effect<A, E, R>) =>
        Effect.ensuring(
          effect,
          Effect.sync(() => void running.delete(nameOf(keyId, key)))
        )
      const release: Idempotency["Service"]["release"] = (keyId, key) =>
        ending(keyId, key, Effect.asVoid(write(freed(sql, options.nodeId, keyId, key))))
      const inOne = within(store, release)
      return Idempotency.of({
        claim: claim(store),
        within: (keyId, key, work, answerOf) => ending(keyId, key, inOne(keyId, key, work, answerOf)),
        reach: (keyId, key, work, reachedBy) =>
          write(
            sql.withTransaction(Effect.tap(work, (result) => held(writeReached(store, keyId, key, reachedBy(result)))))
          ),
        complete: (keyId, key, answer) =>
          ending(keyId, key, Effect.asVoid(write(sql.withTransaction(writeAnswer(store, keyId, key, answer))))),
        release
      })
    })
  )
