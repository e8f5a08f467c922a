/**
 * Delivers what is due to one subscriber, by one fiber: takes objects in their order, a few at a time, hands each to its kind and stores what came of
 * it. It ends when nothing is left to do now, or the subscriber does not answer.
 */
import { Clock, Effect, Metric, Queue } from "effect"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { SubscriptionKind } from "../domain/ports/SubscriptionKind.ts"
import { Subscriptions } from "../domain/ports/Subscriptions.ts"
import {
  circuitAfter,
  circuitReleased,
  type Settled,
  settlementOf,
  type SettlingOptions
} from "../domain/subscription/Settling.ts"
import type { DueItem, Outcome, Subscription } from "../domain/subscription/Subscription.ts"
import type { Kinds } from "./SubscriptionReader.ts"

export interface DeliveryOptions extends SettlingOptions {
  /** Deliveries to one subscriber at a time. */
  readonly atOnce: number
  /** For so long a delivery may take, all its calls together. */
  readonly deliveryMillis: number
  /** For so long nobody else takes what this process has taken: longer than a delivery, since it may have died. */
  readonly leaseMillis: number
}

const deliveries = Metric.counter("subscription_deliveries_total", {
  description: "Deliveries to partners and webhooks by what came of them",
  incremental: true
})

const lag = Metric.histogram("subscription_delivery_seconds", {
  description: "From when an object became due until its subscriber had it",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400]
})

/** A delivery that has come back; without an outcome, storage was away and nothing is known. */
export interface Returned {
  readonly item: DueItem
  readonly outcome: Outcome | undefined
}

const outcomeOf = (kind: SubscriptionKind, subscription: Subscription, item: DueItem, options: DeliveryOptions) =>
  kind.deliver(subscription, item).pipe(
    Effect.timeoutOrElse({
      duration: options.deliveryMillis,
      orElse: () =>
        Effect.succeed<Outcome>({ _tag: "Failed", message: `not delivered within ${options.deliveryMillis} ms` })
    }),
    Effect.catch(() => Effect.undefined),
    // A defect of ours is met by every try: the object is parked, and the others go on.
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.annotateLogs(Effect.logError("a delivery died", defect), {
          subscription: subscription.id,
          kind: item.kind,
          object: item.id
        }),
        { _tag: "Refused", message: "a defect of ours; see the log" } satisfies Outcome
      )
    )
  )

/** What is stored of returned deliveries, and what the subscriber's state is then. */
const settle = (subscription: Subscription, returned: ReadonlyArray<Returned>, options: DeliveryOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const now = yield* Clock.currentTimeMillis
    const settled = returned.map(({ item, outcome }): Settled => {
      if (outcome !== undefined) return { item, settlement: settlementOf(item, outcome, now, options) }
      const { refusals } = item
      return { item, settlement: { _tag: "Again", at: now + 1_000, refusals, problem: "storage was away" } }
    })
    yield* storage.settle(settled, now)
    const outcomes = returned.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
    for (const { item, outcome } of returned) {
      if (outcome === undefined) continue
      const result = outcome._tag
      yield* Metric.update(Metric.withAttributes(deliveries, { kind: subscription.kind, object: item.kind, result }), 1)
      if (result === "Delivered") {
        yield* Metric.update(Metric.withAttributes(lag, { kind: subscription.kind }), (now - item.dueAt) / 1_000)
      }
    }
    const gone = outcomes.find((outcome) => outcome._tag === "Gone")
    if (gone !== undefined) {
      yield* storage.deactivate(subscription.id, now, gone.message)
      return subscription
    }
    const circuit = circuitAfter(subscription, outcomes, now, options)
    const failed = outcomes.findLast((outcome) => outcome._tag === "Failed" || outcome._tag === "Refused")
    if (circuit === undefined && failed === undefined) return subscription
    const { failures, notBefore, openedAt } = circuit ?? subscription
    yield* storage.circuit(subscription.id, { failures, notBefore, openedAt }, { now, error: failed?.message })
    if (circuit?.openedAt !== undefined && subscription.openedAt === undefined) {
      yield* Effect.logWarning(`${subscription.kind} ${subscription.id} does not answer: ${failed?.message ?? ""}`)
    }
    return { ...subscription, failures, notBefore, openedAt }
  })

/** What a worker is told: what came back, and that something may have become due meanwhile. */
export interface Inbox {
  readonly queue: Queue.Queue<Returned | "look">
  /** Ends it, unless something is in it. */
  readonly end: () => boolean
}

/** Delivers until nothing is due now. What is on its way when storage goes away is delivered again when its lease is over. */
export const deliverDue = (
  kinds: Kinds,
  subscriptionId: string,
  { end, queue }: Inbox,
  options: DeliveryOptions
): Effect.Effect<void, StorageUnavailable, Subscriptions> =>
  Effect.scoped(
    Effect.gen(function* () {
      const storage = yield* Subscriptions
      let subscription = yield* storage.find(subscriptionId)
      const kind = subscription && kinds.get(subscription.kind)
      if (kind === undefined) return
      let flying = 0
      while (subscription !== undefined) {
        const current: Subscription = subscription
        const now = yield* Clock.currentTimeMillis
        const limit = options.atOnce - flying
        const items =
          limit > 0 ? yield* storage.claim(subscriptionId, { now, limit, leaseMillis: options.leaseMillis }) : []
        flying += items.length
        for (const item of items) {
          yield* Effect.forkScoped(
            Effect.flatMap(outcomeOf(kind, current, item, options), (outcome) => Queue.offer(queue, { item, outcome }))
          )
        }
        if (flying === 0 && end()) return
        const returned = (yield* Queue.takeAll(queue)).filter((one) => one !== "look")
        flying -= returned.length
        if (returned.length > 0) subscription = yield* settle(current, returned, options)
      }
    })
  )

/** Asks a subscriber that had stopped answering whether it is there again; when it is, all that waited goes at once. */
export const probe = (
  kinds: Kinds,
  subscriptionId: string,
  options: DeliveryOptions
): Effect.Effect<boolean, StorageUnavailable, Subscriptions> =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const subscription = yield* storage.find(subscriptionId)
    const kind = subscription && kinds.get(subscription.kind)
    if (subscription?.openedAt === undefined || kind === undefined) return false
    const isThere = yield* kind.isThere(subscription).pipe(
      Effect.timeoutOrElse({ duration: options.deliveryMillis, orElse: () => Effect.succeed(false) }),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("a probe died", defect), false))
    )
    if (!isThere) return false
    const now = yield* Clock.currentTimeMillis
    yield* storage.circuit(subscriptionId, circuitReleased(options), { now, isReleased: true })
    yield* Effect.logInfo(`${subscription.kind} ${subscriptionId} answers again`)
    return true
  })
