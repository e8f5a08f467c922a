/**
 * Reads the journal for all subscriptions. Their kinds decide which facts concern which subscriber; what becomes due is
 * stored together with the new cursors. Every process reads. If two read the same page, only one moves the cursors and
 * the work of the other is discarded.
 */
import { Clock, Effect, Metric } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import { Subscriptions } from "../../domain/event/Subscriptions.ts"
import { inHalves } from "../../domain/values/InHalves.ts"
import { type Reading, readingsOf } from "../../domain/event/Settling.ts"
import type { Due, JournaledFact, Subscription, SubscriptionKindName } from "../../domain/event/Subscription.ts"

/** The kinds of subscriptions that are served; subscriptions of other kinds are ignored. */
export type Kinds = ReadonlyMap<SubscriptionKindName, SubscriptionKind>

export interface ReaderOptions {
  /** Journal facts that one statement reads. */
  readonly factsPerPage: number
  /**
   * Above this number of due objects, no more is read for a subscriber: it has been unavailable for long, and the
   * journal keeps the rest anyway. They are counted in each round, so the limit is small enough to be counted in a
   * millisecond.
   */
  readonly maxDue: number
}

const passedOver = Metric.counter("subscription_facts_passed_over_total", {
  description: "Facts that subscribers did not get because of a defect; see the log",
  incremental: true
})

export const readerMetrics = [passedOver]

/**
 * What the facts make due. A fact on which a kind fails with a defect is logged, counted and skipped, so that it does
 * not block all others.
 */
const concerned = (
  kind: SubscriptionKind,
  facts: ReadonlyArray<JournaledFact>,
  subscriptions: ReadonlyArray<Subscription>
): Effect.Effect<ReadonlyArray<Due>, StorageUnavailable> =>
  Effect.gen(function* () {
    const due: Array<Due> = []
    yield* inHalves(facts, (part) =>
      kind.concern(part, subscriptions).pipe(
        Effect.map((found) => {
          due.push(...found)
          return true
        }),
        Effect.catchDefect((defect) => {
          const [first] = part
          if (part.length > 1 || first === undefined) return Effect.succeed(false)
          return Effect.logError("a fact could not be processed for subscribers", defect).pipe(
            Effect.annotateLogs({ position: first.position, type: first.type }),
            Effect.andThen(Metric.update(passedOver, 1)),
            Effect.as(true)
          )
        })
      )
    )
    return due
  })

/** Reads one page; `read` is true if it was not empty. */
const readPage = (kinds: Kinds, { after, subscriptions }: Reading, options: ReaderOptions) =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const { facts, upTo } = yield* storage.read({
      after,
      limit: options.factsPerPage,
      organisationIds: [...new Set(subscriptions.map(({ organisationId }) => organisationId))],
      types: [...new Set([...kinds.values()].flatMap(({ types }) => types))]
    })
    if (upTo === undefined) return { read: false, due: [] }
    const reading = subscriptions.filter(({ position }) => position < upTo)
    const due: Array<Due> = []
    for (const [name, kind] of kinds) {
      const theirs = reading.filter((one) => one.kind === name)
      const types = new Set(kind.types)
      const fitting = facts.filter(({ type }) => types.has(type))
      if (theirs.length > 0 && fitting.length > 0) due.push(...(yield* concerned(kind, fitting, theirs)))
    }
    const positions = new Map(reading.map(({ id, position }) => [id, position]))
    const fresh = due.filter(({ position, subscriptionId }) => position > (positions.get(subscriptionId) ?? Infinity))
    const moves = reading.map(({ id, position }) => ({ subscriptionId: id, from: position, to: upTo }))
    yield* storage.advance(moves, fresh, yield* Clock.currentTimeMillis)
    return { read: true, due: fresh.map(({ subscriptionId }) => subscriptionId) }
  })

/** What one round found. */
export interface Round {
  /** There may be more to read at once. */
  readonly more: boolean
  /** Subscriptions for which something became due. */
  readonly due: ReadonlySet<string>
  /** All active subscriptions of the kinds that are served. */
  readonly active: ReadonlyArray<Subscription>
}

/** One round: fills new subscriptions with everything that they must be sent once, then reads the journal for the others. */
export const readOn = (kinds: Kinds, options: ReaderOptions): Effect.Effect<Round, StorageUnavailable, Subscriptions> =>
  Effect.gen(function* () {
    const storage = yield* Subscriptions
    const active = (yield* storage.active(options.maxDue)).filter(({ kind }) => kinds.has(kind))
    const due = new Set<string>()
    let more = false
    for (const subscription of active.filter(({ needsAll }) => needsAll)) {
      const objects = yield* kinds.get(subscription.kind)?.everything(subscription) ?? Effect.succeed([])
      yield* storage.fill(subscription, objects, yield* Clock.currentTimeMillis)
      due.add(subscription.id)
      more = true
    }
    for (const reading of readingsOf(active.filter(({ isFull, needsAll }) => !needsAll && isFull !== true))) {
      const page = yield* readPage(kinds, reading, options)
      for (const id of page.due) due.add(id)
      more ||= page.read
    }
    return { more, due, active }
  })
