/** Whether a partner may still have a location that names a tariff, by what was last sent or may have arrived since. On both databases. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SubscriberLookup } from "../../src/domain/event/SubscriberLookup.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import * as SubscriberLookupRepository from "../../src/storage/delivery/SubscriberLookup.ts"
import { forEachDriver } from "../support/databases.ts"
import { noon } from "../support/repositories.ts"
import { aSubscriber, claim, done, lease, makeDue, ref, second, settle, world } from "../support/subscribers.ts"

const withLookup = SubscriberLookupRepository.layer.pipe(Layer.provideMerge(world))

const named = (id: string, tariffId = "t") =>
  Effect.flatMap(SubscriberLookup, (lookup) => lookup.stillNames(id, tariffId))

forEachDriver("a tariff that a partner's locations name", withLookup, (it) => {
  it.effect("is named until the partner has accepted each of them without it", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      const other = (yield* aSubscriber).id
      yield* makeDue(id, [ref("l1"), ref("l2")])
      for (const item of yield* claim(id)) yield* settle(item, { ...done, named: ["t", "u"] })
      assert.deepStrictEqual([yield* named(id), yield* named(id, "u"), yield* named(id, "x")], [true, true, false])
      assert.isFalse(yield* named(other), "by another partner's locations nothing")
      yield* makeDue(id, [ref("l1"), ref("l2")])
      const [one, two] = yield* claim(id)
      yield* settle(one!, { ...done, named: ["u"] })
      assert.isTrue(yield* named(id))
      yield* settle(two!, { _tag: "Parked", problem: "2001" })
      assert.isTrue(yield* named(id), "the partner refused it, and still has the previous one")
      yield* makeDue(id, [ref("l2")])
      for (const item of yield* claim(id)) yield* settle(item, { ...done, named: [] })
      assert.deepStrictEqual([yield* named(id), yield* named(id, "u")], [false, true])
    })
  )

  it.effect("may be named by an update that is in flight or was tried, and not by one that was never tried", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("l")])
      for (const item of yield* claim(id)) yield* settle(item, { ...done, named: ["u"] })
      yield* makeDue(id, [ref("l"), ref("e", "l", "evse")])
      assert.isFalse(yield* named(id))
      const [item] = yield* claim(id)
      assert.isTrue(yield* named(id))
      yield* settle(item!, { _tag: "Untried", at: noon })
      assert.isFalse(yield* named(id))
      const [tried] = yield* claim(id)
      yield* settle(tried!, { _tag: "Again", at: noon + second, refusals: 0, problem: "500" })
      assert.isTrue(yield* named(id))
      const [again] = yield* claim(id, noon + lease)
      yield* settle(again!, { ...done, named: ["u"] })
      assert.isFalse(yield* named(id))
    })
  )

  it.effect("is no longer named by a location that an operator discarded or that was sent with another object", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("l", "L"), ref("e", "L", "evse")])
      const [item] = yield* claim(id)
      yield* settle(item!, { ...done, named: ["t"] })
      const [evse] = yield* claim(id)
      const sent = { ...ref("l", "L"), hash: new Uint8Array([7]), named: [] }
      yield* settle(evse!, { ...done, also: [sent] })
      assert.isFalse(yield* named(id))
      yield* makeDue(id, [ref("l", "L")])
      for (const one of yield* claim(id)) yield* settle(one, { ...done, named: ["t"] })
      yield* makeDue(id, [ref("l", "L")])
      for (const one of yield* claim(id)) yield* settle(one, { _tag: "Parked", problem: "2001" })
      assert.isTrue(yield* named(id))
      const { items } = yield* storage.parked(organisation.id, id, { limit: 1 })
      yield* storage.discard(id, items[0]!.id, organisation.writing())
      assert.isFalse(yield* named(id))
    })
  )

  it.effect("may be named by a location that an older release sent, while an update of it is pending", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("l")])
      for (const item of yield* claim(id)) yield* settle(item, done)
      yield* sql`UPDATE subscription_object SET named = NULL WHERE subscription_id = ${id}`
      assert.isFalse(yield* named(id))
      yield* makeDue(id, [ref("l")])
      assert.isTrue(yield* named(id))
      for (const item of yield* claim(id)) yield* settle(item, { _tag: "Parked", problem: "2001" })
      assert.isTrue(yield* named(id))
    })
  )
})
