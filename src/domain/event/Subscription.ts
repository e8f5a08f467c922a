/**
 * Subscriptions of roaming partners and of operators' webhooks. Each reads the journal from a cursor of its own. What concerns it becomes due:
 * one row for each object, so that an object that changes often waits only once and is sent in its newest state.
 */

export type SubscriptionKindName = "partner" | "webhook"

/** Objects that partners are sent. */
export const pushedKinds = ["location", "evse", "tariff", "session", "cdr"] as const
export type PushedKind = (typeof pushedKinds)[number]

/** What is delivered to any subscriber: to webhooks events. */
export const deliveredKinds = [...pushedKinds, "event"] as const

/** Its id is that of the partner or webhook that it belongs to. */
export interface Subscription {
  readonly id: string
  readonly organisationId: string
  readonly kind: SubscriptionKindName
  /** How far the journal was read for it. */
  readonly position: number
  /** True if all objects must become due before it reads on: it is new, or has lost what it received. */
  readonly needsAll: boolean
  /** True if so much is due that no more is read for it. Only `active` sets this. */
  readonly isFull?: boolean
  /** Deliveries in a row without an answer. */
  readonly failures: number
  /** Since when it is only asked whether it answers again, and sent nothing else; ms epoch. */
  readonly openedAt: number | undefined
  /** Nothing is sent before this, as it asked for; ms epoch. */
  readonly notBefore: number | undefined
}

/** A fact as readers of the journal get it; `body` is as it was stored. */
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

/** An object that a subscriber gets as a whole: a location, a session, a CDR, an event. Each kind of subscriber has kinds of its own. */
export interface ObjectRef {
  readonly kind: string
  readonly id: string
  /** Objects with the same lane are delivered one after the other, in the order in which they became due. */
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
  /** The id of the delivery: the same for each try, and by which a parked delivery is found. */
  readonly itemId: string
  /** That of the newest fact about it when it was taken. */
  readonly position: number
  /** ms epoch. */
  readonly dueAt: number
  /** Tries before this one, and how many of them were refused in a row. */
  readonly tries: number
  readonly refusals: number
  /** Of what was sent last, if the subscriber keeps it. */
  readonly hash: Uint8Array | undefined
  /** The subscriber's own name for it, if it gave one. */
  readonly reference: string | undefined
  /** It was taken before and its outcome was not stored, so the subscriber may have received it. */
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

/** The outcome of a delivery. A delivery never fails as an effect: what goes wrong is one of these. */
export type Outcome =
  /** Sent, or there was nothing to send. With `hash`, what was sent is remembered; without it, the row is deleted. */
  | {
      readonly _tag: "Delivered"
      readonly hash?: Uint8Array | undefined
      readonly reference?: string | undefined
      /** Ids of other objects that were named in what was sent, where that matters. */
      readonly named?: ReadonlyArray<string> | undefined
      /** Other objects of the same lane that were sent with it. */
      readonly also?: ReadonlyArray<PushedObject> | undefined
      /** It must not be sent twice, so that it was accepted is stored at once and by itself. */
      readonly isOnce?: boolean | undefined
      /** There was nothing to send. */
      readonly isSilent?: boolean | undefined
    }
  /** It may not be sent before others: nothing was sent, and it is tried again soon. */
  | { readonly _tag: "Waits" }
  /** The subscriber did not answer, or answered that it cannot now: it is tried again. */
  | {
      readonly _tag: "Failed"
      readonly message: string
      /** As the subscriber asked; it holds for all of its items. */
      readonly retryAfterMillis?: number | undefined
      /** The subscriber accepts other objects: only this one waits. */
      readonly isAlone?: boolean | undefined
      /** Set while it is not known whether the answer is the subscriber's own. If it is, it concerns the object, or the place where such objects are sent. */
      readonly doubt?: "object" | "place" | undefined
    }
  /** The subscriber answered, and does not want this object. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** The subscriber wants nothing any more, ever: it is switched off. */
  | { readonly _tag: "Gone"; readonly message: string }
