/**
 * The free-space guard of the embedded database. If its log cannot grow, the engine hangs instead of failing. Writes are therefore refused
 * while there is still room; reads continue.
 */
import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { StorageUnavailable } from "../../domain/Errors.ts"

/** How long a result of the file system is reused. The guard's reserve cannot be filled in this time, even at the disk's full speed. */
const cacheMillis = 250

/** The engine's log grows by segments of 16 MiB. With less space than one segment, the next write may hang. */
const twoSegments = 32 * 1024 * 1024

export interface FreeSpace {
  /** Bytes that this process may still use on the directory's disk; undefined if the file system does not report it. */
  readonly bytes: Effect.Effect<number | undefined>
  /** Fails with reason `full` below the minimum. Asks the file system at most once per 250 ms, however often it is called. */
  readonly check: Effect.Effect<void, StorageUnavailable>
  /** Like `check`, with half of the minimum, but at least 32 MiB (or the minimum, if that is lower). */
  readonly checkHalf: Effect.Effect<void, StorageUnavailable>
  /** Like `check`, for a write of `more` bytes: fails if less than the minimum would be left. */
  readonly checkFor: (more: number) => Effect.Effect<void, StorageUnavailable>
}

const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 / 1024)

export const makeFreeSpace = (options: {
  readonly directory: string
  readonly minFreeBytes: number
  /** Replaces the call to the file system, for tests. */
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
  // A file system that does not answer must not stop the service, so an unknown size does not count as full.
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
