/**
 * Reads the journal for all subscriptions: which facts concern whom is asked of their kinds, and what is due then is written together with how far
 * was read. Every process reads; of two that read the same page one moves the cursors, and the other has worked in vain.
 */
import { Clock, Effect, Metric } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import type { SubscriptionKind } from "../../domain/event/SubscriptionKind.ts"
import { Subscriptions } from "../../domain/event/Subscriptions.ts"
import { inHalves } from "../../domain/values/InHalves.ts"
import { type Reading, readingsOf } from "../../domain/event/Settling.ts"
import type { Due, JournaledFact, Subscription, SubscriptionKindName } from "../../domain/event/Subscription.ts"

/** Subscriptions of kinds that are not among them are left as they are. */
export type Kinds = ReadonlyMap<SubscriptionKindName, SubscriptionKind>

export interface ReaderOptions {
  /** Facts of the journal that are looked at in one statement. */
  readonly factsPerPage: number
  /**
   * Objects due to one subscriber beyond which no more is read for it: it has been away for long, and the journal keeps the rest as well. Counted in each
   * round, so that it is no larger than is counted in a millisecond.
   */
  readonly maxDue: number
}

const passedOver = Metric.counter("subscription_facts_passed_over_total", {
  description: "Facts that a defect kept from subscribers: look at the log",
  incremental: true
})

export const readerMetrics = [passedOver]

/** What facts make due. One that a kind cannot look at for a defect is logged, counted and skipped: it must not keep all others waiting. */
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
          return Effect.logError("a fact could not be looked at for subscribers", defect).pipe(
            Effect.annotateLogs({ position: first.position, type: first.type }),
            Effect.andThen(Metric.update(passedOver, 1)),
            Effect.as(true)
          )
        })
      )
    )
    return due
  })

/** Reads one page; true when there was something in it. */
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
  /** Subscriptions that something became due to. */
  readonly due: ReadonlySet<string>
  /** Those that there are. */
  readonly active: ReadonlyArray<Subscription>
}

/** One round: those that are new are sent everything first, and then all read on. */
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
