/**
 * Contents on their way in: each is written aside, counted and hashed as it comes, and synced, before anybody is told of it. What a dead
 * process has left is swept by its age.
 */
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope, Stream } from "effect"
import { type Conflict, InvalidInput, type StorageUnavailable } from "../../domain/Errors.ts"
import { maxFileBytes, transferMillis } from "../../domain/file/StoredFile.ts"
import { blobsFailed, type Spooled } from "./Blobs.ts"

const broken = new InvalidInput({ pointer: "", detail: `The file broke off, or has more than ${maxFileBytes} bytes` })
const tried = <A>(act: () => Promise<A>) => Effect.tryPromise({ try: act, catch: blobsFailed })

/** Writes `content` aside in `folder` until the scope is closed. `received` gets how many bytes have come, before they are written, and may refuse them. */
export const spool = (
  folder: string,
  key: string,
  content: Stream.Stream<Uint8Array, unknown>,
  received: (bytes: number) => Effect.Effect<void, Conflict | StorageUnavailable>
): Effect.Effect<Spooled, Conflict | InvalidInput | StorageUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const path = join(folder, `${key}.part`)
    yield* Effect.try({ try: () => mkdirSync(folder, { recursive: true, mode: 0o700 }), catch: blobsFailed })
    yield* Effect.addFinalizer(() => Effect.promise(() => rm(path, { force: true }).catch(() => undefined)))
    const hash = createHash("sha256")
    let size = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* Effect.acquireRelease(
          tried(() => open(path, "wx", 0o600)),
          (file) => Effect.promise(() => file.close().catch(() => undefined))
        )
        const append = (chunk: Uint8Array): Effect.Effect<void, Conflict | InvalidInput | StorageUnavailable> => {
          size += chunk.length
          if (size > maxFileBytes) return Effect.fail(broken)
          hash.update(chunk)
          return Effect.andThen(
            received(size),
            tried(() => handle.writeFile(chunk))
          )
        }
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
