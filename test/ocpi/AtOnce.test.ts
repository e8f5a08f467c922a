import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { lateMillis } from "../../src/domain/values/RefusalDelay.ts"
import { atOnce } from "../../src/ocpi/server/AtOnce.ts"

describe("concurrent requests of one partner", () => {
  it("are refused above the limit, do not affect other partners, and are accepted again once one has ended", async () => {
    const outcome = await Effect.runPromise(
      Effect.gen(function* () {
        const bounded = atOnce(2)
        const gate = yield* Deferred.make<void>()
        const wait = bounded("a", Deferred.await(gate))
        const first = yield* Effect.forkChild(wait)
        const second = yield* Effect.forkChild(wait)
        yield* Effect.yieldNow
        const third = yield* Effect.exit(bounded("a", Effect.succeed("done")))
        const other = yield* Effect.exit(bounded("b", Effect.succeed("done")))
        yield* Fiber.interrupt(first)
        const failing = yield* Effect.exit(bounded("a", Effect.fail("its own")))
        const after = yield* Effect.exit(bounded("a", Effect.succeed("done")))
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(second)
        return { third, other, failing, after }
      })
    )
    expect(Exit.isFailure(outcome.third)).toBe(true)
    expect(JSON.stringify(outcome.third)).toContain("TooMany")
    expect(outcome.other).toEqual(Exit.succeed("done"))
    expect(outcome.failing).toEqual(Exit.fail("its own"))
    expect(outcome.after).toEqual(Exit.succeed("done"))
  })

  it("are refused late once twenty were refused, so that a partner that ignores refusals costs little", () =>
    Effect.gen(function* () {
      const bounded = atOnce(1)
      const gate = yield* Deferred.make<void>()
      yield* Effect.forkChild(bounded("a", Deferred.await(gate)))
      yield* Effect.yieldNow
      for (let n = 0; n < 20; n++) yield* Effect.flip(bounded("a", Effect.void))
      const late = yield* Effect.forkChild(Effect.flip(bounded("a", Effect.void)))
      yield* TestClock.adjust(lateMillis - 1)
      expect(late.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(late)).toMatchObject({ reason: { _tag: "TooMany" } })
      yield* Deferred.succeed(gate, undefined)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})
