/** How the fibers of callers share the main thread, and their reads the database: what comes in meanwhile is handled between slices. */
import { Context, Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { TooMany } from "../../src/domain/Errors.ts"
import { asCaller, mapInSlices, readingFor, ThreadTime } from "../../src/domain/values/ThreadTime.ts"
import { MainThread, type MainThreadOptions, threadTime } from "../../src/main/MainThread.ts"

const places = { readsAtOnce: 3, readsAtOncePerCaller: 2, readsWaitingPerCaller: 2 }

const sharing = (options: Partial<MainThreadOptions> = {}) => {
  const time = threadTime(new MainThread({ sliceMillis: 5, transaction: undefined, ...places, ...options }))
  return <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provideService(effect, ThreadTime, time))
}

/** Uses the thread for this long, in small pieces. */
const busy = (millis: number) =>
  mapInSlices(
    Array.from({ length: millis * 16 }, (_, n) => n),
    () => {
      const until = performance.now() + 1 / 16
      while (performance.now() < until);
    }
  )

/** Counts rounds of the event loop until `ended`, each of which could handle a charger's message. */
const roundsUntil = async (ended: Promise<unknown>): Promise<number> => {
  const state = { isOver: false, rounds: 0 }
  void ended.finally(() => (state.isOver = true))
  while (!state.isOver) {
    await new Promise((resume) => setImmediate(resume))
    state.rounds++
  }
  return state.rounds
}

describe("the work of a caller", () => {
  it("is done in slices of a few milliseconds, so that the event loop turns in between", async () => {
    const rounds = await roundsUntil(sharing()(asCaller("key", busy(300))))
    expect(rounds).toBeGreaterThan(30)
  })

  it("has no longer slices if many callers work at once", async () => {
    const all = Array.from({ length: 10 }, (_, n) => asCaller(`key ${n}`, busy(30)))
    const rounds = await roundsUntil(sharing()(Effect.all(all, { concurrency: "unbounded" })))
    expect(rounds).toBeGreaterThan(30)
  })

  it("waits for that of a caller that has used less", async () => {
    const ended: Array<string> = []
    const work = (caller: string, millis: number) =>
      asCaller(
        caller,
        Effect.andThen(
          busy(millis),
          Effect.sync(() => ended.push(caller))
        )
      )
    await sharing()(
      Effect.gen(function* () {
        const greedy = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 5 }, () => work("greedy", 60)),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep(50)
        yield* work("modest", 20)
        yield* Fiber.join(greedy)
      })
    )
    // Without shares it would have had one turn in six.
    expect(ended.indexOf("modest")).toBeLessThanOrEqual(1)
  })

  it("is not stopped within a transaction, for whose locks others may wait", async () => {
    const Transaction = Context.Service<never, true>("test/Transaction")
    const options = { transaction: Transaction as unknown as MainThreadOptions["transaction"] }
    const inTransaction = Effect.provideContext(busy(100), Context.make(Transaction, true))
    const rounds = await roundsUntil(sharing(options)(asCaller("key", inTransaction)))
    expect(rounds).toBeLessThan(10)
  })

  it("does not delay what its fibers wake for others", async () => {
    const woken = await sharing()(
      Effect.gen(function* () {
        const ready = yield* Deferred.make<number>()
        const charger = yield* Effect.forkChild(Effect.map(Deferred.await(ready), (at) => performance.now() - at))
        const heavy = yield* Effect.forkChild(
          asCaller(
            "key",
            Effect.all(
              [
                busy(200),
                Effect.andThen(
                  busy(20),
                  Effect.suspend(() => Deferred.succeed(ready, performance.now()))
                ),
                busy(200)
              ],
              { concurrency: "unbounded" }
            )
          )
        )
        const took = yield* Fiber.join(charger)
        yield* Fiber.join(heavy)
        return took
      })
    )
    expect(woken).toBeLessThan(100)
  })
})

describe("the reads of a caller", () => {
  /** Reads that last until they are ended, with the names of those that have begun. */
  const slowReads = () => {
    const begun: Array<string> = []
    const ends: Array<() => void> = []
    const read = (caller: string) =>
      readingFor(
        caller,
        Effect.callback<string>((resume) => {
          begun.push(caller)
          ends.push(() => resume(Effect.succeed(caller)))
        })
      )
    return { begun, ends, read }
  }

  it("have fewer places than all, and the places of others are not taken by those that wait", async () => {
    const { begun, ends, read } = slowReads()
    const run = sharing()
    const [a, b] = ["a", "b"]
    const reads = [a, a, a, a, b, b].map((caller) => run(read(caller)))
    await Effect.runPromise(Effect.sleep(10))
    expect(begun).toEqual([a, a, b])
    ends[0]?.()
    await Effect.runPromise(Effect.sleep(10))
    expect(begun).toHaveLength(4)
    for (let n = 1; n < 6; n++) {
      ends[n]?.()
      await Effect.runPromise(Effect.sleep(5))
    }
    expect(await Promise.all(reads)).toEqual([a, a, a, a, b, b])
  })

  it("are refused when too many of the caller wait, and only those of this caller", async () => {
    const { begun, ends, read } = slowReads()
    const run = sharing()
    const reads = Array.from({ length: 4 }, () => run(read("a")))
    await Effect.runPromise(Effect.sleep(10))
    expect(await run(Effect.flip(read("a")))).toBeInstanceOf(TooMany)
    const other = run(read("b"))
    await Effect.runPromise(Effect.sleep(10))
    expect(begun).toEqual(["a", "a", "b"])
    for (let n = 0; n < 5; n++) {
      ends[n]?.()
      await Effect.runPromise(Effect.sleep(5))
    }
    await Promise.all([...reads, other])
  })

  it("give up their place in the queue when the client leaves", async () => {
    const { begun, ends, read } = slowReads()
    await sharing()(
      Effect.gen(function* () {
        const fibers = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(read("a")))
        yield* Effect.sleep(10)
        yield* Effect.forEach(fibers.slice(2), Fiber.interrupt)
        ends[0]?.()
        ends[1]?.()
        const again = yield* Effect.forkChild(read("a"))
        yield* Effect.sleep(10)
        ends[2]?.()
        return yield* Fiber.join(again)
      })
    )
    expect(begun).toHaveLength(3)
  })
})
