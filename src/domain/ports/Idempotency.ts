/**
 * Answers kept for `Idempotency-Key` (24 h per API key): the same request gets the same answer, the same key with another body is a
 * conflict, and while the first still runs the second is told so.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"

export interface StoredAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

export type Claim =
  /** Go ahead; finish with `complete`, or `release` when nothing was done. */
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  | { readonly _tag: "Reused" }
  | { readonly _tag: "InProgress" }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** `fingerprint` is a hash of method, path and body. A claim older than a minute whose process died may be taken over. */
    readonly claim: (
      keyId: string,
      key: string,
      fingerprint: string,
      now: number
    ) => Effect.Effect<Claim, StorageUnavailable>
    readonly complete: (keyId: string, key: string, answer: StoredAnswer) => Effect.Effect<void, StorageUnavailable>
    readonly release: (keyId: string, key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Idempotency") {}
