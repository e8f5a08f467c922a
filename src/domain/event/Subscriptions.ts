/**
 * Storage of subscriptions: their cursors on the journal, and the objects that are due. A cursor and what became due with it are written in one
 * statement, so that a crash loses nothing. What is taken for delivery is leased, so that two nodes never deliver one object at the same time.
 */
import { Context, type Effect, type Stream } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Circuit, Settled } from "./Settling.ts"
import type { Due, DueItem, JournaledFact, ObjectRef, Subscription } from "./Subscription.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface FactsPage {
  readonly facts: ReadonlyArray<JournaledFact>
  /** The position up to which the journal was read, facts of other types included; undefined if there is no more. */
  readonly upTo: number | undefined
}

/** Moves a cursor, unless another process has moved it since it was read. */
export interface Move {
  readonly subscriptionId: string
  readonly from: number
  readonly to: number
}

export interface Claim {
  readonly now: number
  /** For each subscription. */
  readonly limit: number
  /** For how long no other process takes them. */
  readonly leaseMillis: number
}

/** How far ahead the times of subscriptions can lie. Those further ahead were written while the clock was wrong. */
export interface TimesAhead {
  readonly maxDelayMillis: number
  readonly leaseMillis: number
  readonly maxRetryAfterMillis: number
}

/** `Waiting` for as long as the subscriber asked; `Down` until it answers again; `Parked` if all was accepted but what is parked. */
export const subscriptionStates = ["Inactive", "UpToDate", "Parked", "Delivering", "Waiting", "Down"] as const

/** The state of a subscription as operators see it. Times in ms epoch. */
export interface SubscriptionHealth {
  readonly state: (typeof subscriptionStates)[number]
  readonly cursor: number
  /** Facts of its organisation that were not read yet, as far as they are counted; 0 if it is switched off. */
  readonly behind: number
  /** How many objects wait to be delivered, and since when the oldest does. */
  readonly due: number
  readonly dueSince: number | undefined
  readonly parked: number
  readonly openedAt: number | undefined
  readonly notBefore: number | undefined
  readonly lastDeliveredAt: number | undefined
  readonly lastError: { readonly at: number; readonly message: string } | undefined
}

/** An object that was refused for good, or failed for days. */
export interface ParkedItem {
  readonly id: string
  readonly kind: string
  readonly objectId: string
  readonly problem: string
  readonly tries: number
  readonly dueAt: number
  readonly parkedAt: number
}

export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /** A signal whenever any process has committed facts. Signals may get lost. */
    readonly committed: Stream.Stream<void>
    /**
     * Those that are switched on, of all organisations. One with more than `maxDue` objects due is full. Locations and tariffs do not count: each is
     * due once at most, so there are never more than exist.
     */
    readonly active: (maxDue: number) => Effect.Effect<ReadonlyArray<Subscription>, StorageUnavailable>
    /** Undefined if it was removed or switched off. */
    readonly find: (subscriptionId: string) => Effect.Effect<Subscription | undefined, StorageUnavailable>
    /** Facts after a position: `limit` are read, and those of the organisations and types are answered. */
    readonly read: (request: {
      readonly after: number
      readonly limit: number
      readonly organisationIds: ReadonlyArray<string>
      readonly types: ReadonlyArray<string>
    }) => Effect.Effect<FactsPage, StorageUnavailable>
    /** Moves cursors and makes objects due, both or neither; not where a cursor has moved since it was read. */
    readonly advance: (
      moves: ReadonlyArray<Move>,
      due: ReadonlyArray<Due>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Makes everything due that a new subscription must be sent, at its position, and notes that this was done. */
    readonly fill: (
      subscription: Subscription,
      objects: ReadonlyArray<ObjectRef>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Whether any of them has yet to receive something, or does not answer: only then is there anything to do by the clock. */
    readonly isAnyWaiting: Effect.Effect<boolean, StorageUnavailable>
    /** Subscriptions for which an object can be taken now. */
    readonly ready: (now: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Corrects times that lie too far ahead. Without this, a clock that was set back would delay every try until it has caught up. */
    readonly mendTimes: (now: number, ahead: TimesAhead) => Effect.Effect<void, StorageUnavailable>
    /** Takes those that are to be probed; none is taken twice within `everyMillis`. */
    readonly takeSilent: (now: number, everyMillis: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Takes due objects, oldest first, and only the first of each lane. Skips subscriptions that are inactive, silent or asked for a wait. */
    readonly claim: (
      subscriptionIds: ReadonlyArray<string>,
      claim: Claim
    ) => Effect.Effect<ReadonlyArray<DueItem>, StorageUnavailable>
    /** Stores the outcomes of tries. An object that has changed since it was taken stays due. */
    readonly settle: (settled: ReadonlyArray<Settled>, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Stores whether it answers. With `isReleased`, all that waits for a further try is due at once; of a partner also what was parked. */
    readonly circuit: (
      subscriptionId: string,
      circuit: Circuit,
      about: { readonly now: number; readonly error?: string | undefined; readonly isReleased?: boolean }
    ) => Effect.Effect<void, StorageUnavailable>
    /** Switches a subscription off because its subscriber wants nothing any more. */
    readonly deactivate: (
      subscriptionId: string,
      now: number,
      reason: string
    ) => Effect.Effect<void, StorageUnavailable>
    readonly health: (
      organisationId: string,
      subscriptionId: string,
      now: number
    ) => Effect.Effect<SubscriptionHealth, NotFound | StorageUnavailable>
    readonly parked: (
      organisationId: string,
      subscriptionId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ParkedItem>, NotFound | InvalidInput | StorageUnavailable>
    /** Makes a parked object due again, as it is. */
    readonly replay: (
      subscriptionId: string,
      itemId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** The same for all parked objects, five thousand at most; answers how many. */
    readonly replayAll: (
      subscriptionId: string,
      audit: AuditContext
    ) => Effect.Effect<number, NotFound | StorageUnavailable>
    /** Forgets a parked object; the next change of it is delivered again. */
    readonly discard: (
      subscriptionId: string,
      itemId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/Subscriptions") {}
