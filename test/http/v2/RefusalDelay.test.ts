/** How fast refusals are answered: a few at once, those of whoever goes on late, and never those of others. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import { lateMillis, RefusalDelay } from "../../../src/http/v2/requests/RefusalDelay.ts"
import { fakeApp } from "../../support/restApp.ts"

let app: Awaited<ReturnType<typeof fakeApp>> | undefined
afterEach(() => app?.close())

describe("refusals", () => {
  it("are answered at once twenty times, then late until the key has been quiet", () =>
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

  it("of a flood are late, and requests of another key are not", async () => {
    const rates = { requestsPerMinute: 30, wrongKeysPerMinute: 1, networkOf: () => "a network" }
    app = await fakeApp({ v2: { rateLimits: rates } })
    const { ask, key, organise } = app
    const other = await organise()
    const statuses = async (with_: string, count: number) => {
      const done: Array<number> = []
      for (let n = 0; n < count; n++)
        void ask("GET", "/cpo/v2/sites", { key: with_ }).then(
          ({ status }) => done.push(status),
          () => undefined
        )
      await new Promise((resume) => setTimeout(resume, 300))
      return done
    }
    expect((await statuses(key, 60)).toSorted()).toEqual([...Array(30).fill(200), ...Array(20).fill(429)])
    expect((await statuses("vl_wrong", 40)).toSorted()).toEqual([401, ...Array(20).fill(429)])
    expect(await statuses(other.key, 1)).toEqual([200])
  })
})
