/**
 * A program that keeps many objects for a while, and then makes as many that live no longer than a message, with the settings of V8 that the service has:
 * `busyHeap.ts`. It says how often the whole heap had to be looked through for those.
 */
import { Effect, Schema } from "effect"
import { constants, PerformanceObserver } from "node:perf_hooks"
import { fewerCollections } from "../../src/main/EngineMemory.ts"

/** What a message is made of. */
const message = (n: number) => ({
  id: `m${n}`,
  body: { text: "x".repeat(100) + n, values: [n, n + 1, n + 2].map((value) => ({ value })) }
})

const isMajor = Schema.is(Schema.Struct({ kind: Schema.Literal(constants.NODE_PERFORMANCE_GC_MAJOR) }))

let whole = 0
new PerformanceObserver((list) => {
  whole += list.getEntries().filter((entry) => isMajor(Reflect.get(entry, "detail"))).length
}).observe({ entryTypes: ["gc"] })

/** Each message lives until so many have come after it. */
const busy = (millis: number, lives: number) =>
  Effect.gen(function* () {
    const kept: Array<unknown> = Array.from({ length: lives })
    const until = performance.now() + millis
    let n = 0
    while (performance.now() < until) {
      for (let i = 0; i < 50_000; i++) kept[n % lives] = message(n++)
      yield* Effect.sleep(0)
    }
  })

const program = Effect.gen(function* () {
  yield* fewerCollections
  yield* busy(3_000, 200_000)
  // The observer hears of a collection a moment after it.
  yield* Effect.sleep(100)
  whole = 0
  yield* busy(2_000, 10)
  yield* Effect.sleep(100)
  console.log(`whole ${whole}`)
})
await Effect.runPromise(program)
