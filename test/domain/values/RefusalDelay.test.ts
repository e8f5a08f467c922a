/** How fast refusals are answered: a few at once, further ones of the same caller late, and those of other callers without delay. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import { lateMillis, RefusalDelay } from "../../../src/domain/values/RefusalDelay.ts"
import { fakeApp } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>> | undefined
afterEach(() => app?.close())

describe("refusals", () => {
  it("are answered at once twenty times, then late until the key has paused", () =>
    Effect.gen(function* () {
      const delay = new RefusalDelay()
      for (let n = 0; n < 20; n++) yield* delay.before("greedy")
      const late = yield* Effect.forkChild(delay.before("greedy"))
      yield* delay.before("other")
      yield* TestClock.adjust(lateMillis - 1)
      expect(late.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      yield* Fiber.join(late)
      yield* TestClock.adjust("10 seconds")
      for (let n = 0; n < 20; n++) yield* delay.before("greedy")
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))

  it("of a flood are late, while requests of another key are not", async () => {
    const rates = { requestsPerMinute: 30, wrongKeysPerMinute: 1, networkOf: () => "a network" }
    app = await fakeApp({ v2: { rateLimits: rates } })
    const { ask, key, organise } = app
    const other = await organise()
    /** The statuses that are answered soon, and how many refusals can be among them in that time: one more every half second. */
    const statuses = async (with_: string, count: number) => {
      const done: Array<number> = []
      const since = performance.now()
      for (let n = 0; n < count; n++)
        void ask("GET", "/cpo/v2/sites", { key: with_ }).then(
          ({ status }) => done.push(status),
          () => undefined
        )
      await new Promise((resume) => setTimeout(resume, 300))
      const refused = done.filter((status) => status === 429).length
      return { others: done.filter((status) => status !== 429), refused, most: 20 + (performance.now() - since) / 500 }
    }
    for (const [flood, others] of [
      [await statuses(key, 60), Array<number>(30).fill(200)],
      [await statuses("vl_wrong", 40), [401]]
    ] as const) {
      expect(flood.others).toEqual(others)
      expect(flood.refused).toBeGreaterThanOrEqual(20)
      expect(flood.refused).toBeLessThanOrEqual(flood.most)
    }
    expect((await statuses(other.key, 1)).others).toEqual([200])
  })
})
