/** Writes are refused before the disk is full, and the file system is not asked more often than needed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { describe } from "vitest"
import { makeFreeSpace } from "../../../src/storage/pglite/FreeSpace.ts"

const mebibyte = 1024 * 1024

describe("makeFreeSpace", () => {
  it.live("allows writes with enough space", () =>
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

  it.live("refuses writes below the minimum, and says how much is left and what to do", () =>
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

  it.live("allows some writes down to half the minimum, but keeps space for the engine's log", () =>
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

  it.live("refuses a write whose bytes would go below the minimum", () =>
    Effect.gen(function* () {
      const measure = async () => 100
      const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 60, measure })
      yield* space.checkFor(40)
      assert.strictEqual((yield* Effect.flip(space.checkFor(41))).reason, "full")
    })
  )

  it.live("measures once for concurrent checks and shortly after, and again later", () =>
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

  it.live("allows writes when the file system cannot be measured", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({ directory: "/nowhere/at/all", minFreeBytes: 64 * mebibyte })
      yield* space.check
      assert.isUndefined(yield* space.bytes)
    })
  )

  it.live("measures the real file system", () =>
    Effect.gen(function* () {
      const space = makeFreeSpace({ directory: tmpdir(), minFreeBytes: 2 ** 60 })
      assert.isAbove((yield* space.bytes) ?? 0, 0)
      assert.strictEqual((yield* Effect.flip(space.check)).reason, "full")
    })
  )
})
