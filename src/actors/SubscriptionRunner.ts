/**
 * Tells subscribers what has happened: reads the journal as soon as something was committed, and runs one supervised fiber for each subscriber to
 * whom something is due. Nobody waits for it; what was cut short is made up after the next start.
 */
import { Cause, Clock, Effect, FiberMap, Latch, Layer, Option, Queue, Stream } from "effect"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { PartnerKind, WebhookKind } from "../domain/ports/SubscriptionKind.ts"
import { Subscriptions } from "../domain/ports/Subscriptions.ts"
import { defaultSettling } from "../domain/subscription/Settling.ts"
import { deliverDue, type DeliveryOptions, type Inbox, probe, type Returned } from "./SubscriptionDelivery.ts"
import { type Kinds, readOn, type ReaderOptions } from "./SubscriptionReader.ts"

export interface SubscriptionOptions extends ReaderOptions, DeliveryOptions {
  /** Between two looks at the journal at least: what is committed meanwhile is read in one page. */
  readonly restMillis: number
  /** Without a word, so long after the last look there is another: a word may get lost, and tries become due by the clock alone. */
  readonly pollMillis: number
}

export const defaultSubscriptionOptions: SubscriptionOptions = {
  ...defaultSettling,
  factsPerPage: 500,
  maxDue: 20_000,
  atOnce: 8,
  deliveryMillis: 25_000,
  leaseMillis: 40_000,
  restMillis: 40,
  pollMillis: 1_000
}

/** One fiber a subscriber, started where there is none, and told where there is one. */
const workers = (kinds: Kinds, options: DeliveryOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const fibers = yield* FiberMap.make<string>()
    const inboxes = new Map<string, Inbox>()
    const work = (id: string, inbox: Inbox) =>
      deliverDue(kinds, id, inbox, options).pipe(
        Effect.provideService(Subscriptions, storage),
        Effect.catchTag("StorageUnavailable", (error) => Effect.logDebug("deliveries wait for the database", error)),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError(`deliveries to ${id} died`, cause)
        ),
        Effect.ensuring(Effect.sync(() => void (inboxes.get(id) === inbox && inboxes.delete(id))))
      )
    return (id: string) =>
      Effect.gen(function* () {
        const running = inboxes.get(id)
        if (running !== undefined) return void Queue.offerUnsafe(running.queue, "look")
        const queue = yield* Queue.unbounded<Returned | "look">()
        // A word that comes between the last look and the end is not lost: either it is seen here, or it starts a fiber of its own.
        const end = (): boolean => Queue.sizeUnsafe(queue) === 0 && inboxes.delete(id)
        const inbox: Inbox = { queue, end }
        inboxes.set(id, inbox)
        yield* FiberMap.run(fibers, id, work(id, inbox))
      })
  })

/** Rounds until the scope closes. */
const run = (kinds: Kinds, options: SubscriptionOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const committed = Latch.makeUnsafe(true)
    yield* Effect.forkScoped(Stream.runForEach(storage.committed, () => Effect.sync(() => committed.openUnsafe())))
    const start = yield* workers(kinds, options)
    let lookedAt = -Infinity

    /** What becomes due by the clock: further tries, and questions to those who are silent. */
    const byClock = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - lookedAt < options.pollMillis) return
      lookedAt = now
      for (const id of yield* storage.ready(now)) yield* start(id)
      for (const id of yield* storage.takeSilent(now, options.probeEveryMillis)) {
        yield* Effect.forkScoped(
          probe(kinds, id, options).pipe(
            Effect.flatMap((isThere) => (isThere ? start(id) : Effect.void)),
            Effect.catch(() => Effect.void)
          )
        )
      }
    })

    let away = false
    const round = Effect.gen(function* () {
      yield* Effect.sync(() => committed.closeUnsafe())
      const { due, more } = yield* readOn(kinds, options)
      for (const id of due) yield* start(id)
      yield* byClock
      away = false
      if (more) committed.openUnsafe()
    }).pipe(
      Effect.catchTag("StorageUnavailable", (error: StorageUnavailable) => {
        const isNew = !away
        away = true
        return isNew ? Effect.logWarning("subscriptions: wait for the database", error) : Effect.void
      }),
      Effect.catchCause((cause) => Effect.logError("subscriptions: a round went wrong", cause))
    )
    const pause = committed.await.pipe(
      Effect.timeoutOrElse({ duration: options.pollMillis, orElse: () => Effect.void }),
      Effect.andThen(Effect.sleep(options.restMillis))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, pause)))
  })

/** With the kinds that there are. */
export const layer = (
  options: SubscriptionOptions = defaultSubscriptionOptions
): Layer.Layer<never, never, Subscriptions | PartnerKind> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const partner = yield* PartnerKind
      const webhook = yield* Effect.serviceOption(WebhookKind)
      yield* run(
        new Map([["partner", partner], ...(Option.isSome(webhook) ? [["webhook", webhook.value] as const] : [])]),
        options
      )
    })
  )
