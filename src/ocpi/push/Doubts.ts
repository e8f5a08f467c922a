/**
 * Settles doubts about answers without an envelope: the partner is asked for its versions. If it is not there either, it is away, and everything waits
 * for it; if it is, the object alone is what it has trouble with, and nothing else waits.
 */
import { Effect } from "effect"
import type { SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import type { Outcome } from "../../domain/event/Subscription.ts"

/** For so long one answer serves all doubts about a partner: when a module is away, everything in it fails at once. */
const keepFor = "5 seconds"

/** Partners whose answers are kept. */
const partnersMax = 1_000

/** What becomes of a doubtful failure once it is known whether the partner is there. */
export const settledDoubt = (outcome: Extract<Outcome, { readonly _tag: "Failed" }>, isThere: boolean): Outcome => {
  const { doubt, ...failed } = outcome
  if (!isThere) return failed
  return doubt === "object" ? { _tag: "Refused", message: failed.message } : { ...failed, isAlone: true }
}

export const withDoubtsSettled = (kind: SubscriptionKind): SubscriptionKind => {
  const asked = new Map<string, ReturnType<SubscriptionKind["isThere"]>>()

  const isThere = (subscription: Parameters<SubscriptionKind["isThere"]>[0]) =>
    Effect.gen(function* () {
      const known = asked.get(subscription.id)
      if (known !== undefined) return yield* known
      if (asked.size >= partnersMax) asked.clear()
      const question = yield* Effect.cachedWithTTL(kind.isThere(subscription), keepFor)
      asked.set(subscription.id, question)
      return yield* question
    })

  return {
    ...kind,
    deliver: (subscription, ...more) =>
      Effect.flatMap(kind.deliver(subscription, ...more), (outcome) =>
        outcome._tag === "Failed" && outcome.doubt !== undefined
          ? Effect.map(isThere(subscription), (is) => settledDoubt(outcome, is))
          : Effect.succeed(outcome)
      )
  }
}
