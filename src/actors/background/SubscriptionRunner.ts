/**
 * Sends events to subscribers: reads the journal as soon as something is committed, and starts the delivery of what is
 * due. No caller waits for it. Work that was cut short is done after the next start.
 */
import { Clock, Effect, Latch, Layer, Stream } from "effect"
import { PartnerKind, WebhookKind } from "../../domain/event/SubscriptionKind.ts"
import { Subscriptions } from "../../domain/event/Subscriptions.ts"
import { defaultSettling, circuitReleased } from "../../domain/event/Settling.ts"
import { guardedStep } from "./BackgroundLoop.ts"
import { deliveries, type DeliveryOptions } from "./SubscriptionDelivery.ts"
import { type Kinds, readOn, type ReaderOptions } from "./SubscriptionReader.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"

/** Probes a subscriber that had stopped answering. True if it answers again; everything that waits for it is then due at once. */
const probe = (
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
      Effect.catchDefect((defect) => Effect.as(Effect.logError("a probe ended because of a defect", defect), false))
    )
    if (!isThere) return false
    const now = yield* Clock.currentTimeMillis
    yield* storage.circuit(subscriptionId, circuitReleased(options), { now, isReleased: true })
    yield* Effect.logInfo(`${subscription.kind} ${subscriptionId} answers again`)
    return true
  })

export interface SubscriptionOptions extends ReaderOptions, DeliveryOptions {
  /** The minimum time between two reads of the journal. What is committed meanwhile is read in one page. */
  readonly restMillis: number
  /** The maximum time between two reads while anything waits to be delivered: further tries become due by time alone. */
  readonly pollMillis: number
  /** The same while nothing waits. New work then comes with a fact and so with a notification, which may get lost. */
  readonly idleMillis: number
}

export const defaultSubscriptionOptions: SubscriptionOptions = {
  ...defaultSettling,
  factsPerPage: 500,
  maxDue: 2_000,
  takenAtOnce: 64,
  callsAtOnce: 16,
  gatherMillis: 10,
  waitMillis: 12_000,
  deliveryMillis: 25_000,
  leaseMillis: 40_000,
  restMillis: 80,
  pollMillis: 1_000,
  idleMillis: 30_000
}

/** Runs the loop until the scope closes. */
const run = (kinds: Kinds, options: SubscriptionOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const committed = Latch.makeUnsafe(true)
    yield* Effect.forkScoped(Stream.runForEach(storage.committed, () => Effect.sync(() => committed.openUnsafe())))
    const { known, look } = yield* deliveries(kinds, options)
    let lookedAt = Infinity
    let isAny = true
    let isWaiting = true
    /** True if something became due since the last run of `byClock`: then it need not query whether anything waits. */
    let becameDue = false

    /** Handles what becomes due by time alone: further tries, and probes of subscribers that do not answer. */
    const byClock = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // At the start, and whenever the clock was set back.
      if (now < lookedAt) yield* storage.correctTimes(now, options)
      else if (now - lookedAt < options.pollMillis) return
      lookedAt = now
      isWaiting = becameDue || (yield* storage.isAnyWaiting)
      becameDue = false
      if (!isWaiting) return
      look(yield* storage.ready(now))
      for (const id of yield* storage.takeSilent(now, options.probeEveryMillis)) {
        yield* Effect.forkScoped(
          probe(kinds, id, options).pipe(
            Effect.map((isThere) => (isThere ? look([id]) : undefined)),
            Effect.catch(() => Effect.void)
          )
        )
      }
    })

    const round = Effect.gen(function* () {
      yield* Effect.sync(() => committed.closeUnsafe())
      const { active, due, more } = yield* readOn(kinds, options)
      isAny = active.length > 0
      if (due.size > 0) {
        isWaiting = true
        becameDue = true
      }
      known(active)
      look(due)
      // A subscription that is switched on is read for within a second, and this runs then.
      if (isAny) yield* byClock
      if (more) committed.openUnsafe()
      return true
    })
    const step = guardedStep(round, { name: "subscriptions" })
    const pause = Effect.suspend(() =>
      committed.await.pipe(
        Effect.timeoutOrElse({
          duration: isAny && isWaiting ? options.pollMillis : options.idleMillis,
          orElse: () => Effect.void
        }),
        Effect.andThen(Effect.sleep(isAny ? options.restMillis : options.pollMillis))
      )
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(step, pause)))
  })

export const layer = (
  options: SubscriptionOptions = defaultSubscriptionOptions
): Layer.Layer<never, never, Subscriptions | PartnerKind | WebhookKind> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const kinds: Kinds = new Map([
        ["partner", yield* PartnerKind],
        ["webhook", yield* WebhookKind]
      ])
      yield* run(kinds, options)
    })
  )
