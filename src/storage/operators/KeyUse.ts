/**
 * When keys and sign-ins were last used, written behind: a request never waits for it, and a key that is used a thousand times a second costs one
 * row now and then. Losing the last seconds in a crash is allowed, since nothing is decided by it. Part of `Access`.
 */
import { Effect, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { textArray, timestamptzArray } from "../kernel/Arrays.ts"

/** How long a use may wait before it is written. */
const flushEvery = "5 seconds"

/** More keys than this used between two flushes are more than a service has; the rest is noted the next time. */
const maxWaiting = 10_000

const write = (sql: SqlClient.SqlClient, uses: ReadonlyArray<readonly [actor: string, at: number]>) => {
  const of = (prefix: string) => uses.filter(([actor]) => actor.startsWith(prefix))
  const ids = (prefix: string) => textArray(of(prefix).map(([actor]) => actor.slice(prefix.length)))
  const times = (prefix: string) => timestamptzArray(of(prefix).map(([, at]) => at))
  return Effect.gen(function* () {
    if (of("key:").length > 0) {
      yield* sql`
        UPDATE api_key k SET last_used_at = greatest(k.last_used_at, u.at)
        FROM unnest(${ids("key:")}, ${times("key:")}) AS u(id, at) WHERE k.id = u.id::uuid`
    }
    if (of("sign-in:").length > 0) {
      yield* sql`
        UPDATE sign_in s SET seen_at = greatest(s.seen_at, u.at)
        FROM unnest(${ids("sign-in:")}, ${times("sign-in:")}) AS u(id, at) WHERE s.id = u.id::uuid`
    }
    if (of("v1:").length > 0) {
      yield* sql`
        UPDATE v1_credential v SET last_used_at = greatest(v.last_used_at, u.at)
        FROM unnest(${ids("v1:")}, ${times("v1:")}) AS u(id, at) WHERE v.client_id = u.id`
    }
  })
}

/** Starts the writer in the scope, which writes a last time when that closes, and answers `Access.used`. */
export const keyUse = (
  sql: SqlClient.SqlClient,
  writable: Effect.Effect<void, StorageUnavailable>
): Effect.Effect<(actor: string, now: number) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting = new Map<string, number>()
    const note = (actor: string, at: number): void => {
      if (waiting.size < maxWaiting || waiting.has(actor)) waiting.set(actor, Math.max(at, waiting.get(actor) ?? at))
    }
    const flush = Effect.suspend(() => {
      const uses = [...waiting]
      waiting = new Map()
      // A database that is away shows in every request; here the uses wait for the next turn.
      const again = Effect.sync(() => uses.forEach(([actor, at]) => note(actor, at)))
      const written = Effect.andThen(writable, write(sql, uses))
      // Once taken, uses are written or put back: a close in between waits for it.
      return uses.length === 0 ? Effect.void : Effect.uninterruptible(Effect.catchCause(written, () => again))
    })
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced(flushEvery)))
    return note
  })
