/**
 * Contents on their way in: each is written aside, counted and hashed as it comes, and synced, before it is announced. One that comes too slowly
 * is given up. What a dead process has left is swept by its age.
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
  detail: `The file broke off, or has more than ${maxFileBytes} bytes`
})
const tried = <A>(act: () => Promise<A>) => Effect.tryPromise({ try: act, catch: blobsFailed })

export const tooSlow = new InvalidInput({ pointer: "", detail: "The file came too slowly" })

/** Whether bytes come at less than `slowest` a second, mean of each `speedWindowMillis`. */
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

/** By a monotonic clock, so that a correction of the time does not end uploads. */
const nowMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

export interface Spooling {
  readonly folder: string
  readonly key: string
  readonly content: Stream.Stream<Uint8Array, unknown>
  readonly slowestBytesPerSecond: number
  /** Gets how many bytes have come, before they are written, and may refuse them. */
  readonly received: (bytes: number) => Effect.Effect<void, Conflict | StorageUnavailable>
}

/** Writes the content aside in `folder` until the scope is closed. */
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
    // The sender is not slow while it is we who take our time.
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

/** Removes what was begun longer ago than any transfer takes; answers how many there were. */
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
