/**
 * Storage of subscriptions: cursors on the journal, and what is due to whom. A cursor and what became due behind it are written in one statement, so
 * that a crash loses nothing; what is taken to be delivered is leased, so that two nodes never deliver one object at a time.
 */
import { Context, type Effect, type Stream } from "effect"
import type { InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Circuit, Settled } from "./Settling.ts"
import type { Due, DueItem, JournaledFact, ObjectRef, Subscription } from "./Subscription.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface FactsPage {
  readonly facts: ReadonlyArray<JournaledFact>
  /** Up to here the journal was looked at, facts of other types included; undefined where there is nothing more. */
  readonly upTo: number | undefined
}

/** A cursor that moves, if it is where it was read. */
export interface Move {
  readonly subscriptionId: string
  readonly from: number
  readonly to: number
}

export interface Claim {
  readonly now: number
  /** For each subscription. */
  readonly limit: number
  /** For so long no other process takes them. */
  readonly leaseMillis: number
}

/** How far ahead times of subscriptions can be: what is further was written while the clock was wrong. */
export interface TimesAhead {
  readonly maxDelayMillis: number
  readonly leaseMillis: number
  readonly maxRetryAfterMillis: number
}

/** `Waiting` for as long as the subscriber asked; `Down` until it answers again; `Parked` where all else was taken. */
export const subscriptionStates = ["Inactive", "UpToDate", "Parked", "Delivering", "Waiting", "Down"] as const

/** How a subscription is doing, for people. Times in ms epoch. */
export interface SubscriptionHealth {
  readonly state: (typeof subscriptionStates)[number]
  readonly cursor: number
  /** Facts of its organisation that were not looked at yet, as far as they are counted; 0 of one that is switched off. */
  readonly behind: number
  /** Objects that wait to be delivered, and since when the oldest does. */
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
    /** A word whenever facts were committed, by whatever process. One may get lost. */
    readonly committed: Stream.Stream<void>
    /**
     * Those that are switched on, of all organisations. One that has more than `maxDue` due is full; places and tariffs are not counted, of which there are
     * no more than there are in the world.
     */
    readonly active: (maxDue: number) => Effect.Effect<ReadonlyArray<Subscription>, StorageUnavailable>
    /** Undefined where it is gone, or switched off. */
    readonly find: (subscriptionId: string) => Effect.Effect<Subscription | undefined, StorageUnavailable>
    /** Facts behind a position: `limit` are looked at, and those of the organisations and types are answered. */
    readonly read: (request: {
      readonly after: number
      readonly limit: number
      readonly organisationIds: ReadonlyArray<string>
      readonly types: ReadonlyArray<string>
    }) => Effect.Effect<FactsPage, StorageUnavailable>
    /** Moves cursors and makes objects due, where the cursor stood as it was read; both or neither. */
    readonly advance: (
      moves: ReadonlyArray<Move>,
      due: ReadonlyArray<Due>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Makes everything due that a new subscription must be sent, at its position, and marks that it was done. */
    readonly fill: (
      subscription: Subscription,
      objects: ReadonlyArray<ObjectRef>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Subscriptions for which something can be taken now. */
    readonly ready: (now: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Brings times back that lie further ahead than they can: after the clock was set back nothing would be tried until it has caught up with them. */
    readonly mendTimes: (now: number, ahead: TimesAhead) => Effect.Effect<void, StorageUnavailable>
    /** Takes those that are to be asked whether they are there again: none is taken twice within `everyMillis`. */
    readonly takeSilent: (now: number, everyMillis: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Takes due objects, oldest first, of each lane the first alone. Nothing of those that are inactive, silent or waited for. */
    readonly claim: (
      subscriptionIds: ReadonlyArray<string>,
      claim: Claim
    ) => Effect.Effect<ReadonlyArray<DueItem>, StorageUnavailable>
    /** Stores what came of tries. What has changed since it was taken stays due. */
    readonly settle: (settled: ReadonlyArray<Settled>, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Stores whether it answers. `isReleased` makes all that waits for a further try due at once, and of a partner what was parked. */
    readonly circuit: (
      subscriptionId: string,
      circuit: Circuit,
      about: { readonly now: number; readonly error?: string | undefined; readonly isReleased?: boolean }
    ) => Effect.Effect<void, StorageUnavailable>
    /** Switches one off: its subscriber said that it wants nothing any more. */
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
    /** The same for all that was parked, five thousand at most; answers how many. */
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
