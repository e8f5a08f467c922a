/**
 * What a kind of subscriber brings: which facts concern whom, and how an object is delivered. The engine behind it (cursors, order, retries, parking)
 * is the same for partners and for webhooks.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Due, DueItem, JournaledFact, ObjectRef, Outcome, Subscription } from "./Subscription.ts"

/**
 * Makes a call to the subscriber when few enough others are open: no server is overrun. What is read before needs no turn, and further calls of the
 * same delivery go in the turn of the first.
 */
export type InTurn = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

export interface SubscriptionKind {
  /** Types of the facts that can concern anybody; others are passed over without their bodies being read. */
  readonly types: ReadonlyArray<string>
  /**
   * Which objects the facts make due, for which of the subscriptions; facts are of the subscriptions' organisations, in the order of their
   * positions. A fact at or before a subscription's own position is none of its business. Reads only; asked again after a crash.
   */
  readonly concern: (
    facts: ReadonlyArray<JournaledFact>,
    subscriptions: ReadonlyArray<Subscription>
  ) => Effect.Effect<ReadonlyArray<Due>, StorageUnavailable>
  /** Everything that a subscription must be sent once because it is new. */
  readonly everything: (subscription: Subscription) => Effect.Effect<ReadonlyArray<ObjectRef>, StorageUnavailable>
  /** Sends the subscriber the object as it is now. May be asked twice for one change: after a crash, or an unclear answer. */
  readonly deliver: (
    subscription: Subscription,
    item: DueItem,
    inTurn: InTurn
  ) => Effect.Effect<Outcome, StorageUnavailable>
  /** Whether a subscriber that had stopped answering is there again. */
  readonly isThere: (subscription: Subscription) => Effect.Effect<boolean, StorageUnavailable>
}

/** Roaming partners, to whom objects are pushed in the words of their version. */
export class PartnerKind extends Context.Service<PartnerKind, SubscriptionKind>()("voltlane/PartnerKind") {}

/** Operators' webhooks, to which events are posted. */
export class WebhookKind extends Context.Service<WebhookKind, SubscriptionKind>()("voltlane/WebhookKind") {}
