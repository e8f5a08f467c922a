import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { writeBehind } from "../../src/storage/kernel/WrittenBehind.ts"

const down = new StorageUnavailable({ reason: "down", message: "away" })

/** A store of numbers, two at a time, whose database can be taken away. */
const makeStore = () => {
  const store = { waiting: [] as Array<number>, written: [] as Array<number>, tries: 0, away: false }
  const write = Effect.suspend(() => {
    store.tries++
    if (store.away) return Effect.fail(down)
    store.written.push(...store.waiting.splice(0, 2))
    return Effect.void
  })
  return { store, options: { name: "numbers", everyMillis: 1_000, waits: () => store.waiting.length > 0, write } }
}

const listening = () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  return { lines, logger }
}

describe("what is written behind", () => {
  it.effect("is written whole at each interval, in its order", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      yield* Effect.asVoid(writeBehind(options))
      store.waiting.push(1, 2, 3, 4, 5)
      assert.deepStrictEqual(store.written, [])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(store.written, [1, 2, 3, 4, 5])
    })
  })

  it.effect("waits while the database is away, is tried once an interval, and that is said once", () => {
    const { options, store } = makeStore()
    const { lines, logger } = listening()
    return Effect.gen(function* () {
      yield* Effect.asVoid(writeBehind(options))
      store.away = true
      store.waiting.push(1, 2, 3)
      yield* TestClock.adjust(3_000)
      assert.strictEqual(store.tries, 3)
      assert.strictEqual(lines.length, 1)
      store.away = false
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(store.written, [1, 2, 3])
      store.away = true
      store.waiting.push(4)
      yield* TestClock.adjust(1_000)
      assert.strictEqual(lines.length, 2)
    }).pipe(Effect.provide(logger))
  })

  it.effect("is written once more at the end", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.asVoid(writeBehind(options))
          store.waiting.push(1)
        })
      )
      assert.deepStrictEqual(store.written, [1])
    })
  })
})
