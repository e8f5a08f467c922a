/**
 * The engine that pushes to subscribers, in virtual time: order, frequent changes, an outage of an hour, permanent refusals, and a process that dies
 * in between.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaultSubscriptionOptions, layer as runner } from "../../src/actors/background/SubscriptionRunner.ts"
import { PartnerKind, type SubscriptionKind, WebhookKind } from "../../src/domain/event/SubscriptionKind.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import type { DueItem, Outcome } from "../../src/domain/event/Subscription.ts"
import { memorySubscriptions } from "../support/memorySubscriptions.ts"

const second = 1_000
const minute = 60 * second

/** Subscribers, what they have received, and how they answer. */
class World {
  readonly storage = memorySubscriptions()
  readonly heard: Array<{ readonly to: string; readonly object: string; readonly state: number; readonly at: number }> =
    []
  readonly items: Array<DueItem> = []
  /** State of each object: the last fact about it. */
  readonly state = new Map<string, number>()
  answer: (item: DueItem) => Effect.Effect<Outcome> = () =>
    Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
  isThere = true
  probes = 0

  readonly kind: SubscriptionKind = {
    types: ["Changed"],
    concern: (facts, subscriptions) =>
      Effect.sync(() =>
        facts.flatMap(({ position, subject }) =>
          subscriptions.map(({ id }) => {
            if (subject === "poisoned fact") throw new Error("a defect")
            return { kind: "thing", id: subject, lane: subject, subscriptionId: id, position }
          })
        )
      ),
    everything: () => Effect.succeed([]),
    deliver: (subscription, item, inTurn) =>
      Effect.gen({ self: this }, function* () {
        const begun = Effect.sync(() => void this.items.push(item))
        const outcome = yield* inTurn(Effect.andThen(begun, this.answer(item)))
        const at = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const state = this.state.get(item.id) ?? 0
        if (outcome._tag === "Delivered") this.heard.push({ to: subscription.id, object: item.id, state, at })
        return outcome
      }),
    isThere: () =>
      Effect.sync(() => {
        this.probes++
        return this.isThere
      })
  }

  layer(storage: Subscriptions["Service"]) {
    return runner(defaultSubscriptionOptions).pipe(
      Layer.provide(Layer.mergeAll(Layer.succeed(PartnerKind, this.kind), Layer.succeed(WebhookKind, this.kind))),
      Layer.provide(Layer.succeed(Subscriptions, storage))
    )
  }

  happen(object: string): void {
    this.state.set(object, this.storage.happen(object))
  }

  statesOf(object: string): ReadonlyArray<number> {
    return this.heard.filter((one) => one.object === object).map(({ state }) => state)
  }
}

const pass = (millis: number) => TestClock.adjust(millis)

const running = <A, E>(world: World, test: Effect.Effect<A, E>, storage = world.storage.service) =>
  Effect.scoped(Effect.andThen(Effect.asVoid(Layer.build(world.layer(storage))), test))

describe("a subscriber", () => {
  it.effect("is sent each change at once, and only the latest state of what changes often", () => {
    const world = new World()
    world.storage.subscribe("a")
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.happen("x")
        yield* pass(100)
        assert.deepStrictEqual(world.statesOf("x"), [1])
        const gate = yield* Deferred.make<void>()
        world.answer = () => Effect.as(Deferred.await(gate), { _tag: "Delivered", hash: new Uint8Array(1) })
        for (let n = 0; n < 50; n++) {
          world.happen("x")
          yield* pass(100)
        }
        // One was being delivered all the time; the others are sent together, as their latest state.
        yield* Deferred.succeed(gate, undefined)
        yield* pass(second)
        assert.strictEqual(world.items.length, 3)
        assert.strictEqual(world.statesOf("x").at(-1), 51)
      })
    )
  })

  it.effect("receives the latest state of every object, in order, as soon as it is back after an hour", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.storage.subscribe("b")
    world.isThere = false
    world.answer = ({ subscriptionId }) =>
      Effect.succeed(
        subscriptionId === "a"
          ? { _tag: "Failed", message: "unreachable" }
          : { _tag: "Delivered", hash: new Uint8Array(1) }
      )
    return running(
      world,
      Effect.gen(function* () {
        for (let n = 0; n < 60; n++) {
          for (const object of [`s${n % 7}`, `cdr${n}`]) world.happen(object)
          yield* pass(minute)
        }
        // It is probed once a minute, and sent nothing else.
        assert.isAtLeast(world.probes, 55)
        assert.isAtMost(world.probes, 61)
        assert.isAtMost(world.items.filter(({ subscriptionId }) => subscriptionId === "a").length, 5)
        assert.strictEqual(world.heard.filter(({ to }) => to === "b").length, 120)
        world.isThere = true
        world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
        yield* pass(2 * minute)
        const heard = world.heard.filter(({ to }) => to === "a")
        for (const [object, state] of world.state) {
          assert.strictEqual(heard.findLast((one) => one.object === object)?.state, state)
        }
        const records = heard.map(({ object }) => object).filter((object) => object.startsWith("cdr"))
        assert.deepStrictEqual(records, [...new Set(records)])
        assert.strictEqual(records.length, 60)
      })
    )
  })

  it.effect("is sent what it refuses again after 1, 2, 4 and 8 seconds, then that is parked and others go on", () => {
    const world = new World()
    world.storage.subscribe("a")
    const at: Array<number> = []
    world.answer = ({ id }) =>
      Effect.clockWith((clock) =>
        Effect.map(clock.currentTimeMillis, (now): Outcome => {
          if (id !== "bad") return { _tag: "Delivered", hash: new Uint8Array(1) }
          at.push(now)
          return { _tag: "Refused", message: "2001" }
        })
      )
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.happen("bad")
        world.happen("good")
        yield* pass(10 * minute)
        assert.deepStrictEqual(world.statesOf("good"), [2])
        assert.strictEqual(at.length, 5)
        const gaps = at.slice(1).map((time, i) => time - at[i]!)
        for (const [i, wanted] of [1, 2, 4, 8].entries()) {
          assert.isAtLeast(gaps[i]!, wanted * second)
          assert.isAtMost(gaps[i]!, wanted * second + 1_100)
        }
        assert.strictEqual(world.storage.rows.get("a thing bad")?.parked, "2001")
        assert.strictEqual(new Set(world.items.filter(({ id }) => id === "bad").map(({ itemId }) => itemId)).size, 1)
        // A new change of the object is sent again.
        world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
        world.happen("bad")
        yield* pass(second)
        assert.deepStrictEqual(world.statesOf("bad"), [3])
      })
    )
  })

  it.effect("that answers with a retry time of ten seconds is left alone for that time", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.answer = () => Effect.succeed({ _tag: "Failed", message: "429", retryAfterMillis: 10 * second })
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.happen("x")
        yield* pass(100)
        world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
        world.happen("y")
        yield* pass(9 * second)
        assert.strictEqual(world.items.length, 1)
        yield* pass(3 * second)
        assert.deepStrictEqual([world.statesOf("x"), world.statesOf("y")], [[1], [2]])
      })
    )
  })

  it.effect(
    "is neither sent anything twice nor kept waiting when a delivery's outcome cannot be stored at once",
    () => {
      const world = new World()
      world.storage.subscribe("a")
      world.storage.failures.settle = 3
      return running(
        world,
        Effect.gen(function* () {
          yield* pass(minute)
          world.happen("x")
          yield* pass(second)
          world.happen("x")
          yield* pass(second)
          assert.strictEqual(world.storage.failures.settle, 0)
          assert.deepStrictEqual(world.statesOf("x"), [1, 2])
        })
      )
    }
  )

  it.effect("has deliveries that must not be repeated stored at once, and others together", () => {
    const world = new World()
    world.storage.subscribe("a")
    const stored: Array<readonly [object: string, at: number]> = []
    const { settle } = world.storage.service
    const noting = Subscriptions.of({
      ...world.storage.service,
      settle: (settled, now) =>
        Effect.tap(settle(settled, now), () =>
          Effect.sync(() => {
            for (const { item } of settled) stored.push([item.id, now])
          })
        )
    })
    world.answer = ({ id }) =>
      Effect.as(Effect.sleep(second), {
        _tag: "Delivered",
        hash: new Uint8Array(1),
        ...(id === "record" ? { isOnce: true } : {})
      })
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.happen("record")
        world.happen("place")
        yield* pass(minute)
        const delays = stored.map(([object, at]) => [object, at - world.heard.find((one) => one.object === object)!.at])
        assert.deepStrictEqual(delays, [
          ["record", 0],
          ["place", defaultSubscriptionOptions.gatherMillis]
        ])
      }),
      noting
    )
  })

  it.effect("is not sent twice what it accepted, although storage was away for longer than the lease", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1), isOnce: true })
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.storage.failures.settle = Number.POSITIVE_INFINITY
        world.happen("x")
        yield* pass(2 * minute)
        world.storage.failures.settle = 0
        yield* pass(minute)
        assert.deepStrictEqual(world.statesOf("x"), [1])
        // Later changes are sent as usual.
        world.happen("x")
        yield* pass(second)
        assert.deepStrictEqual(world.statesOf("x"), [1, 2])
      })
    )
  })

  it.effect("that is slow is not regarded as away, and is sent nothing twice", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.answer = () => Effect.as(Effect.sleep(7 * second), { _tag: "Delivered", hash: new Uint8Array(1) })
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        for (let n = 0; n < 200; n++) world.happen(`x${n}`)
        // Sixteen at a time, seven seconds each.
        for (let n = 0; n < 100; n++) {
          yield* pass(second)
          assert.isUndefined(world.storage.subscriptions.get("a")?.openedAt)
        }
        assert.strictEqual(world.items.length, 200)
        assert.strictEqual(new Set(world.heard.map(({ object }) => object)).size, 200)
        assert.strictEqual(world.storage.subscriptions.get("a")?.failures, 0)
        assert.isTrue([...world.storage.rows.values()].every(({ tries }) => tries === 0))
      })
    )
  })

  it.effect("whose answer cannot be stored delays no other, and nothing is sent twice because of it", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.storage.subscribe("b")
    world.storage.unstorable.add("poison")
    world.answer = ({ id }) =>
      Effect.succeed(
        id === "bad" ? { _tag: "Refused", message: "poison" } : { _tag: "Delivered", hash: new Uint8Array(1) }
      )
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        for (const object of ["x", "bad", "y"]) world.happen(object)
        yield* pass(minute)
        world.happen("x")
        yield* pass(minute)
        assert.deepStrictEqual(
          [world.statesOf("x"), world.statesOf("y")],
          [
            [1, 1, 4, 4],
            [3, 3]
          ]
        )
        assert.strictEqual(world.items.filter(({ id }) => id === "bad").length, 2)
        assert.include(world.storage.rows.get("a thing bad")?.parked, "defect")
      })
    )
  })

  it.effect("is sent changes at once after the clock was an hour ahead", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.isThere = false
    world.answer = () => Effect.succeed({ _tag: "Failed", message: "unreachable" })
    return Effect.gen(function* () {
      yield* pass(120 * minute)
      yield* running(
        world,
        Effect.gen(function* () {
          for (const object of ["x", "y", "z"]) world.happen(object)
          yield* pass(minute)
          assert.isDefined(world.storage.subscriptions.get("a")?.openedAt)
        })
      )
      yield* TestClock.setTime(60 * minute)
      world.isThere = true
      world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
      yield* running(world, pass(2 * minute))
      assert.deepStrictEqual([world.statesOf("x"), world.statesOf("y"), world.statesOf("z")], [[1], [2], [3]])
    })
  })

  it.effect(
    "that never answers fails after the time limit, and items that were not sent meanwhile are returned untried",
    () => {
      const world = new World()
      world.storage.subscribe("a")
      const settled: Array<readonly [string, string, number]> = []
      const { settle } = world.storage.service
      const watching = {
        ...world.storage.service,
        settle: (all: Parameters<typeof settle>[0], now: number) => {
          for (const { item, settlement } of all) settled.push([item.id, settlement._tag, now])
          return settle(all, now)
        }
      }
      world.answer = () => Effect.never
      const { callsAtOnce, deliveryMillis, waitMillis } = defaultSubscriptionOptions
      return running(
        world,
        Effect.gen(function* () {
          yield* pass(second)
          const began = second
          for (let n = 0; n <= callsAtOnce; n++) world.happen(`${n}`)
          yield* pass(waitMillis - second)
          assert.deepStrictEqual(settled, [])
          yield* pass(2 * second)
          assert.deepStrictEqual(
            settled.map(([id, tag]) => [id, tag]),
            [[`${callsAtOnce}`, "Untried"]]
          )
          settled.length = 0
          yield* pass(began + deliveryMillis - waitMillis - 2 * second - 100)
          assert.notInclude(
            settled.map(([, tag]) => tag),
            "Again"
          )
          yield* pass(second)
          const failed = settled.filter(([, tag]) => tag === "Again")
          assert.strictEqual(failed.length, callsAtOnce)
          for (const [, , at] of failed) assert.isAtMost(at - began, deliveryMillis + second)
        }),
        watching
      )
    }
  )

  it.effect("that is up to date is looked at rarely, and as soon as something is due by the clock", () => {
    const world = new World()
    world.storage.subscribe("a")
    let looks = 0
    const { active } = world.storage.service
    const counting = {
      ...world.storage.service,
      active: (maxDue: number) =>
        Effect.andThen(
          Effect.sync(() => looks++),
          active(maxDue)
        )
    }
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        looks = 0
        yield* pass(minute)
        assert.isAtMost(looks, 6)
        let tries = 0
        world.answer = () =>
          Effect.sync(() =>
            ++tries < 4 && world.state.has("x")
              ? { _tag: "Refused", message: "no" }
              : { _tag: "Delivered", hash: new Uint8Array(1) }
          )
        world.happen("y")
        yield* pass(1.5 * second)
        tries = 0
        world.happen("x")
        // After 1, 2 and 4 seconds, as each became due, and not only at the next regular look.
        yield* pass(11 * second)
        assert.deepStrictEqual(world.statesOf("x"), [2])
        yield* pass(10 * second)
        looks = 0
        yield* pass(minute)
        assert.isAtMost(looks, 6)
      }),
      counting
    )
  })

  it.effect("is sent again what a process that died had taken to deliver", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.answer = () => Effect.never
    return Effect.gen(function* () {
      yield* running(
        world,
        Effect.gen(function* () {
          yield* pass(minute)
          world.happen("x")
          yield* pass(second)
          assert.strictEqual(world.items.length, 1)
        })
      )
      world.answer = () => Effect.succeed({ _tag: "Delivered", hash: new Uint8Array(1) })
      yield* running(world, pass(minute))
      assert.deepStrictEqual(world.statesOf("x"), [1])
    })
  })

  it.effect("is sent the rest when one fact cannot be read", () => {
    const world = new World()
    world.storage.subscribe("a")
    for (const object of ["x", "poisoned fact", "y"]) world.happen(object)
    world.storage.subscriptions.get("a")!.position = 0
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        assert.deepStrictEqual([world.statesOf("x"), world.statesOf("y")], [[1], [3]])
      })
    )
  })

  it.effect("that answers 410 Gone is switched off", () => {
    const world = new World()
    world.storage.subscribe("a")
    world.answer = () => Effect.succeed({ _tag: "Gone", message: "410" })
    return running(
      world,
      Effect.gen(function* () {
        yield* pass(minute)
        world.happen("x")
        yield* pass(minute)
        world.happen("y")
        yield* pass(minute)
        assert.strictEqual(world.items.length, 1)
        assert.strictEqual(world.storage.subscriptions.get("a")?.active, false)
      })
    )
  })
})
