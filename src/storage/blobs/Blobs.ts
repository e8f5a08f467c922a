/**
 * Storage for the contents of files. Each content has its own key, is written once and never changed. There are two implementations, a
 * folder and a bucket; both pass the same contract (`test/contracts/BlobsContract.ts`).
 */
import { Context, type Effect, type Stream } from "effect"
import { StorageUnavailable } from "../../domain/Errors.ts"
import type { ByteRange } from "../../domain/file/StoredFile.ts"

/** A complete, synced file on this machine. */
export interface Spooled {
  readonly path: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

export class Blobs extends Context.Service<
  Blobs,
  {
    /** Stores a spooled file under `key`, completely or not at all. The spooled file may be gone afterwards. */
    readonly put: (key: string, from: Spooled) => Effect.Effect<void, StorageUnavailable>
    /** The content of `key`, or its part `range`. The stream fails if there is no such content. */
    readonly read: (key: string, range?: ByteRange) => Stream.Stream<Uint8Array, StorageUnavailable>
    /** Removes the content of `key`, if there is one. */
    readonly remove: (key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/storage/Blobs") {}

/** Describes a failure by its code only, since messages may contain addresses and keys. */
export const blobsFailed = (cause: unknown): StorageUnavailable => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  return new StorageUnavailable({ reason: "down", message: `a file could not be written or read: ${code}` })
}
