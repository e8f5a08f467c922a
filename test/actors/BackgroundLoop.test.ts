/** Rounds run at their interval, at once on a notification and rarely without one, and are repeated after a failure. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { guardedStep, rounds } from "../../src/actors/background/BackgroundLoop.ts"
import { layer as tokenPulling } from "../../src/actors/background/TokenPulling.ts"
import { Events } from "../../src/domain/event/Events.ts"
import { StorageUnavailable } from "../../src/domain/Errors.ts"
import { TokenFetcher } from "../../src/domain/roaming/TokenFetcher.ts"

const away = new StorageUnavailable({ reason: "down", message: "away" })

describe("a step of a loop", () => {
  it.effect("logs once that the database is away, and again after it was back", () =>
    Effect.gen(function* () {
      const said: Array<unknown> = []
      let waits = 0
      const outcomes = [away, away, true, away, new Error("a defect"), false]
      const step = guardedStep(
        Effect.suspend(() => {
          const next = outcomes.shift()
          if (next instanceof StorageUnavailable) return Effect.fail(next)
          return next instanceof Error ? Effect.die(next) : Effect.succeed(next === true)
        }),
        {
          name: "test",
          log: (message) => Effect.sync(() => said.push(message)),
          whenAway: Effect.sync(() => waits++)
        }
      )
      const seen: Array<readonly [boolean, number, number]> = []
      while (outcomes.length > 0) seen.push([yield* step, said.length, waits])
      expect(seen).toEqual([
        [false, 1, 1],
        [false, 1, 2],
        [true, 1, 2],
        [false, 2, 3],
        [false, 2, 3],
        [false, 2, 3]
      ])
      expect(said[0]).toBe("test: waiting for the database")
    })
  )

  it.effect("ends when it is interrupted", () =>
    Effect.gen(function* () {
      let steps = 0
      const step = guardedStep(
        Effect.andThen(
          Effect.sync(() => void steps++),
          Effect.interrupt
        ),
        { name: "test" }
      )
      expect(Exit.isFailure(yield* Effect.exit(Effect.forever(step)))).toBe(true)
      expect(steps).toBe(1)
    })
  )
})

describe("rounds", () => {
  it.effect("run on a notification, after a pause, and now and then without one", () =>
    Effect.gen(function* () {
      const notifications = yield* Queue.unbounded<void>()
      let count = 0
      const round = Effect.sync(() => {
        count++
        return false
      })
      const wakeups = { notifications: Stream.fromQueue(notifications), otherwiseEveryMillis: 5_000 }
      yield* rounds({ name: "test", everyMillis: 1_000, wakeups, round })
      const after = (millis: number) => Effect.map(TestClock.adjust(millis), () => count)
      expect(yield* after(1_000)).toBe(1)
      // Notifications before the first round are not known, so a second one follows.
      expect(yield* after(1_000)).toBe(2)
      expect(yield* after(4_000)).toBe(2)
      yield* Queue.offer(notifications, undefined)
      yield* Queue.offer(notifications, undefined)
      expect(yield* after(0)).toBe(3)
      yield* Queue.offer(notifications, undefined)
      expect(yield* after(999)).toBe(3)
      expect(yield* after(1)).toBe(4)
      expect(yield* after(4_999)).toBe(4)
      expect(yield* after(1)).toBe(5)
    })
  )

  it.effect("run at their interval for a while after the start and after a notification, and then only rarely", () =>
    Effect.gen(function* () {
      const notifications = yield* Queue.unbounded<void>()
      let count = 0
      const round = Effect.sync(() => {
        count++
        return false
      })
      const wakeups = {
        notifications: Stream.fromQueue(notifications),
        otherwiseEveryMillis: 60_000,
        livelyMillis: 10_000
      }
      yield* rounds({ name: "test", everyMillis: 1_000, wakeups, round })
      const during = (millis: number) => {
        count = 0
        return Effect.map(TestClock.adjust(millis), () => count)
      }
      expect(yield* during(10_000)).toBe(10)
      expect(yield* during(59_000)).toBe(0)
      expect(yield* during(1_000)).toBe(1)
      yield* TestClock.adjust(30_000)
      yield* Queue.offer(notifications, undefined)
      expect(yield* during(10_000)).toBeGreaterThanOrEqual(10)
      yield* TestClock.adjust(1_000)
      expect(yield* during(58_000)).toBe(0)
    })
  )

  it.effect("run when something is due by the clock, and no sooner than their interval allows", () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      const due = [7_500, -3, undefined]
      const round = Effect.map(Clock.currentTimeMillis, (now) => {
        at.push(now)
        return false
      })
      const untilDue = Effect.sync(() => due.shift())
      const wakeups = { notifications: Stream.never, otherwiseEveryMillis: 60_000, untilDue }
      yield* rounds({ name: "test", everyMillis: 1_000, wakeups, round })
      yield* TestClock.adjust(70_000)
      // The second runs at once: notifications before the first round are not known.
      expect(at).toEqual([1_000, 2_000, 3_000, 63_000])
    })
  )

  it.effect("run ten times as often while each finds much to do, but still wait for a notification", () =>
    Effect.gen(function* () {
      const notifications = yield* Queue.unbounded<void>()
      const at: Array<number> = []
      const found = ["much", "much", false, "much", false] as const
      const round = Effect.map(Clock.currentTimeMillis, (now) => found[at.push(now) - 1] ?? false)
      const wakeups = { notifications: Stream.fromQueue(notifications), otherwiseEveryMillis: 60_000 }
      yield* rounds({ name: "test", everyMillis: 1_000, wakeups, round })
      const said = (millis: number) => Effect.andThen(TestClock.adjust(millis), Queue.offer(notifications, undefined))
      for (let i = 0; i < 13; i++) yield* said(100)
      yield* TestClock.adjust(1_000)
      // After the third, which found little, a notification waits for a whole second.
      expect(at).toEqual([1_000, 1_100, 1_200, 2_200])
      yield* TestClock.adjust(10_000)
      expect(at).toHaveLength(4)
      yield* said(0)
      yield* TestClock.adjust(0)
      expect(at.at(-1)).toBe(12_300)
    })
  )

  it.effect("are repeated soon when the database was away, even without a notification", () =>
    Effect.gen(function* () {
      let count = 0
      const round = Effect.suspend(() => (count++ < 3 ? Effect.fail(away) : Effect.succeed(false)))
      const wakeups = { notifications: Stream.never, otherwiseEveryMillis: 60_000 }
      yield* rounds({ name: "test", everyMillis: 1_000, wakeups, round })
      yield* TestClock.adjust(4_000)
      expect(count).toBe(4)
    })
  )

  it.effect("that fetch partners' tokens run in parallel, so that a long fetch does not delay others", () =>
    Effect.gen(function* () {
      const looks: Array<number> = []
      const long = new Set([2])
      const fetchDue = Effect.gen(function* () {
        looks.push((yield* Clock.currentTimeMillis) / 1000)
        if (long.has(looks.length)) return yield* Effect.never
        return false
      })
      yield* Effect.gen(function* () {
        yield* TestClock.adjust(26_000)
        expect(looks).toEqual([1.5, 3, 4.5, 6, 26])
      }).pipe(
        Effect.provide(tokenPulling()),
        Effect.provideService(TokenFetcher, TokenFetcher.of({ fetchDue })),
        Effect.provideService(Events, { committed: Stream.never } as never)
      )
    })
  )
})
