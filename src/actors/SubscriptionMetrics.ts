/** What is measured of deliveries to subscribers: how many of them came to what, and how long after the change. */
import { Effect, Metric } from "effect"
import type { DueItem, Outcome, SubscriptionKindName } from "../domain/subscription/Subscription.ts"

const deliveries = Metric.counter("subscription_deliveries_total", {
  description: "Deliveries to partners and webhooks by what came of them",
  incremental: true
})

const lag = Metric.histogram("subscription_delivery_seconds", {
  description: "From when an object became due until its subscriber had it",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400]
})

export const countDelivery = (
  kind: SubscriptionKindName,
  item: DueItem,
  outcome: Outcome | undefined,
  now: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const result = outcome?._tag ?? "Unknown"
    yield* Metric.update(Metric.withAttributes(deliveries, { kind, object: item.kind, result }), 1)
    if (result === "Delivered") yield* Metric.update(Metric.withAttributes(lag, { kind }), (now - item.dueAt) / 1_000)
  })
