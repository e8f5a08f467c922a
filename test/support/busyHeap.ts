/**
 * A program that keeps many objects for a while, and then creates as many that live no longer than a message, with the V8 settings of the service:
 * `busyHeap.ts`. It prints by how many MB the old space of the heap grew in the second phase.
 */
import { Effect } from "effect"
import { getHeapSpaceStatistics } from "node:v8"
import { fewerCollections } from "../../src/main/EngineMemory.ts"

/** An object of the size of a message. */
const message = (n: number) => ({
  id: `m${n}`,
  body: { text: "x".repeat(100) + n, values: [n, n + 1, n + 2].map((value) => ({ value })) }
})

/** Bytes in the old space. */
const old = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0

/** Creates so many messages, each of which lives until `lives` more have been created; returns the largest growth of the old space in bytes. */
const busy = (messages: number, lives: number) =>
  Effect.gen(function* () {
    const kept: Array<unknown> = Array.from({ length: lives })
    const before = old()
    let grown = 0
    for (let n = 0; n < messages;) {
      for (let i = 0; i < 50_000; i++) kept[n % lives] = message(n++)
      grown = Math.max(grown, old() - before)
      yield* Effect.sleep(0)
    }
    return grown
  })

const program = Effect.gen(function* () {
  yield* fewerCollections
  yield* busy(4_000_000, 200_000)
  const grown = yield* busy(2_000_000, 10)
  console.log(`grown ${Math.round(grown / 1e6)} MB`)
})
await Effect.runPromise(program)
