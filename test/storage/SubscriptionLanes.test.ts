/** Objects due to subscribers on both databases: their order, what is stored with them, and the effect of wrong clocks and odd texts. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import type { Settlement } from "../../src/domain/event/Settling.ts"
import { forEachDriver } from "../support/databases.ts"
import { noon } from "../support/repositories.ts"
import { aSubscriber, claim, done, idsOf, lease, makeDue, ref, second, settle, world } from "../support/subscribers.ts"

forEachDriver("objects due to subscribers", world, (it) => {
  it.effect("include a record after its session of the same time, and a session while its record waits", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      const [session, cdr] = [ref("s", "L", "session"), ref("c", "L", "cdr")]
      const from = (yield* storage.find(id))!.position
      const due = [cdr, session].map((object) => ({ ...object, subscriptionId: id, position: from + 1 }))
      yield* storage.advance([{ subscriptionId: id, from, to: from + 1 }], due, noon)
      const [first, none] = yield* claim(id)
      assert.deepStrictEqual([first?.id, none], ["s", undefined])
      yield* settle(first!, done)
      const [record] = yield* claim(id)
      assert.strictEqual(record?.id, "c")
      // The record is refused for days; changes of the session are sent meanwhile.
      yield* settle(record!, { _tag: "Again", at: noon + second, refusals: 0, problem: "404" })
      yield* makeDue(id, [session])
      const [changed] = yield* claim(id)
      assert.strictEqual(changed?.id, "s")
      assert.deepStrictEqual(yield* claim(id, noon + second), [])
      yield* settle(changed!, { ...done, hash: undefined })
      assert.deepStrictEqual(idsOf(yield* claim(id, noon + second)), ["c"])
    })
  )

  it.effect("include a record once its session has been tried six times", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("s", "L", "session"), ref("c", "L", "cdr")])
      const seen: Array<ReadonlyArray<string>> = []
      for (let now = noon; seen.length < 7; now += second) {
        const items = yield* claim(id, now)
        seen.push(idsOf(items))
        for (const item of items) {
          const again: Settlement = { _tag: "Again", at: now + second, refusals: 0, problem: "500" }
          yield* settle(item, item.kind === "cdr" ? { ...done, hash: undefined } : again)
        }
      }
      assert.deepStrictEqual(seen, [["s"], ["s"], ["s"], ["s"], ["s"], ["s"], ["s", "c"]])
    })
  )

  it.effect("make a subscription full if they are sessions, records or events, and not locations or tariffs", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      const isFull = Effect.map(storage.active(3), (all) => all.find((one) => one.id === id)?.isFull)
      yield* makeDue(id, [
        ...Array.from({ length: 9 }, (_, n) => ref(`place/${n}`, "L", n % 2 === 0 ? "evse" : "location")),
        ref("t", "t", "tariff")
      ])
      assert.strictEqual(yield* isFull, false)
      yield* makeDue(id, [ref("1", "1", "session"), ref("2", "2", "cdr"), ref("3", "3", "event")])
      assert.strictEqual(yield* isFull, false)
      yield* makeDue(id, [ref("4", "4", "session")])
      assert.strictEqual(yield* isFull, true)
    })
  )

  it.effect("are handed out without delay after the clock was a day ahead", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id } = yield* aSubscriber
      const day = 86_400 * second
      const ahead = { leaseMillis: lease, maxDelayMillis: 900 * second, maxRetryAfterMillis: 3600 * second }
      yield* makeDue(id, [ref("taken"), ref("tried"), ref("soon")])
      const [, tried, soon] = yield* claim(id, noon + day)
      yield* settle(tried!, { _tag: "Again", at: noon + day + second, refusals: 0, problem: "500" })
      yield* settle(soon!, { _tag: "Again", at: noon + 800 * second, refusals: 0, problem: "500" })
      const circuit = { failures: 3, openedAt: noon + day, notBefore: noon + 2 * day }
      yield* storage.circuit(id, circuit, { now: noon + day, error: "connection refused" })
      yield* storage.correctTimes(noon, ahead)
      assert.include(yield* storage.takeSilent(noon + 60 * second, 60 * second), id)
      const mended = yield* storage.find(id)
      assert.deepInclude(mended, { openedAt: noon, notBefore: noon + 3600 * second })
      yield* storage.circuit(id, { failures: 2, openedAt: undefined, notBefore: undefined }, { now: noon })
      assert.deepStrictEqual(idsOf(yield* claim(id, noon)), ["tried"])
      assert.deepStrictEqual(idsOf(yield* claim(id, noon + lease)), ["taken", "tried"])
    })
  )

  it.effect("that were taken but not tried are as if they had not been taken", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("a")])
      const [first] = yield* claim(id)
      yield* settle(first!, { _tag: "Again", at: noon, refusals: 1, problem: "400" })
      const [second] = yield* claim(id)
      yield* makeDue(id, [ref("a")])
      yield* settle(second!, { _tag: "Untried", at: noon })
      const [third] = yield* claim(id)
      assert.deepInclude(third, { itemId: first!.itemId, tries: 1, refusals: 1, dueAt: first!.dueAt })
    })
  )

  it.effect("keep error texts with characters that the database cannot store", () =>
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      const { id, organisation } = yield* aSubscriber
      yield* makeDue(id, [ref("a")])
      const [item] = yield* claim(id)
      yield* settle(item!, { _tag: "Parked", problem: "bad\0 \ud800" })
      yield* storage.circuit(id, { failures: 1, openedAt: undefined, notBefore: undefined }, { now: noon, error: "\0" })
      const parked = yield* storage.parked(organisation.id, id, { limit: 10 })
      assert.strictEqual(parked.items[0]?.problem, "bad\\u0000 \ufffd")
    })
  )

  it.effect("keep what was sent about another object of the lane", () =>
    Effect.gen(function* () {
      const { id } = yield* aSubscriber
      yield* makeDue(id, [ref("e", "L", "evse"), ref("l", "L")])
      const [evse] = yield* claim(id)
      const sent = { kind: "location", id: "l", hash: new Uint8Array([7]), reference: "NL*ABC" }
      yield* settle(evse!, { ...done, also: [sent] })
      const [location] = yield* claim(id)
      assert.deepInclude(location, { id: "l", hash: sent.hash, reference: "NL*ABC" })
    })
  )
})
