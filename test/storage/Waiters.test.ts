/** Callers that wait for the end of a command are woken by it, even if it comes between their look-up and their wait. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeWaiters } from "../../src/storage/kernel/Waiters.ts"

/** Whether a wait is over by now. */
const isOver = (fiber: Fiber.Fiber<unknown>): boolean => fiber.pollUnsafe() !== undefined

describe("waiters", () => {
  it.effect("are all woken by the notification of their own command", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters()
      const [one, other, stranger] = yield* Effect.forEach(["a", "a", "b"], (id) =>
        Effect.forkChild(waiters.next(id).within(60_000))
      )
      yield* TestClock.adjust(1)
      waiters.ended("a")
      yield* TestClock.adjust(1)
      expect([one, other, stranger].map((fiber) => isOver(fiber!))).toEqual([true, true, false])
      // An empty notification: some may have been missed.
      waiters.ended("")
      yield* TestClock.adjust(1)
      expect(isOver(stranger!)).toBe(true)
    })
  )

  it.effect("receive a notification that came between look-up and wait, once", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters()
      const place = waiters.next("a")
      waiters.ended("a")
      const heard = yield* Effect.forkChild(place.within(60_000))
      yield* TestClock.adjust(1)
      expect(isOver(heard)).toBe(true)
      const again = yield* Effect.forkChild(waiters.next("a").within(60_000))
      yield* TestClock.adjust(59_999)
      expect(isOver(again)).toBe(false)
      yield* TestClock.adjust(1)
      expect(isOver(again)).toBe(true)
    })
  )

  it.effect("receive a notification that came before the first waiter, once", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters()
      waiters.ended("a")
      const first = yield* Effect.forkChild(waiters.next("a").within(60_000))
      yield* TestClock.adjust(1)
      expect(isOver(first)).toBe(true)
      const again = yield* Effect.forkChild(waiters.next("a").within(60_000))
      yield* TestClock.adjust(59_999)
      expect(isOver(again)).toBe(false)
    })
  )

  it.effect("receive the content of a notification, even if it came before or one without content followed", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters<string>()
      const waiting = yield* Effect.forkChild(waiters.next("a").within(60_000))
      yield* TestClock.adjust(1)
      for (const id of ["a", "b"]) {
        waiters.ended(id, `${id} is done`)
        waiters.ended(id)
      }
      const second = yield* Effect.forkChild(waiters.next("b").within(60_000))
      const never = yield* Effect.forkChild(waiters.next("c").within(1_000))
      yield* TestClock.adjust(1_000)
      expect(yield* Effect.forEach([waiting, second, never], Fiber.join)).toEqual(["a is done", "b is done", undefined])
    })
  )

  it.effect("remember the newest thousand notifications that no waiter has received", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters()
      for (let n = 0; n <= 1_000; n++) waiters.ended(`c${n}`)
      const [oldest, next, newest] = yield* Effect.forEach(["c0", "c1", "c1000"], (id) =>
        Effect.forkChild(waiters.next(id).within(60_000))
      )
      yield* TestClock.adjust(1)
      expect([oldest, next, newest].map((fiber) => isOver(fiber!))).toEqual([false, true, true])
    })
  )

  it.effect("continue to wait when another waiter of the command leaves", () =>
    Effect.gen(function* () {
      const waiters = makeWaiters()
      waiters.next("a")
      const waiting = yield* Effect.forkChild(waiters.next("a").within(60_000))
      yield* TestClock.adjust(1)
      waiters.forget("a")
      waiters.ended("a")
      yield* TestClock.adjust(1)
      expect(isOver(waiting)).toBe(true)
    })
  )
})
