/**
 * Storage of subscriptions: their journal cursors, and the objects that are due. A cursor and the objects that became due with it are written in one
 * statement, so that a crash loses nothing. Objects taken for delivery are leased, so that two nodes never deliver the same object at the same time.
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
  /** The maximum number of objects for each subscription. */
  readonly limit: number
  /** How long no other process can take them. */
  readonly leaseMillis: number
}

/** How far in the future the times of subscriptions can be. Later times were written while the clock was wrong. */
export interface TimesAhead {
  readonly maxDelayMillis: number
  readonly leaseMillis: number
  readonly maxRetryAfterMillis: number
}

/** `Waiting`: the subscriber requested a wait. `Down`: it does not answer. `Parked`: all objects were delivered except parked ones. */
export const subscriptionStates = ["Inactive", "UpToDate", "Parked", "Delivering", "Waiting", "Down"] as const

/** The state of a subscription as operators see it. Times are ms epoch. */
export interface SubscriptionHealth {
  readonly state: (typeof subscriptionStates)[number]
  readonly cursor: number
  /** The number of facts of its organisation that were not read yet, counted up to a limit; 0 if it is switched off. */
  readonly behind: number
  /** How many objects wait to be delivered, and since when the oldest one waits. */
  readonly due: number
  readonly dueSince: number | undefined
  readonly parked: number
  readonly openedAt: number | undefined
  readonly notBefore: number | undefined
  readonly lastDeliveredAt: number | undefined
  readonly lastError: { readonly at: number; readonly message: string } | undefined
}

/** An object that was refused several times, or failed for days. */
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
    /** Emits when any process has committed facts. Signals may get lost. */
    readonly committed: Stream.Stream<void>
    /**
     * All subscriptions that are switched on, across all organisations. One with more than `maxDue` objects due is full. Locations and tariffs do not
     * count: each is due at most once, so their number is limited.
     */
    readonly active: (maxDue: number) => Effect.Effect<ReadonlyArray<Subscription>, StorageUnavailable>
    /** Undefined if it was removed or switched off. */
    readonly find: (subscriptionId: string) => Effect.Effect<Subscription | undefined, StorageUnavailable>
    /** Reads `limit` facts after a position and returns those of the organisations and types. */
    readonly read: (request: {
      readonly after: number
      readonly limit: number
      readonly organisationIds: ReadonlyArray<string>
      readonly types: ReadonlyArray<string>
    }) => Effect.Effect<FactsPage, StorageUnavailable>
    /** Moves cursors and makes objects due, both or neither. Skips a subscription whose cursor has moved since it was read. */
    readonly advance: (
      moves: ReadonlyArray<Move>,
      due: ReadonlyArray<Due>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Makes all objects due that a new subscription must be sent, at its position, and stores that this was done. */
    readonly fill: (
      subscription: Subscription,
      objects: ReadonlyArray<ObjectRef>,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Whether any subscription has objects due or does not answer. Only then does the loop have work at certain times. */
    readonly isAnyWaiting: Effect.Effect<boolean, StorageUnavailable>
    /** Subscriptions for which an object can be taken now. */
    readonly ready: (now: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Corrects times that are too far in the future. Otherwise, after the clock was set back, every try would wait until it has caught up. */
    readonly correctTimes: (now: number, ahead: TimesAhead) => Effect.Effect<void, StorageUnavailable>
    /** Takes the silent subscriptions to probe. None is taken twice within `everyMillis`. */
    readonly takeSilent: (now: number, everyMillis: number) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Takes due objects, oldest first, but only the first of each lane. Skips subscriptions that are inactive, silent or requested a wait. */
    readonly claim: (
      subscriptionIds: ReadonlyArray<string>,
      claim: Claim
    ) => Effect.Effect<ReadonlyArray<DueItem>, StorageUnavailable>
    /** Stores the outcomes of tries. An object that has changed since it was taken stays due. */
    readonly settle: (settled: ReadonlyArray<Settled>, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Stores a circuit. With `isReleased`, all objects that wait for another try are due at once, and for a partner also parked ones. */
    readonly circuit: (
      subscriptionId: string,
      circuit: Circuit,
      about: { readonly now: number; readonly error?: string | undefined; readonly isReleased?: boolean }
    ) => Effect.Effect<void, StorageUnavailable>
    /** Switches a subscription off because its subscriber permanently refuses everything. */
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
    /** Makes a parked object due again; it is sent in its present state. */
    readonly replay: (
      subscriptionId: string,
      itemId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** The same for all parked objects, at most five thousand. Returns how many. */
    readonly replayAll: (
      subscriptionId: string,
      audit: AuditContext
    ) => Effect.Effect<number, NotFound | StorageUnavailable>
    /** Deletes a parked object. Its next change is delivered again. */
    readonly discard: (
      subscriptionId: string,
      itemId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("voltlane/Subscriptions") {}
