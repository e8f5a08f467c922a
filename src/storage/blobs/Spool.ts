/**
 * Receives contents into temporary files: each is counted and hashed as it arrives, and synced before it is reported as complete. An upload
 * that is too slow is aborted. Files that a dead process left behind are removed by their age.
 */
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, type Scope, Stream } from "effect"
import { type Conflict, InvalidInput, type StorageUnavailable } from "../../domain/Errors.ts"
import { maxFileBytes, speedWindowMillis, transferMillis } from "../../domain/file/StoredFile.ts"
import { blobsFailed, type Spooled } from "./Blobs.ts"

export const broken = new InvalidInput({
  pointer: "",
  detail: `The upload broke off, or the file has more than ${maxFileBytes} bytes`
})
const tried = <A>(act: () => Promise<A>) => Effect.tryPromise({ try: act, catch: blobsFailed })

export const tooSlow = new InvalidInput({ pointer: "", detail: "The upload was too slow" })

/** Checks whether fewer than `slowest` bytes arrive per second, on average over each `speedWindowMillis`. */
const makeSlownessCheck = (slowest: number, start: number) => {
  let since = start
  let bytes = 0
  return (more: number, at: number): boolean => {
    bytes += more
    const millis = at - since
    if (millis < speedWindowMillis) return false
    const isTooSlow = bytes * 1000 < slowest * millis
    since = at
    bytes = 0
    return isTooSlow
  }
}

/** A monotonic clock, so that a correction of the system time does not abort uploads. */
const nowMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export interface Spooling {
  readonly folder: string
  readonly key: string
  readonly content: Stream.Stream<Uint8Array, unknown>
  readonly slowestBytesPerSecond: number
  /** Called with the number of bytes received so far, before they are written; may refuse them. */
  readonly received: (bytes: number) => Effect.Effect<void, Conflict | StorageUnavailable>
}

/** Writes the content to a temporary file in `folder` that is removed when the scope closes. */
export const spool = ({
  content,
  folder,
  key,
  received,
  slowestBytesPerSecond
}: Spooling): Effect.Effect<Spooled, Conflict | InvalidInput | StorageUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const path = join(folder, `${key}.part`)
    yield* Effect.try({ try: () => mkdirSync(folder, { recursive: true, mode: 0o700 }), catch: blobsFailed })
    yield* Effect.addFinalizer(() => Effect.promise(() => rm(path, { force: true }).catch(() => undefined)))
    const hash = createHash("sha256")
    let size = 0
    const isTooSlow = makeSlownessCheck(slowestBytesPerSecond, yield* nowMillis)
    // The time that we spend on writing does not count as slowness of the sender.
    let ours = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* Effect.acquireRelease(
          tried(() => open(path, "wx", 0o600)),
          (file) => Effect.promise(() => file.close().catch(() => undefined))
        )
        const append = Effect.fnUntraced(function* (chunk: Uint8Array) {
          const came = yield* nowMillis
          if (isTooSlow(chunk.length, came - ours)) return yield* tooSlow
          size += chunk.length
          if (size > maxFileBytes) return yield* broken
          hash.update(chunk)
          yield* received(size)
          yield* tried(() => handle.writeFile(chunk))
          ours += (yield* nowMillis) - came
        })
        yield* Stream.runForEach(
          Stream.mapError(content, (): Conflict | InvalidInput | StorageUnavailable => broken),
          append
        )
        yield* tried(() => handle.sync())
      })
    )
    return { path, size, sha256: hash.digest("hex") }
  })

/** Removes files older than any transfer takes; returns how many there were. */
export const sweepSpool = (folder: string, now: number): Effect.Effect<number> =>
  Effect.promise(async () => {
    let swept = 0
    for (const name of await readdir(folder).catch((): Array<string> => [])) {
      if (!name.endsWith(".part")) continue
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined || now - found.mtimeMs < transferMillis) continue
      await rm(path, { force: true }).then(
        () => swept++,
        () => undefined
      )
    }
    return swept
  })
