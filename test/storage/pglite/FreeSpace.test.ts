/** Writes are refused before the disk is full, and the file system is not asked more often than needed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { makeFreeSpace } from "../../../src/storage/pglite/FreeSpace.ts"

const mebibyte = 1024 * 1024

describe("makeFreeSpace", () => {
  it.live("lets writes through with enough room", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({
        directory: tmpdir(),
        minFreeBytes: 64 * mebibyte,
        measure: async () => 64 * mebibyte
      })
      yield* space.check
      assert.strictEqual(yield* space.bytes, 64 * mebibyte)
    })
  )

  it.live("refuses them below it, and says how much is left and what to do", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({
        directory: tmpdir(),
        minFreeBytes: 64 * mebibyte,
        measure: async () => 63.9 * mebibyte
      })
      const error = yield* Effect.flip(space.check)
      assert.strictEqual(error.reason, "full")
      assert.strictEqual(error.message, "DATA_DIR has 63 MiB left and writes stop below 64 MiB; free space on its disk")
    })
  )

  it.live("keeps half of it for some, and room for the engine's log in any case", () =>
    Effect.gen(function* () {
      const isFull = (minimum: number, free: number) => {
        const measure = async () => free * mebibyte
        const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: minimum * mebibyte, measure })
        return Effect.isFailure(space.checkHalf)
      }
      assert.deepStrictEqual([yield* isFull(64, 32), yield* isFull(64, 31)], [false, true])
      assert.deepStrictEqual([yield* isFull(200, 100), yield* isFull(200, 99)], [false, true])
      assert.deepStrictEqual([yield* isFull(40, 32), yield* isFull(40, 31)], [false, true])
      assert.deepStrictEqual([yield* isFull(8, 8), yield* isFull(8, 7)], [false, true])
    })
  )

  it.live("refuses where more bytes would go below it", () =>
    Effect.gen(function* () {
      const measure = async () => 100
      const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 60, measure })
      yield* space.checkFor(40)
      assert.strictEqual((yield* Effect.flip(space.checkFor(41))).reason, "full")
    })
  )

  it.live("asks once for all who ask at once and shortly after, and again later", () =>
    Effect.gen(function* () {
      let asked = 0
      const measure = async () => (asked += 1) * 100
      const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 0, measure })
      yield* Effect.forEach(Array.from({ length: 50 }), () => space.check, { concurrency: "unbounded" })
      yield* space.check
      assert.strictEqual(asked, 1)
      yield* Effect.sleep("260 millis")
      assert.strictEqual(yield* space.bytes, 200)
    })
  )

  it.live("does not stop the service because a file system will not tell", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({ directory: "/nowhere/at/all", minFreeBytes: 64 * mebibyte })
      yield* space.check
      assert.isUndefined(yield* space.bytes)
    })
  )

  it.live("asks the real one", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 2 ** 60 })
      assert.isAbove((yield* space.bytes) ?? 0, 0)
      assert.strictEqual((yield* Effect.flip(space.check)).reason, "full")
    })
  )
})
