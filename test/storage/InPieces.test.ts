/** Deleting in pieces: everything is deleted, with pauses between. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { deletedInPieces } from "../../src/storage/kernel/InPieces.ts"

const rowsOf = (count: number) => Array.from({ length: count }, () => 1)

describe("Deleting in pieces", () => {
  it.effect("continues until everything is deleted, and pauses after a number of statements", () =>
    Effect.gen(function* () {
      let left = 1_004
      let statements = 0
      const fiber = yield* Effect.forkChild(
        deletedInPieces({ rows: 10, statements: 25 }, (rows) =>
          Effect.sync(() => {
            statements++
            const some = Math.min(rows, left)
            left -= some
            return rowsOf(some)
          })
        )
      )
      yield* TestClock.adjust(0)
      assert.strictEqual(statements, 25)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), 1_004)
      assert.deepStrictEqual([statements, left], [101, 0])
    })
  )

  it.effect("does not pause where there is little to delete", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* deletedInPieces({ rows: 10, statements: 1 }, () => Effect.succeed(rowsOf(9))), 9)
    })
  )
})
