/** An answer without an envelope: it is about the object if the partner can be reached, and about the partner otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SubscriptionKind } from "../../../src/domain/event/SubscriptionKind.ts"
import type { DueItem, Outcome, Subscription } from "../../../src/domain/event/Subscription.ts"
import { withDoubtsSettled } from "../../../src/ocpi/push/Doubts.ts"

const subscription: Subscription = {
  id: "a",
  organisationId: "o",
  kind: "partner",
  position: 0,
  needsAll: false,
  failures: 0,
  openedAt: undefined,
  notBefore: undefined
}

const item: DueItem = {
  subscriptionId: "a",
  organisationId: "o",
  kind: "cdr",
  id: "x",
  lane: "x",
  itemId: "i",
  position: 1,
  dueAt: 0,
  tries: 0,
  refusals: 0,
  hash: undefined,
  reference: undefined
}

/** A partner that answers each push with `outcome`, and counts how often it is checked whether it can be reached. */
const partner = (outcome: Outcome) => {
  const state = { isThere: true, asked: 0 }
  const kind: SubscriptionKind = withDoubtsSettled({
    types: [],
    concern: () => Effect.succeed([]),
    everything: () => Effect.succeed([]),
    deliver: () => Effect.succeed(outcome),
    isThere: () =>
      Effect.sync(() => {
        state.asked++
        return state.isThere
      })
  })
  return { state, deliver: kind.deliver(subscription, item, (call) => call) }
}

describe("a doubt about an answer", () => {
  it.effect("is a refusal of the object if the partner can be reached", () =>
    Effect.gen(function* () {
      const { deliver } = partner({ _tag: "Failed", message: "HTTP 400", doubt: "object" })
      assert.deepStrictEqual(yield* deliver, { _tag: "Refused", message: "HTTP 400" })
    })
  )

  it.effect("about an address makes only that object wait, and is not a refusal", () =>
    Effect.gen(function* () {
      const { deliver } = partner({ _tag: "Failed", message: "HTTP 404", doubt: "place" })
      assert.deepStrictEqual(yield* deliver, { _tag: "Failed", message: "HTTP 404", isAlone: true })
    })
  )

  it.effect("is about the partner if it cannot be reached, which is checked once for all within some seconds", () =>
    Effect.gen(function* () {
      const { deliver, state } = partner({ _tag: "Failed", message: "HTTP 404", doubt: "object" })
      state.isThere = false
      const outcomes = yield* Effect.all([deliver, deliver, deliver], { concurrency: 3 })
      for (const outcome of outcomes) assert.deepStrictEqual(outcome, { _tag: "Failed", message: "HTTP 404" })
      assert.isAtMost(state.asked, 1)
      state.isThere = true
      yield* TestClock.adjust(6_000)
      assert.strictEqual((yield* deliver)._tag, "Refused")
      assert.strictEqual(state.asked, 2)
    })
  )

  it.effect("does not arise after a clear answer, and the partner is not checked", () =>
    Effect.gen(function* () {
      const outcomes: ReadonlyArray<Outcome> = [
        { _tag: "Delivered" },
        { _tag: "Refused", message: "2001" },
        { _tag: "Failed", message: "HTTP 500" }
      ]
      for (const outcome of outcomes) {
        const { deliver, state } = partner(outcome)
        assert.deepStrictEqual(yield* deliver, outcome)
        assert.strictEqual(state.asked, 0)
      }
    })
  )
})
