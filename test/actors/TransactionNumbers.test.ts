import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TransactionNumbers from "../../src/actors/TransactionNumbers.ts"

const keys = [1, 2, 3, 4]

describe("transaction numbers", () => {
  it.effect("are not available before the first block, and never repeat over many blocks", () =>
    Effect.gen(function* () {
      let next = 1
      let blocks = 0
      const numbers = TransactionNumbers.make((size) => {
        const from = next
        next += size
        blocks++
        return Effect.succeed(from)
      }, keys)
      assert.isUndefined(numbers.peek())
      const seen = new Set<number>()
      for (let i = 0; i < 5000; i++) {
        if (numbers.peek() === undefined || (numbers.low() && i % 7 === 0)) yield* numbers.refill
        const id = numbers.peek()
        assert.isDefined(id)
        assert.isTrue(Number.isInteger(id) && id! > 0 && id! <= 0x7fffffff)
        assert.isFalse(seen.has(id!))
        seen.add(id!)
        numbers.advance()
      }
      assert.isAtMost(blocks, 6)
    })
  )

  it.effect("are fetched once when many ask at the same time", () =>
    Effect.gen(function* () {
      let blocks = 0
      const numbers = TransactionNumbers.make((size) => Effect.sync(() => 1 + size * blocks++), keys)
      yield* Effect.all(
        Array.from({ length: 50 }, () => numbers.refill),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(blocks, 1)
    })
  )
})
