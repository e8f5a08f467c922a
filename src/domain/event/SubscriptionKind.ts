/**
 * What differs between kinds of subscribers: which facts concern a subscriber, and how an object is delivered. Cursors, order, retries and parking
 * are the same for partners and webhooks.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Due, DueItem, JournaledFact, ObjectRef, Outcome, Subscription } from "./Subscription.ts"

/**
 * Makes a call to the subscriber as soon as the number of open calls is below a limit, so that no server is overloaded. Only calls wait: what a
 * delivery reads before its first call is not limited. Further calls of the same delivery use the slot of the first.
 */
export type InTurn = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

export interface SubscriptionKind {
  /** Types of the facts that can concern a subscriber of this kind. The bodies of others are not read. */
  readonly types: ReadonlyArray<string>
  /**
   * Finds the objects that facts make due, for each subscription. The facts are those of the subscriptions' organisations, ordered by position. Facts
   * at or before a subscription's own position do not concern it. It only reads data, since it is repeated after a crash.
   */
  readonly concern: (
    facts: ReadonlyArray<JournaledFact>,
    subscriptions: ReadonlyArray<Subscription>
  ) => Effect.Effect<ReadonlyArray<Due>, StorageUnavailable>
  /** All objects that must be sent to a subscription that is new or has lost its data. */
  readonly everything: (subscription: Subscription) => Effect.Effect<ReadonlyArray<ObjectRef>, StorageUnavailable>
  /** Sends the subscriber the object in its present state. It may be called twice for one change: after a crash or an unclear answer. */
  readonly deliver: (
    subscription: Subscription,
    item: DueItem,
    inTurn: InTurn
  ) => Effect.Effect<Outcome, StorageUnavailable>
  /** Whether a subscriber that had stopped answering answers again. */
  readonly isThere: (subscription: Subscription) => Effect.Effect<boolean, StorageUnavailable>
}

/** Roaming partners: objects are pushed to them in their version of OCPI. */
export class PartnerKind extends Context.Service<PartnerKind, SubscriptionKind>()("voltlane/PartnerKind") {}

/** Operators' webhooks, to which events are posted. */
export class WebhookKind extends Context.Service<WebhookKind, SubscriptionKind>()("voltlane/WebhookKind") {}
