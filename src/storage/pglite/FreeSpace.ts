/**
 * The free-space guard of the embedded database. When its log cannot grow, the engine does not fail but hangs; so writes are refused
 * while there is still room, and reads go on.
 */
import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { StorageUnavailable } from "../../domain/Errors.ts"

/** How long an answer of the file system is believed: shorter than the guard's reserve takes to fill at the disk's full speed. */
const cacheMillis = 250

/** The engine's log grows by segments of 16 MiB: with less left than one, the next write may hang. */
const twoSegments = 32 * 1024 * 1024

export interface FreeSpace {
  /** Bytes that this process may still use on the disk of the directory; undefined when the file system does not tell. */
  readonly bytes: Effect.Effect<number | undefined>
  /** Fails with reason `full` below the minimum. At most one question to the file system per 250 ms, however many ask. */
  readonly check: Effect.Effect<void, StorageUnavailable>
  /** The same below half of the minimum; where that is too little for the engine, below the minimum. */
  readonly checkHalf: Effect.Effect<void, StorageUnavailable>
  /** The same where `more` bytes would go below the minimum. */
  readonly checkFor: (more: number) => Effect.Effect<void, StorageUnavailable>
}

const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024)

export const makeFreeSpace = (options: {
  readonly directory: string
  readonly minFreeBytes: number
  /** Replaces the question to the file system, for tests. */
  readonly measure?: () => Promise<number>
}): FreeSpace => {
  const measure =
    options.measure ??
    (async () => {
      const { bavail, bsize } = await statfs(options.directory)
      return bavail * bsize
    })
  let last: { readonly at: number; readonly bytes: number | undefined } | undefined
  let asking: Promise<number | undefined> | undefined
  // A file system that does not answer must not stop the service: what is unknown is not full.
  const ask = (): Promise<number | undefined> => {
    asking ??= measure()
      .catch(() => undefined)
      .then((bytes) => {
        last = { at: performance.now(), bytes }
        asking = undefined
        return bytes
      })
    return asking
  }
  const bytes = Effect.suspend(() =>
    last !== undefined && performance.now() - last.at < cacheMillis ? Effect.succeed(last.bytes) : Effect.promise(ask)
  )
  const full = (free: number): StorageUnavailable =>
    new StorageUnavailable({
      reason: "full",
      message:
        `DATA_DIR has ${mebibytes(free)} MiB left and writes stop below ${mebibytes(options.minFreeBytes)} MiB; ` +
        "free space on its disk"
    })
  const atLeast = (minimum: number) =>
    Effect.flatMap(bytes, (free) => (free !== undefined && free < minimum ? Effect.fail(full(free)) : Effect.void))
  return {
    bytes,
    check: atLeast(options.minFreeBytes),
    checkHalf: atLeast(Math.max(options.minFreeBytes / 2, Math.min(options.minFreeBytes, twoSegments))),
    checkFor: (more) => atLeast(options.minFreeBytes + more)
  }
}
