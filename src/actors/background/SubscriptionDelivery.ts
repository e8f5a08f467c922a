/**
 * Delivers what is due: takes objects of all subscribers in one statement, in their order and a few for each at a time, hands each to its kind in a
 * fiber of its own, and stores together what came back together, but at once and by itself what must not be sent twice. A slow subscriber keeps its
 * own places taken and no others.
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
  /** Objects of one subscriber that are taken at a time; at most twice as many are in hand. */
  readonly takenAtOnce: number
  /** Calls to one subscriber that are open at a time. */
  readonly callsAtOnce: number
  /** For so long what comes back is gathered, to be stored together. */
  readonly gatherMillis: number
  /** For so long a delivery waits for its turn. Then it goes back as if it had not been taken: it is the others that are slow. */
  readonly waitMillis: number
  /** For so long a delivery may take from its turn on, all its calls together. */
  readonly deliveryMillis: number
  /** For so long no other process takes what this one has taken: longer than waiting and delivery, since it may have died. */
  readonly leaseMillis: number
}

/** Until what could not be stored is stored again. */
const retryMillis = 100

/**
 * How often deliveries that take too long are looked for: by one timer for all, since thousands are on their way a second and hardly any takes long. A
 * lease is longer than waiting, delivery and a look.
 */
const lookMillis = 500

/** Until what storage was away for is tried again. */
const awayMillis = 1_000

/** What people see of an object that one of our own defects has parked. */
const defectOfOurs = "a defect of ours; see the log"

const annotatedWith = ({ id, kind, subscriptionId }: DueItem) =>
  Effect.annotateLogs({ subscription: subscriptionId, kind, object: id })

/** A delivery that has come back. */
interface Returned {
  readonly item: DueItem
  readonly outcome: Outcome | Undelivered
  /** What came of it is stored already. */
  readonly isStored?: boolean
}

/** The turn of one delivery among those to its subscriber: taken with its first call, kept for the others, and given back when it is over. */
class Turn {
  /** What is said of the delivery, once it has taken too long. */
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

  /** Ends a delivery that takes too long. */
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
    // A defect of ours is met by every try: the object is parked, and the others go on.
    Effect.catchDefect((defect) =>
      Effect.logError("a delivery died", defect).pipe(
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
 * Stores what came of deliveries, all at once. Where that is a defect of ours, one by one: what cannot be stored is parked, where people see it, and
 * keeps nothing else from being stored.
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
        return Effect.logError("what came of a delivery cannot be stored", defect).pipe(
          Effect.annotateLogs({ settlement: settlement._tag }),
          annotatedWith(item),
          Effect.andThen(storage.settle([{ item, settlement: parked }], now)),
          Effect.catchDefect(() => Effect.void)
        )
      })
    )
  )

/** The state of a subscriber after some deliveries to it have come back, stored where it has changed. */
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

/** What is on its way, and what has come back of it. */
class Dispatch {
  /** Something may be taken. */
  readonly wanted = Latch.makeUnsafe(false)
  /** Something has come back. */
  readonly returned = Latch.makeUnsafe(false)
  private readonly subscriptions = new Map<string, Subscription>()
  private readonly flying = new Counts()
  private readonly turns = new Map<string, Semaphore.Semaphore>()
  private readonly onTheirWay = new Set<Turn>()
  /** Something is on its way. */
  private readonly anyOnTheirWay = Latch.makeUnsafe(false)
  private readonly waiting = new Set<string>()
  /** What is on its way or waits to be stored, and until when no other process takes it. */
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

  /** Known subscriptions; nothing is sent to others. */
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

  /** Ends what takes too long, for ever. */
  readonly endLate = Effect.forever(
    Effect.gen({ self: this }, function* () {
      yield* this.anyOnTheirWay.await
      yield* Effect.sleep(lookMillis)
      const now = yield* Clock.currentTimeMillis
      for (const turn of this.onTheirWay) turn.look(now)
      if (this.onTheirWay.size === 0) this.anyOnTheirWay.closeUnsafe()
    })
  )

  /** Something may be due to these. */
  readonly look = (ids: Iterable<string>): void => {
    for (const id of ids) this.waiting.add(id)
    if (this.waiting.size > 0) this.wanted.openUnsafe()
  }

  /** Stores what has come back until now. What could not be stored comes back again: without it an object would wait for the end of its lease. */
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
    // Once it has come back nothing ends it before it is noted.
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
   * Stores by itself what must not be sent twice: a process that dies between the subscriber's answer and this sends it again, so that it waits
   * for nothing. What cannot be stored now is stored with all that comes back.
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
      // Its lease ran out before it was stored what came of it, which storage was away for: that is stored still, and nothing is sent again.
      if (until !== undefined && until <= now) continue
      this.flying.add(item.subscriptionId, 1)
      const turn = this.turn(item.subscriptionId, now)
      this.onTheirWay.add(turn)
      this.anyOnTheirWay.openUnsafe()
      turn.fiber = yield* FiberSet.run(this.fibers, this.deliver(item, turn))
    }
  })
}

/** Does something whenever there is word, a moment later so that more words make one of it; again soon where the database is away. */
const atWord = (
  word: Latch.Latch,
  task: Effect.Effect<void, StorageUnavailable, Subscriptions>,
  { gatherMillis }: DeliveryOptions
) =>
  Effect.forever(
    guardedStep(
      Effect.gen(function* () {
        yield* word.await
        yield* Effect.sleep(gatherMillis)
        yield* Effect.sync(() => word.closeUnsafe())
        yield* task
        return true
      }),
      {
        name: "deliveries",
        // The round that reads the journal warns of it.
        log: Effect.logDebug,
        whenAway: Effect.andThen(
          Effect.sleep(retryMillis),
          Effect.sync(() => word.openUnsafe())
        )
      }
    )
  )

/**
 * Delivers until the scope closes: what has come back is stored beside the taking of more. What is on its way when storage goes away is delivered again
 * when its lease is over.
 */
export const deliveries = (kinds: Kinds, options: DeliveryOptions) =>
  Effect.gen(function* () {
    const dispatch = new Dispatch(kinds, options, yield* FiberSet.make<void>())
    yield* Effect.forkScoped(dispatch.endLate)
    yield* Effect.forkScoped(atWord(dispatch.returned, dispatch.settleReturned, options))
    yield* Effect.forkScoped(atWord(dispatch.wanted, dispatch.take, options))
    return dispatch
  })
