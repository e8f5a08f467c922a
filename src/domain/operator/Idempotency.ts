/**
 * Storage for `Idempotency-Key` (24 h per API key). A repeated request gets the same answer. The same key with another body is a conflict. A repeat
 * while the first request still runs gets `InProgress`. A request's work and its answer are stored together or not at all, even after a crash.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable, TooMany } from "../Errors.ts"
import type { Principal } from "../values/AuditContext.ts"

export interface StoredAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

export type Claim =
  /** The request may run. `reached` is what an earlier attempt stored before its process died. */
  | { readonly _tag: "Claimed"; readonly reached?: string | undefined }
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  | { readonly _tag: "Reused" }
  | { readonly _tag: "InProgress" }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * `fingerprint` is a hash of method, path and body. A claim without an answer is `InProgress` for as long as its request runs, however long that
     * is. It can be claimed again as soon as the process that ran it is gone. The holder of `Claimed` ends it with one of the other methods. What is
     * stored counts against the daily budget of `by`; if that is used up, a key that is not in use yet is refused (`TooMany`).
     */
    readonly claim: (
      keyId: string,
      key: string,
      fingerprint: string,
      now: number,
      by?: Pick<Principal, "actor" | "organisationId">
    ) => Effect.Effect<Claim, StorageUnavailable | TooMany>
    /**
     * Runs work that only writes, in one transaction with storing its answer. If `answerOf` returns no answer, the work is rolled back and the key is
     * free again. The work must not wait for anything but the database.
     */
    readonly within: <A, R>(
      keyId: string,
      key: string,
      work: Effect.Effect<A, never, R>,
      answerOf: (result: A) => StoredAnswer | undefined
    ) => Effect.Effect<A, StorageUnavailable, R>
    /** Runs a write and stores, in the same transaction, what a retry must know about it. */
    readonly reach: <A, E, R>(
      keyId: string,
      key: string,
      write: Effect.Effect<A, E, R>,
      reachedBy: (result: A) => string
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** Stores the answer; the first one counts. */
    readonly complete: (keyId: string, key: string, answer: StoredAnswer) => Effect.Effect<void, StorageUnavailable>
    /** Frees a key without an answer. What was reached remains stored for the retry. */
    readonly release: (keyId: string, key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Idempotency") {}

/**
 * Support for work that takes more than one transaction (it calls a partner, receives a file, waits for a charger) and must be done only once. The
 * write that completes it goes through `commit`, and a retry starts from `reached`. Without an `Idempotency-Key` nothing is stored.
 */
export interface Retrying {
  /** What `reachedBy` returned in an earlier attempt whose answer was lost: that work is done and must not be done again. */
  readonly reached: string | undefined
  readonly commit: <A, E, R>(
    write: Effect.Effect<A, E, R>,
    reachedBy: (result: A) => string
  ) => Effect.Effect<A, E | StorageUnavailable, R>
}

export const Retrying = Context.Reference<Retrying>("voltlane/Retrying", {
  defaultValue: () => ({ reached: undefined, commit: (write) => write })
})
