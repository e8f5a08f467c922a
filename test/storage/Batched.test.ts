/** Many small lookups become few statements; no answer is lost or mixed up, and no caller waits without a bound. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { describe } from "vitest"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { type BatchedOptions, makeBatched } from "../../src/storage/kernel/Batched.ts"

/** A database that answers every key with its double, when the test lets it, and remembers what it was asked. */
const makeGate = (options: Partial<BatchedOptions<number, number>> = {}) =>
  Effect.gen(function* () {
    const asked: Array<ReadonlyArray<number>> = []
    let gate = yield* Deferred.make<void>()
    let waiting = yield* Deferred.make<void>()
    const get = yield* makeBatched<number, number>({
      maxBatch: 100,
      maxQueue: 1_000,
      run: (keys) =>
        Effect.gen(function* () {
          asked.push(keys)
          const closed = gate
          yield* Deferred.succeed(waiting, undefined)
          yield* Deferred.await(closed)
          return keys.map((key) => key * 2)
        }),
      ...options
    })
    const ask = (key: number) => Effect.forkChild(get(key), { startImmediately: true })
    return {
      asked,
      get,
      ask,
      askAll: (keys: ReadonlyArray<number>) => Effect.forEach(keys, ask),
      /** The next batch has been asked. */
      arrived: Effect.suspend(() => Deferred.await(waiting)),
      /** Lets one batch through, and holds back the next one. */
      letOne: Effect.gen(function* () {
        const open = gate
        gate = yield* Deferred.make<void>()
        waiting = yield* Deferred.make<void>()
        yield* Deferred.succeed(open, undefined)
      }),
      letAll: Effect.suspend(() => Deferred.succeed(gate, undefined))
    }
  })

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
const failure = (exit: Exit.Exit<unknown, StorageUnavailable>) =>
  Exit.isFailure(exit) && exit.cause.reasons[0]?._tag === "Fail" ? exit.cause.reasons[0].error.reason : exit

describe("makeBatched", () => {
  it.live("sends concurrent keys as one batch, and the keys that arrive meanwhile as the next batch", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate()
      const first = yield* gate.askAll(range(0, 3))
      yield* gate.arrived
      const second = yield* gate.askAll(range(3, 53))
      yield* gate.letOne
      yield* gate.arrived
      yield* gate.letAll
      assert.deepStrictEqual(
        yield* Effect.forEach([...first, ...second], Fiber.join),
        range(0, 53).map((key) => key * 2)
      )
      assert.deepStrictEqual(gate.asked, [range(0, 3), range(3, 53)])
    })
  )

  it.live("sends at most `maxBatch` keys in a batch, in the order of the requests", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate({ maxBatch: 4 })
      const fibers = yield* gate.askAll(range(0, 10))
      yield* gate.letAll
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(gate.asked, [range(0, 4), range(4, 8), range(8, 10)])
    })
  )

  it.live("runs up to `concurrency` batches at the same time", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate({ maxBatch: 2, concurrency: 2 })
      const fibers = yield* gate.askAll(range(0, 6))
      yield* gate.arrived
      yield* Effect.yieldNow
      assert.strictEqual(gate.asked.length, 2)
      yield* gate.letAll
      yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(gate.asked.length, 3)
    })
  )

  it.live("refuses a key immediately when the queue is full", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate({ maxQueue: 2 })
      const asked = yield* gate.ask(0)
      yield* gate.arrived
      const waiting = yield* gate.askAll([1, 2])
      assert.strictEqual(failure(yield* Effect.exit(gate.get(3))), "busy")
      yield* gate.letAll
      assert.deepStrictEqual(yield* Effect.forEach([asked, ...waiting], Fiber.join), [0, 2, 4])
    })
  )

  it.live("times out with 'busy' for queued keys and 'down' for sent keys, and works again afterwards", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate({ maxBatch: 1, waitMillis: 30 })
      const fibers = yield* gate.askAll([1, 2])
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(exits.map(failure), ["down", "busy"])
      yield* gate.letAll
      assert.strictEqual(yield* gate.get(3), 6)
      assert.deepStrictEqual(gate.asked, [[1], [3]])
    })
  )

  it.live("drops an interrupted caller and answers the others", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate()
      const [gone, stays] = yield* gate.askAll([1, 2])
      yield* gate.arrived
      yield* Fiber.interrupt(gone!)
      yield* gate.letAll
      assert.strictEqual(yield* Fiber.join(stays!), 4)
    })
  )

  it.live("fails the whole batch when the database is down", () =>
    Effect.gen(function* () {
      const down = new StorageUnavailable({ reason: "down", message: "away" })
      const gate = yield* makeGate({ run: () => Effect.fail(down) })
      const exits = yield* Effect.forEach(yield* gate.askAll([1, 2, 3]), Fiber.await)
      assert.deepStrictEqual(exits.map(failure), ["down", "down", "down"])
    })
  )

  it.live("isolates the one key that makes a batch die, and answers all others", () =>
    Effect.gen(function* () {
      const run = (keys: ReadonlyArray<number>) =>
        keys.includes(13) ? Effect.die(new Error("unlucky")) : Effect.succeed(keys)
      const gate = yield* makeGate({ run })
      const exits = yield* Effect.forEach(yield* gate.askAll(range(0, 40)), Fiber.await)
      assert.deepStrictEqual(
        exits.flatMap((exit, key) => (Exit.isFailure(exit) ? [key] : [])),
        [13]
      )
    })
  )

  it.live("accepts a map as the answer, and uses `absent` for keys that it lacks", () =>
    Effect.gen(function* () {
      const run = (keys: ReadonlyArray<number>) =>
        Effect.succeed(new Map(keys.filter((key) => key > 1).map((key) => [key, key])))
      const gate = yield* makeGate({ run, absent: () => -1 })
      assert.deepStrictEqual(yield* Effect.forEach(yield* gate.askAll([1, 2, 2, 3]), Fiber.join), [-1, 2, 2, 3])
    })
  )

  it.live("dies when answers are missing, rather than mix up the answers of callers", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate({ run: () => Effect.succeed([]) })
      const exit = yield* Effect.exit(gate.get(1))
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  it.live("fails waiting and later callers once the service shuts down", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const gate = yield* Scope.provide(makeGate({ maxBatch: 1 }), scope)
      const fibers = yield* gate.askAll([1, 2])
      yield* gate.arrived
      yield* Scope.close(scope, Exit.void)
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(
        [...exits.map(failure), failure(yield* Effect.exit(gate.get(3)))],
        ["down", "down", "down"]
      )
    })
  )
})
