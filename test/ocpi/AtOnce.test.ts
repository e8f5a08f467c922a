import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
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
})
