/** What every storage of file contents must do. */
import { createHash } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, type Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { StorageUnavailable } from "../../src/domain/Errors.ts"
import { Blobs, type Spooled } from "../../src/storage/blobs/Blobs.ts"

/** A file of its own on the disk that `folder` is on. */
export const spooled = (folder: string, content: Uint8Array): Spooled => {
  const path = join(mkdtempSync(join(folder, "spool-")), "content.part")
  writeFileSync(path, content)
  return { path, size: content.length, sha256: createHash("sha256").update(content).digest("hex") }
}

const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 13 + (i >> 9)) % 256))

export interface BlobStorage {
  readonly layer: Layer.Layer<Blobs>
  readonly folder: string
  /** The number of contents. */
  readonly count: () => number
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "voltlane-blobs-"))

export const blobsContract = (name: string, storage: () => BlobStorage): void => {
  const using = <A, E>(act: (blobs: Blobs["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromiseExit(Effect.scoped(Effect.flatMap(Blobs, act).pipe(Effect.provide(storage().layer))))
  const whole = (stream: Stream.Stream<Uint8Array, StorageUnavailable>) =>
    Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks))
  const value = <A, E>(exit: Exit.Exit<A, E>): A => {
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }

  describe(`contents ${name}`, () => {
    it("are read as they were stored, whole and in parts", async () => {
      const read = await using((blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("one", spooled(storage().folder, content))
          const parts = [
            { from: 0, to: 0 },
            { from: 65_536, to: 199_999 },
            { from: 10, to: 19 }
          ]
          return [
            yield* whole(blobs.read("one")),
            ...(yield* Effect.forEach(parts, (part) => whole(blobs.read("one", part))))
          ]
        })
      )
      const slices = [content, content.subarray(0, 1), content.subarray(65_536), content.subarray(10, 20)]
      expect(value(read).map((part) => part.equals(slices.shift()!))).toEqual([true, true, true, true])
    })

    it("may be empty", async () => {
      const read = using((blobs) =>
        Effect.andThen(blobs.put("empty", spooled(storage().folder, new Uint8Array())), whole(blobs.read("empty")))
      )
      expect(value(await read).length).toBe(0)
    })

    it("are gone once they are removed, and removing them again is no error", async () => {
      const before = storage().count()
      const counts = await using((blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("gone", spooled(storage().folder, content))
          const there = storage().count()
          yield* blobs.remove("gone")
          yield* blobs.remove("gone")
          return [there, storage().count(), (yield* Effect.flip(whole(blobs.read("gone"))))._tag]
        })
      )
      expect(value(counts)).toEqual([before + 1, before, "StorageUnavailable"])
    })

    it("can be read again after a read that stopped half-way", async () => {
      const taken = await using((blobs) =>
        Effect.gen(function* () {
          yield* blobs.put("half", spooled(storage().folder, content))
          const first = yield* Stream.runHead(blobs.read("half"))
          return [first._tag, (yield* whole(blobs.read("half"))).equals(content)]
        })
      )
      expect(value(taken)).toEqual(["Some", true])
    })
  })
}
