/** Metrics of deliveries to subscribers: their outcomes, and the time from the change to the delivery. */
import { Effect, Metric } from "effect"
import { type DueItem, type Outcome, type SubscriptionKindName, pushedKinds } from "../../domain/event/Subscription.ts"

const deliveries = Metric.counter("subscription_deliveries_total", {
  description: "Deliveries to partners and webhooks, by outcome",
  incremental: true
})

const lag = Metric.histogram("subscription_delivery_seconds", {
  description: "Time from when an object became due until its subscriber received it",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400]
})

/** Why a delivery has no outcome: its turn did not come, or storage was unavailable and the outcome is not known. */
export type Undelivered = "NoTurn" | "StorageAway"

/** One finished delivery. */
export interface Counted {
  readonly item: DueItem
  readonly outcome: Outcome | Undelivered
}

const results: ReadonlyArray<Outcome["_tag"] | Undelivered> = [
  "Delivered",
  "Waits",
  "Failed",
  "Refused",
  "Gone",
  "NoTurn",
  "StorageAway"
]

const seriesOf = (kind: SubscriptionKindName, objects: ReadonlyArray<string>) => [
  Metric.withAttributes(lag, { kind }),
  ...objects.flatMap((object) => results.map((result) => Metric.withAttributes(deliveries, { kind, object, result })))
]

export const deliveryMetrics = [...seriesOf("partner", pushedKinds), ...seriesOf("webhook", ["event"])]

/** Counts finished deliveries, with one update per batch and combination of labels: thousands finish per second. */
export const countDeliveries = (
  kind: SubscriptionKindName,
  returned: ReadonlyArray<Counted>,
  now: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const byLabels = Map.groupBy(
      returned,
      ({ item, outcome }) => `${item.kind} ${typeof outcome === "string" ? outcome : outcome._tag}`
    )
    const lagOfKind = Metric.withAttributes(lag, { kind })
    for (const [labels, theirs] of byLabels) {
      const [object = "", result = ""] = labels.split(" ")
      yield* Metric.update(Metric.withAttributes(deliveries, { kind, object, result }), theirs.length)
      if (result !== "Delivered") continue
      for (const { item } of theirs) yield* Metric.update(lagOfKind, (now - item.dueAt) / 1_000)
    }
  })
