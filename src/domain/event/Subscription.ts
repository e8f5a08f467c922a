/**
 * Subscriptions of roaming partners and of operators' webhooks. Each reads the journal from its own cursor. Objects that it must be sent become due:
 * one row for each object, so that an object that changes often is due only once and is sent in its newest state.
 */

export type SubscriptionKindName = "partner" | "webhook"

/** The kinds of objects that are sent to partners. */
export const pushedKinds = ["location", "evse", "tariff", "session", "cdr"] as const
export type PushedKind = (typeof pushedKinds)[number]

/** The kinds of objects that are delivered to any subscriber; webhooks get events. */
export const deliveredKinds = [...pushedKinds, "event"] as const

/** A subscription. Its id is that of its partner or webhook. */
export interface Subscription {
  readonly id: string
  readonly organisationId: string
  readonly kind: SubscriptionKindName
  /** The journal position up to which it was read. */
  readonly position: number
  /** True if all objects must become due before it reads on, because it is new or its subscriber has lost its data. */
  readonly needsAll: boolean
  /** True if too many objects are due, so that no more facts are read for it. Only `active` sets this. */
  readonly isFull?: boolean
  /** Deliveries in a row without an answer. */
  readonly failures: number
  /** Since when it is only probed and sent nothing else, because it did not answer; ms epoch. */
  readonly openedAt: number | undefined
  /** Nothing is sent before this time, as the subscriber requested; ms epoch. */
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

/** An object that a subscriber gets as a whole: a location, a session, a CDR, an event. Each kind of subscriber has its own kinds of objects. */
export interface ObjectRef {
  readonly kind: string
  readonly id: string
  /** Objects with the same lane are delivered one after the other, in the order in which they became due. */
  readonly lane: string
}

/** An object that must be sent to a subscriber because of the fact at `position`. */
export interface Due extends ObjectRef {
  readonly subscriptionId: string
  readonly position: number
}

/** A due object that was taken for delivery. */
export interface DueItem extends ObjectRef {
  readonly subscriptionId: string
  readonly organisationId: string
  /** The id of the delivery. It is the same for each try, and identifies a parked delivery. */
  readonly itemId: string
  /** The position of the newest fact about it when it was taken. */
  readonly position: number
  /** ms epoch. */
  readonly dueAt: number
  /** Tries before this one, and how many of them were refused in a row. */
  readonly tries: number
  readonly refusals: number
  /** The hash of what was sent last, if that is stored. */
  readonly hash: Uint8Array | undefined
  /** The subscriber's own name for it, if it gave one. */
  readonly reference: string | undefined
  /** True if it was taken before and its outcome was not stored, so that the subscriber may have received it. */
  readonly isInDoubt?: boolean | undefined
}

/** A record of what was sent of an object, for the next comparison. */
export interface PushedObject {
  readonly kind: string
  readonly id: string
  readonly hash: Uint8Array
  readonly reference?: string | undefined
  readonly named?: ReadonlyArray<string> | undefined
}

/** The outcome of a delivery. Problems of the subscriber are outcomes too, not failures of the effect. */
export type Outcome =
  /** Sent, or there was nothing to send. With `hash`, a record of what was sent is stored; without it, the row is deleted. */
  | {
      readonly _tag: "Delivered"
      readonly hash?: Uint8Array | undefined
      readonly reference?: string | undefined
      /** Ids of other objects that the sent object names, if that matters. */
      readonly named?: ReadonlyArray<string> | undefined
      /** Other objects of the same lane that were sent with it. */
      readonly also?: ReadonlyArray<PushedObject> | undefined
      /** True if it must not be sent twice, so that its acceptance must be stored at once and separately. */
      readonly isOnce?: boolean | undefined
      /** True if there was nothing to send. */
      readonly isSilent?: boolean | undefined
    }
  /** It must be sent after others: nothing was sent, and it is tried again soon. */
  | { readonly _tag: "Waits" }
  /** The subscriber did not answer, or could not accept it now: it is tried again. */
  | {
      readonly _tag: "Failed"
      readonly message: string
      /** The wait that the subscriber requested. It applies to all of its objects. */
      readonly retryAfterMillis?: number | undefined
      /** True if the subscriber accepts other objects, so that only this one waits. */
      readonly isAlone?: boolean | undefined
      /**
       * Set while it is not known whether the answer came from the subscriber itself. If it did, it concerns this object, or the URL to which such
       * objects are sent.
       */
      readonly doubt?: "object" | "place" | undefined
    }
  /** The subscriber answered that it does not accept this object. */
  | { readonly _tag: "Refused"; readonly message: string }
  /** The subscriber permanently refuses everything: its subscription is switched off. */
  | { readonly _tag: "Gone"; readonly message: string }
