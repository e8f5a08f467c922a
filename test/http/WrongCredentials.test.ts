/** How many wrong credentials a network may send, what becomes of its look-ups then, and which of them do not wait. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { wrongCredentials } from "../../src/http/WrongCredentials.ts"

const named = (text: string): Uint8Array => Buffer.from(text)
const run = <A, E>(test: Effect.Effect<A, E>) => test.pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

describe("a network with too many wrong credentials", () => {
  it("is refused with the time to wait, until that has passed; others are not", () =>
    run(
      Effect.gen(function* () {
        const { count } = wrongCredentials(2)
        yield* count("one")
        yield* count("one")
        expect(yield* Effect.flip(count("one"))).toMatchObject({ code: "too_many_wrong_keys", retryAfterSeconds: 30 })
        yield* count("other")
        yield* TestClock.adjust("30 seconds")
        yield* count("one")
      })
    ))

  it("has its look-ups done one at a time, while right credentials and other networks do not wait", () =>
    run(
      Effect.gen(function* () {
        const { count, lookUp } = wrongCredentials(1)
        yield* lookUp("one", named("right"), Effect.succeed("a partner"))
        yield* count("one")
        const slow = yield* Deferred.make<string | undefined>()
        const first = yield* Effect.forkChild(lookUp("one", named("a"), Deferred.await(slow)))
        const second = yield* Effect.forkChild(lookUp("one", named("b"), Effect.succeed("another")))
        yield* Effect.yieldNow
        expect(second.pollUnsafe()).toBeUndefined()
        expect(yield* lookUp("one", named("right"), Effect.succeed("a partner"))).toBe("a partner")
        expect(yield* lookUp("other", named("c"), Effect.succeed("their partner"))).toBe("their partner")
        yield* Deferred.succeed(slow, undefined)
        expect([yield* Fiber.join(first), yield* Fiber.join(second)]).toEqual([undefined, "another"])
      })
    ))

  it("cannot avoid the limit with many networks", () =>
    run(
      Effect.gen(function* () {
        const { count } = wrongCredentials(2)
        for (let n = 0; n < 20; n++) yield* count(`network ${n}`)
        expect((yield* Effect.flip(count("one more"))).retryAfterSeconds).toBeGreaterThan(0)
      })
    ))
})
