/**
 * Settles doubts about answers without an envelope by a request for the partner's versions. If that fails too, the partner is unreachable and all its
 * items wait. Otherwise the failure is about this object alone, and the other items go on.
 */
import { Effect } from "effect"
import type { SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import type { Outcome } from "../../domain/event/Subscription.ts"

/** How long one answer settles all doubts about a partner: when a module is down, all its pushes fail at once. */
const keepFor = "5 seconds"

/** The most partners whose answers are kept. */
const partnersMax = 1_000

/** The outcome of a doubtful failure, given whether the partner is reachable. */
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
