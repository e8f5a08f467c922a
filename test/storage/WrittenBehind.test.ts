import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { writeBehind } from "../../src/storage/kernel/WrittenBehind.ts"

const down = new StorageUnavailable({ reason: "down", message: "away" })

/** A store that writes two numbers at a time to a database that can be down or slow. */
const makeStore = () => {
  const store = { waiting: [] as Array<number>, written: [] as Array<number>, tries: 0, away: false, writeMillis: 0 }
  const write = Effect.gen(function* () {
    store.tries++
    if (store.away) return yield* down
    const numbers = store.waiting.splice(0, 2)
    yield* Effect.sleep(store.writeMillis)
    store.written.push(...numbers)
    return numbers.length
  })
  return { store, options: { name: "numbers", everyMillis: 1_000, waiting: () => store.waiting.length, write } }
}

const listening = () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  return { lines, logger }
}

describe("what is written behind", () => {
  it.effect("is written completely at each interval, in order", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      yield* Effect.asVoid(writeBehind(options))
      store.waiting.push(1, 2, 3, 4, 5)
      assert.deepStrictEqual(store.written, [])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(store.written, [1, 2, 3, 4, 5])
    })
  })

  it.effect("waits while the database is down, is retried once an interval, and is logged once", () => {
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

  it.effect("is written once an interval, even when more arrives than is written meanwhile", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      store.writeMillis = 10
      yield* Effect.asVoid(writeBehind(options))
      const coming = Effect.delay(
        Effect.sync(() => store.waiting.push(1)),
        4
      )
      yield* Effect.forkScoped(Effect.forever(coming))
      yield* TestClock.adjust(999)
      assert.strictEqual(store.tries, 0)
      // Those of the first interval take 1,250 ms, and the next flush begins an interval after that.
      yield* TestClock.adjust(2_200)
      const { tries, waiting } = store
      const left = waiting.length
      store.writeMillis = 0
      yield* TestClock.adjust(10)
      assert.strictEqual(tries, 125)
      assert.isAtLeast(left, 500)
    })
  })

  it.effect("is written immediately on request, with all that was waiting", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      const flush = yield* writeBehind(options)
      store.waiting.push(1, 2, 3)
      yield* flush
      assert.deepStrictEqual(store.written, [1, 2, 3])
    })
  })

  it.effect("is written once more at the end, with what arrives during that write", () => {
    const { options, store } = makeStore()
    const write = Effect.tap(options.write, () =>
      Effect.sync(() => (store.written.length < 4 ? store.waiting.push(9, 9) : 0))
    )
    return Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.asVoid(writeBehind({ ...options, write }))
          store.waiting.push(1)
        })
      )
      assert.deepStrictEqual(store.written, [1, 9, 9, 9, 9])
    })
  })

  it.effect("is not checked while nothing is waiting, and is written an interval after it began to wait", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      const pending = Latch.makeUnsafe(false)
      let looks = 0
      const waiting = () => {
        looks++
        return options.waiting()
      }
      yield* Effect.asVoid(writeBehind({ ...options, waiting, pending }))
      yield* TestClock.adjust(60_000)
      assert.strictEqual(looks, 0)
      store.waiting.push(1)
      pending.openUnsafe()
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(store.written, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(store.written, [1])
      const after = looks
      yield* TestClock.adjust(60_000)
      assert.strictEqual(looks, after)
      // After a failure it is retried at each interval, without another signal.
      store.away = true
      store.waiting.push(2)
      pending.openUnsafe()
      yield* TestClock.adjust(3_000)
      store.away = false
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(store.written, [1, 2])
    })
  })

  it.effect("is written as soon as a statement is full, but not while the database is down", () => {
    const { options, store } = makeStore()
    return Effect.gen(function* () {
      const full = Latch.makeUnsafe(false)
      const add = (number: number) => {
        if (store.waiting.push(number) >= 2) full.openUnsafe()
      }
      yield* Effect.asVoid(writeBehind({ ...options, full }))
      add(1)
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(store.written, [])
      add(2)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(store.written, [1, 2])
      add(3)
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(store.written, [1, 2])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(store.written, [1, 2, 3])
      store.away = true
      add(4)
      add(5)
      yield* TestClock.adjust(0)
      const { tries } = store
      add(6)
      yield* TestClock.adjust(999)
      assert.strictEqual(store.tries, tries)
      store.away = false
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(store.written, [1, 2, 3, 4, 5, 6])
    })
  })

  it.effect("is written at the end", () => {
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
