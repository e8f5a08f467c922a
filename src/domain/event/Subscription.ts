/**
 * Subscriptions: who receives what has happened, a roaming partner or an operator's webhook. One reads the journal behind a cursor of its own; what
 * concerns it becomes due, one row for each object, so that what changes often waits once and is sent as it is then.
 */

export type SubscriptionKindName = "partner" | "webhook"

/** Objects that partners are sent. */
export const pushedKinds = ["location", "evse", "tariff", "session", "cdr"] as const
export type PushedKind = (typeof pushedKinds)[number]

/** By the id of the partner or webhook that it belongs to. */
export interface Subscription {
  readonly id: string
  readonly organisationId: string
  readonly kind: SubscriptionKindName
  /** How far the journal was read for it. */
  readonly position: number
  /** Everything that there is must become due before it reads on: it is new, or has lost what it received. */
  readonly needsAll: boolean
  /** It has so much due that nothing more is read for it; only said where it is asked. */
  readonly isFull?: boolean
  /** Deliveries in a row without an answer. */
  readonly failures: number
  /** Since when nothing is sent to it but the question whether it is there again; ms epoch. */
  readonly openedAt: number | undefined
  /** Nothing is sent before this, as it asked for; ms epoch. */
  readonly notBefore: number | undefined
}

/** A fact as readers of the journal have it; `body` is what was stored of it. */
export interface JournaledFact {
  readonly position: number
  readonly organisationId: string
  readonly type: string
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly heardAt: number
  readonly body: unknown
}

/** Something that a subscriber gets as a whole: a location, a session, a record, an event. Kinds are the subscribers' own. */
export interface ObjectRef {
  readonly kind: string
  readonly id: string
  /** What shares a lane is delivered one after the other, in the order in which it became due. */
  readonly lane: string
}

/** An object that a subscriber has to be sent since the fact at `position`. */
export interface Due extends ObjectRef {
  readonly subscriptionId: string
  readonly position: number
}

/** A due object that was taken to be delivered. */
export interface DueItem extends ObjectRef {
  readonly subscriptionId: string
  readonly organisationId: string
  /** Of the delivery as a whole: the same for each try, and what a parked one is found by. */
  readonly itemId: string
  /** Of the newest fact about it when it was taken. */
  readonly position: number
  /** ms epoch. */
  readonly dueAt: number
  /** Tries before this one, and how many of them were refused in a row. */
  readonly tries: number
  readonly refusals: number
  /** Of what was sent last, where the subscriber keeps it. */
  readonly hash: Uint8Array | undefined
  /** What the subscriber's side called it, where it did. */
  readonly reference: string | undefined
  /** It was taken before, and nothing was stored of what came of it: the subscriber may have been sent it. */
  readonly isInDoubt?: boolean | undefined
}

/** What was sent of an object, for the next comparison. */
export interface PushedObject {
  readonly kind: string
  readonly id: string
  readonly hash: Uint8Array
  readonly reference?: string | undefined
  readonly named?: ReadonlyArray<string> | undefined
}

/** What came of a delivery. Delivering never fails: what goes wrong is one of these. */
export type Outcome =
  /** Sent, or nothing was to be sent. With `hash` it is kept what was sent; without it, the row is gone. */
  | {
      readonly _tag: "Delivered"
      readonly hash?: Uint8Array | undefined
      readonly reference?: string | undefined
      /** Ids of other objects in what was sent, where it matters. */
      readonly named?: ReadonlyArray<string> | undefined
      /** Other objects of the same lane that were sent with it. */
      readonly also?: ReadonlyArray<PushedObject> | undefined
      /** It must not be sent twice: that it was taken is stored at once, and with nothing else. */
      readonly isOnce?: boolean | undefined
      /** Nothing was to be sent, and nothing was sent. */
      readonly isSilent?: boolean | undefined
    }
  /** It may not be sent before others were: nothing was sent, and it is looked at again soon. */
  | { readonly _tag: "Waits" }
  /** The subscriber did not answer, or answered that it cannot now: it is tried again. */
  | {
      readonly _tag: "Failed"
      readonly message: string
      /** As the subscriber asked, for all of its items. */
      readonly retryAfterMillis?: number | undefined
      /** The subscriber is there and takes others: this object waits by itself. */
      readonly isAlone?: boolean | undefined
      /** It is not known yet whether the subscriber has said so itself. If it has, it is about the object, or about the place where such are sent. */
      readonly doubt?: "object" | "place" | undefined
    }
  /** The subscriber answered, and does not want this object. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** The subscriber wants nothing any more, ever: it is switched off. */
  | { readonly _tag: "Gone"; readonly message: string }
