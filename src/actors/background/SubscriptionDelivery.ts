/**
 * Delivers due objects. It claims objects of all subscribers in one statement, in their order and a few for each at a
 * time, and delivers each in a fiber of its own by its subscription's kind. Outcomes that arrive together are stored
 * together. The outcome of an object that must not be sent twice is stored at once and by itself. A slow subscriber
 * uses up only its own places.
 */
import { Cause, Clock, Effect, type Fiber, FiberSet, Latch, Semaphore } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { InTurn, SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import { Subscriptions } from "../../domain/event/Subscriptions.ts"
import {
  circuitAfter,
  type Settled,
  type Settlement,
  settlementOf,
  type SettlingOptions
} from "../../domain/event/Settling.ts"
import type { DueItem, Outcome, Subscription } from "../../domain/event/Subscription.ts"
import { Counts } from "../../domain/values/Counts.ts"
import { guardedStep } from "./BackgroundLoop.ts"
import { countDeliveries, type Undelivered } from "./SubscriptionMetrics.ts"
import type { Kinds } from "./SubscriptionReader.ts"

export interface DeliveryOptions extends SettlingOptions {
  /** Objects of one subscriber that are claimed at a time. At most twice as many are in progress. */
  readonly takenAtOnce: number
  /** Calls to one subscriber that may be open at the same time. */
  readonly callsAtOnce: number
  /** How long outcomes are gathered, to be stored together. */
  readonly gatherMillis: number
  /**
   * How long a delivery waits for its turn. After that it is returned as if it had not been claimed, since other
   * deliveries are the slow ones.
   */
  readonly waitMillis: number
  /** How long a delivery may take once its turn has come, all its calls together. */
  readonly deliveryMillis: number
  /**
   * How long no other process claims what this one has claimed. It is longer than waiting and delivery together; after
   * it, this process is considered dead.
   */
  readonly leaseMillis: number
}

/** Delay before another attempt to store outcomes or to claim objects. */
const retryMillis = 100

/**
 * How often slow deliveries are looked for. One timer serves all of them, since thousands of deliveries are in progress
 * per second and hardly any is slow. A lease is longer than the wait, the delivery and this interval together.
 */
const lookMillis = 500

/** Delay before an object is tried again for which the database was unavailable. */
const awayMillis = 1_000

/** What operators see of an object that was parked because of a defect of this service. */
const defectOfOurs = "a defect of ours; see the log"

const annotatedWith = ({ id, kind, subscriptionId }: DueItem) =>
  Effect.annotateLogs({ subscription: subscriptionId, kind, object: id })

/** A finished delivery. */
interface Returned {
  readonly item: DueItem
  readonly outcome: Outcome | Undelivered
  /** True if its outcome is stored already. */
  readonly isStored?: boolean
}

/**
 * The turn of one delivery among those to its subscriber. It is acquired by the first call, kept for further calls, and
 * released at the end.
 */
class Turn {
  /** The delivery's outcome, once it has taken too long. */
  tooLong: Outcome | Undelivered | undefined
  fiber: Fiber.Fiber<void> | undefined
  private since: number | undefined
  private readonly takenAt: number
  private readonly open: Semaphore.Semaphore
  private readonly options: DeliveryOptions

  constructor(open: Semaphore.Semaphore, takenAt: number, options: DeliveryOptions) {
    this.open = open
    this.takenAt = takenAt
    this.options = options
  }

  private readonly begun = Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      restore(this.open.take(1)),
      Effect.map(Clock.currentTimeMillis, (now) => void (this.since = now))
    )
  )

  readonly inTurn: InTurn = (call) =>
    Effect.suspend(() => (this.since === undefined ? Effect.andThen(this.begun, call) : call))

  readonly over = Effect.suspend(() => (this.since === undefined ? Effect.void : this.open.release(1)))

  /** Interrupts the delivery if it takes too long. */
  look(now: number): void {
    const { deliveryMillis, waitMillis } = this.options
    if (this.tooLong !== undefined || this.fiber === undefined) return
    if (this.since === undefined) {
      if (now - this.takenAt < waitMillis) return
      this.tooLong = "NoTurn"
    } else {
      if (now - this.since < deliveryMillis) return
      this.tooLong = { _tag: "Failed", message: `not delivered within ${deliveryMillis} ms` }
    }
    this.fiber.interruptUnsafe()
  }
}

const outcomeOf = (
  kind: SubscriptionKind,
  subscription: Subscription,
  item: DueItem,
  turn: Turn
): Effect.Effect<Outcome | Undelivered> =>
  Effect.ensuring(kind.deliver(subscription, item, turn.inTurn), turn.over).pipe(
    Effect.catch(() => Effect.succeed<Undelivered>("StorageAway")),
    // A defect of this service would recur with every try, so the object is parked and the others continue.
    Effect.catchDefect((defect) =>
      Effect.logError("a delivery ended because of a defect", defect).pipe(
        annotatedWith(item),
        Effect.as<Outcome>({ _tag: "Refused", message: defectOfOurs })
      )
    )
  )

const settledOf = ({ item, outcome }: Returned, now: number, options: DeliveryOptions): Settled => {
  if (typeof outcome !== "string") return { item, settlement: settlementOf(item, outcome, now, options) }
  return { item, settlement: { _tag: "Untried", at: outcome === "NoTurn" ? now : now + awayMillis } }
}

/**
 * Stores the outcomes of deliveries, all at once. If that fails with a defect, they are stored one by one. An
 * outcome that still cannot be stored is replaced by `Parked`, which operators see, and does not prevent the others
 * from being stored.
 */
const stored = (settled: ReadonlyArray<Settled>, now: number): Effect.Effect<void, StorageUnavailable, Subscriptions> =>
  Effect.flatMap(Subscriptions, (storage) =>
    storage.settle(settled, now).pipe(
      Effect.catchDefect((defect) => {
        const [first] = settled
        if (first === undefined) return Effect.void
        if (settled.length > 1) return Effect.forEach(settled, (one) => stored([one], now), { discard: true })
        const { item, settlement } = first
        const parked: Settlement = { _tag: "Parked", problem: defectOfOurs }
        return Effect.logError("the outcome of a delivery cannot be stored", defect).pipe(
          Effect.annotateLogs({ settlement: settlement._tag }),
          annotatedWith(item),
          Effect.andThen(storage.settle([{ item, settlement: parked }], now)),
          Effect.catchDefect(() => Effect.void)
        )
      })
    )
  )

/**
 * The state of a subscriber after some of its deliveries have finished. A change is stored; undefined if the subscriber
 * wants nothing more.
 */
const judged = (subscription: Subscription, outcomes: ReadonlyArray<Outcome>, options: DeliveryOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const now = yield* Clock.currentTimeMillis
    const gone = outcomes.find((outcome) => outcome._tag === "Gone")
    if (gone !== undefined) {
      yield* storage.deactivate(subscription.id, now, gone.message)
      return undefined
    }
    const circuit = circuitAfter(subscription, outcomes, now, options)
    const failed = outcomes.findLast((outcome) => outcome._tag === "Failed" || outcome._tag === "Refused")
    if (circuit === undefined && failed === undefined) return subscription
    const { failures, notBefore, openedAt } = circuit ?? subscription
    yield* storage.circuit(subscription.id, { failures, notBefore, openedAt }, { now, error: failed?.message })
    if (openedAt !== undefined && subscription.openedAt === undefined) {
      yield* Effect.logWarning(`${subscription.kind} ${subscription.id} does not answer: ${failed?.message ?? ""}`)
    }
    return { ...subscription, failures, notBefore, openedAt }
  })

/** The deliveries that are in progress, and those that have finished but are not stored yet. */
class Dispatch {
  /** Opened when there may be objects to claim. */
  readonly wanted = Latch.makeUnsafe(false)
  /** Opened when a delivery has finished. */
  readonly returned = Latch.makeUnsafe(false)
  private readonly subscriptions = new Map<string, Subscription>()
  private readonly flying = new Counts()
  private readonly turns = new Map<string, Semaphore.Semaphore>()
  private readonly onTheirWay = new Set<Turn>()
  /** Open while a delivery is in progress. */
  private readonly anyOnTheirWay = Latch.makeUnsafe(false)
  private readonly waiting = new Set<string>()
  /** Objects whose delivery is in progress or whose outcome is not stored yet, with the end of their lease (ms epoch). */
  private readonly inHand = new Map<string, number>()
  private readonly back: Array<Returned> = []
  private readonly kinds: Kinds
  private readonly options: DeliveryOptions
  private readonly fibers: FiberSet.FiberSet<void>

  constructor(kinds: Kinds, options: DeliveryOptions, fibers: FiberSet.FiberSet<void>) {
    this.kinds = kinds
    this.options = options
    this.fibers = fibers
  }

  /** Sets the known subscriptions. Nothing is sent to others. */
  readonly known = (all: ReadonlyArray<Subscription>): void => {
    this.subscriptions.clear()
    for (const one of all) this.subscriptions.set(one.id, one)
    for (const id of this.turns.keys()) if (!this.subscriptions.has(id)) this.turns.delete(id)
  }

  private turn(id: string, now: number): Turn {
    const open = this.turns.get(id) ?? Semaphore.makeUnsafe(this.options.callsAtOnce)
    this.turns.set(id, open)
    return new Turn(open, now, this.options)
  }

  /** Loop that interrupts slow deliveries. */
  readonly endLate = Effect.forever(
    Effect.gen({ self: this }, function* () {
      yield* this.anyOnTheirWay.await
      yield* Effect.sleep(lookMillis)
      const now = yield* Clock.currentTimeMillis
      for (const turn of this.onTheirWay) turn.look(now)
      if (this.onTheirWay.size === 0) this.anyOnTheirWay.closeUnsafe()
    })
  )

  /** Notes that something may be due to these subscriptions. */
  readonly look = (ids: Iterable<string>): void => {
    for (const id of ids) this.waiting.add(id)
    if (this.waiting.size > 0) this.wanted.openUnsafe()
  }

  /**
   * Stores the outcomes that have arrived so far. If that fails they are queued again, since their objects would
   * otherwise wait for the end of the lease.
   */
  readonly settleReturned = Effect.gen({ self: this }, function* () {
    const returned = this.back.splice(0)
    if (returned.length === 0) return
    yield* Effect.onError(this.settle(returned), () => Effect.sync(() => void this.back.unshift(...returned)))
    const more = Effect.sync(() => this.look(returned.map(({ item }) => item.subscriptionId)))
    yield* Effect.ensuring(this.judge(returned), more)
  })

  private readonly settle = (returned: ReadonlyArray<Returned>) =>
    Effect.gen({ self: this }, function* () {
      const now = yield* Clock.currentTimeMillis
      yield* stored(
        returned.filter(({ isStored }) => isStored !== true).map((one) => settledOf(one, now, this.options)),
        now
      )
      for (const { item } of returned) {
        this.inHand.delete(item.itemId)
        this.flying.add(item.subscriptionId, -1)
      }
    })

  private readonly judge = (returned: ReadonlyArray<Returned>) =>
    Effect.gen({ self: this }, function* () {
      const now = yield* Clock.currentTimeMillis
      for (const [id, theirs] of Map.groupBy(returned, ({ item }) => item.subscriptionId)) {
        const subscription = this.subscriptions.get(id)
        if (subscription === undefined) continue
        yield* countDeliveries(subscription.kind, theirs, now)
        const outcomes = theirs.flatMap(({ outcome }) => (typeof outcome === "string" ? [] : [outcome]))
        const next = yield* judged(subscription, outcomes, this.options)
        if (next === undefined) this.subscriptions.delete(id)
        else this.subscriptions.set(id, next)
      }
    })

  private deliver(item: DueItem, turn: Turn): Effect.Effect<void, never, Subscriptions> {
    const subscription = this.subscriptions.get(item.subscriptionId)
    const kind = subscription && this.kinds.get(subscription.kind)
    const outcome =
      subscription === undefined || kind === undefined
        ? Effect.succeed<Undelivered>("StorageAway")
        : outcomeOf(kind, subscription, item, turn)
    // Once the outcome is known, nothing interrupts this until it is recorded.
    return Effect.uninterruptibleMask((restore) =>
      restore(outcome).pipe(
        Effect.catchCause((cause) =>
          turn.tooLong !== undefined && Cause.hasInterruptsOnly(cause)
            ? Effect.succeed(turn.tooLong)
            : Effect.failCause(cause)
        ),
        Effect.flatMap((sent) =>
          Effect.map(this.storedAtOnce({ item, outcome: sent }), (isStored) => {
            this.back.push({ item, outcome: sent, isStored })
            this.returned.openUnsafe()
          })
        ),
        Effect.ensuring(Effect.sync(() => this.onTheirWay.delete(turn)))
      )
    )
  }

  /**
   * Stores the outcome of an object that must not be sent twice, by itself and without waiting: a process that dies
   * between the subscriber's answer and this would send the object again. If this fails, it is stored with the other
   * outcomes.
   */
  private storedAtOnce(returned: Returned): Effect.Effect<boolean, never, Subscriptions> {
    const { outcome } = returned
    if (typeof outcome === "string" || outcome._tag !== "Delivered" || outcome.isOnce !== true) {
      return Effect.succeed(false)
    }
    return Effect.gen({ self: this }, function* () {
      const storage = yield* Subscriptions
      const now = yield* Clock.currentTimeMillis
      yield* storage.settle([settledOf(returned, now, this.options)], now)
      return true
    }).pipe(Effect.catchCause(() => Effect.succeed(false)))
  }

  readonly take = Effect.gen({ self: this }, function* () {
    const storage = yield* Subscriptions
    const { takenAtOnce: limit, leaseMillis } = this.options
    const ids = [...this.waiting].filter((id) => this.subscriptions.has(id) && this.flying.of(id) <= limit)
    this.waiting.clear()
    if (ids.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const items = yield* storage.claim(ids, { now, limit, leaseMillis })
    for (const item of items) {
      const until = this.inHand.get(item.itemId)
      this.inHand.set(item.itemId, now + leaseMillis)
      // The lease ran out before the outcome could be stored, because the database was unavailable. The outcome will
      // still be stored, so do not send it again.
      if (until !== undefined && until <= now) continue
      this.flying.add(item.subscriptionId, 1)
      const turn = this.turn(item.subscriptionId, now)
      this.onTheirWay.add(turn)
      this.anyOnTheirWay.openUnsafe()
      turn.fiber = yield* FiberSet.run(this.fibers, this.deliver(item, turn))
    }
  })
}

/**
 * Runs the task whenever the latch is opened, after `gatherMillis`, so that several openings cause one run. If the
 * database is unavailable, it runs again soon.
 */
const atWakeup = (
  wakeup: Latch.Latch,
  task: Effect.Effect<void, StorageUnavailable, Subscriptions>,
  { gatherMillis }: DeliveryOptions
) =>
  Effect.forever(
    guardedStep(
      Effect.gen(function* () {
        yield* wakeup.await
        yield* Effect.sleep(gatherMillis)
        yield* Effect.sync(() => wakeup.closeUnsafe())
        yield* task
        return true
      }),
      {
        name: "deliveries",
        // The loop that reads the journal logs the warning.
        log: Effect.logDebug,
        whenAway: Effect.andThen(
          Effect.sleep(retryMillis),
          Effect.sync(() => wakeup.openUnsafe())
        )
      }
    )
  )

/**
 * Runs deliveries until the scope closes. Outcomes are stored while more objects are claimed. A delivery whose outcome
 * is lost when the process ends is repeated when its lease ends.
 */
export const deliveries = (kinds: Kinds, options: DeliveryOptions) =>
  Effect.gen(function* () {
    const dispatch = new Dispatch(kinds, options, yield* FiberSet.make<void>())
    yield* Effect.forkScoped(dispatch.endLate)
    yield* Effect.forkScoped(atWakeup(dispatch.returned, dispatch.settleReturned, options))
    yield* Effect.forkScoped(atWakeup(dispatch.wanted, dispatch.take, options))
    return dispatch
  })
