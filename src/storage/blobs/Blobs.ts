/**
 * Where the contents of files lie. A content has a key of its own, is put once and never changed. Its two implementations, a folder and a
 * bucket, pass one contract (`test/contracts/BlobsContract.ts`).
 */
import { Context, type Effect, type Stream } from "effect"
import { StorageUnavailable } from "../../domain/Errors.ts"
import type { ByteRange } from "../../domain/file/StoredFile.ts"

/** A file of this machine's, whole and synced. */
export interface Spooled {
  readonly path: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

export class Blobs extends Context.Service<
  Blobs,
  {
    /** Keeps a spooled file under `key`. It is stored whole, or not at all; the spooled file may be gone. */
    readonly put: (key: string, from: Spooled) => Effect.Effect<void, StorageUnavailable>
    /** The content of `key`, or the part of it that `range` names. Fails in the stream when there is none. */
    readonly read: (key: string, range?: ByteRange) => Stream.Stream<Uint8Array, StorageUnavailable>
    /** Nothing is under `key` afterwards, whatever was there. */
    readonly remove: (key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/storage/Blobs") {}

/** The words of a failure without what may stand in it of addresses and keys. */
export const blobsFailed = (cause: unknown): StorageUnavailable => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  return new StorageUnavailable({ reason: "down", message: `a file could not be written or read: ${code}` })
}
