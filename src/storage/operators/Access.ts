/** The port `Access` over SQL: organisations, keys, and when each key and sign-in was last used. */
import { Effect, Layer, Schedule, type Scope } from "effect"
import { Access } from "../../domain/operator/Access.ts"
import { createKey, findKey, findV1, getKey, listKeys, revokeKey, rotateKey } from "./ApiKeys.ts"
import { type RecordingServices, recording } from "../kernel/Facts.ts"
import { operators, restore } from "./KeyRecovery.ts"
import { createOrganisation, isEmpty, organisation, organisations, updateOrganisation } from "./Organisations.ts"
import type { SqlClient } from "effect/sql"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { textArray, timestamptzArray } from "../kernel/Arrays.ts"

/** How often uses are written. A crash loses those since the last write, which is acceptable, since no decision depends on them. */
const flushEvery = "5 seconds"

/** More keys than a service uses between two writes. The use of a further key is not recorded until the next write. */
const maxWaiting = 10_000

interface Use {
  readonly at: number
  /** The address; undefined if it is not known. */
  readonly from: string | undefined
}

const write = (sql: SqlClient.SqlClient, uses: ReadonlyArray<readonly [actor: string, use: Use]>) => {
  const of = (prefix: string) => uses.filter(([actor]) => actor.startsWith(prefix))
  const ids = (prefix: string) => textArray(of(prefix).map(([actor]) => actor.slice(prefix.length)))
  const times = (prefix: string) => timestamptzArray(of(prefix).map(([, { at }]) => at))
  return Effect.gen(function* () {
    if (of("key:").length > 0) {
      yield* sql`
        UPDATE api_key k SET last_used_at = greatest(k.last_used_at, u.at), last_used_from = coalesce(u.address, k.last_used_from)
        FROM unnest(${ids("key:")}, ${times("key:")}, ${textArray(of("key:").map(([, { from }]) => from ?? null))}) AS u(id, at, address)
        WHERE k.id = u.id::uuid`
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

/**
 * Starts the writer in the scope, which writes a last time when the scope closes, and returns `Access.used`. No request waits for the writer, and a
 * key that is used a thousand times a second costs one row in each write.
 */
const keyUse = (
  sql: SqlClient.SqlClient,
  writable: Effect.Effect<void, StorageUnavailable>
): Effect.Effect<(actor: string, now: number, from?: string) => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting = new Map<string, Use>()
    const note = (actor: string, at: number, from?: string): void => {
      const before = waiting.get(actor)
      if (before === undefined && waiting.size >= maxWaiting) return
      const isNewer = before === undefined || at >= before.at
      waiting.set(actor, isNewer ? { at, from: from ?? before?.from } : { at: before.at, from: before.from ?? from })
    }
    const flush = Effect.suspend(() => {
      const uses = [...waiting]
      waiting = new Map()
      // If the database is unavailable, the uses wait for the next write. Every request reports the failure, so it is not logged here.
      const again = Effect.sync(() => uses.forEach(([actor, { at, from }]) => note(actor, at, from)))
      const written = Effect.andThen(writable, write(sql, uses))
      // Uninterruptible, so that uses that were taken are either written or put back.
      return uses.length === 0 ? Effect.void : Effect.uninterruptible(Effect.catchCause(written, () => again))
    })
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced(flushEvery)))
    return note
  })

export const layer: Layer.Layer<Access, never, RecordingServices> = Layer.effect(
  Access,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Access.of({
      isEmpty: isEmpty(sql),
      createOrganisation: createOrganisation(records),
      organisation: organisation(sql),
      organisations: organisations(sql),
      operators: operators(sql),
      updateOrganisation: updateOrganisation(records),
      findKey: yield* findKey(sql),
      findV1: findV1(sql),
      used: yield* keyUse(sql, records.writable),
      createKey: createKey(records),
      getKey: getKey(sql),
      listKeys: listKeys(sql),
      rotateKey: rotateKey(records),
      revokeKey: revokeKey(records),
      restore: restore(records)
    })
  })
)
