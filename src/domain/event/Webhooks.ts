/** Storage of webhooks and of what became of their deliveries. What is due to them, and what is parked, are `Subscriptions`' under the same ids. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { EventType } from "./Event.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Webhook } from "./Webhook.ts"
import type { AuditContext } from "../values/AuditContext.ts"

export interface WebhookInput {
  readonly url: string
  readonly types: ReadonlyArray<EventType> | undefined
  readonly siteIds: ReadonlyArray<string> | undefined
  readonly active: boolean
}

/** `undefined` leaves a field as it is, `null` clears it. */
export interface WebhookPatch {
  readonly url?: string | undefined
  readonly types?: ReadonlyArray<EventType> | null | undefined
  readonly siteIds?: ReadonlyArray<string> | null | undefined
  readonly active?: boolean | undefined
}

/** A webhook whose secret was just made: it is never shown again. */
export interface Revealed {
  readonly webhook: Webhook
  readonly secret: string
}

/** Where to post, and by which secrets it is signed, the newest first. */
export interface WebhookTarget {
  readonly url: string
  readonly secrets: ReadonlyArray<string>
  /** When the webhook was changed last: with another one, the receiver of a post may not be the one that it names now. */
  readonly changedAt: number
}

export const webhookDeliveryStatuses = ["Pending", "Parked", "Delivered"] as const
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number]

/** What became of an event that a webhook gets. Times in ms epoch. */
export interface WebhookDelivery {
  readonly id: string
  readonly eventId: string
  readonly status: WebhookDeliveryStatus
  /** Made so far. */
  readonly tries: number
  readonly dueAt: number
  readonly nextTryAt: number | undefined
  readonly deliveredAt: number | undefined
  readonly parkedAt: number | undefined
  /** Of the answer that took it. */
  readonly httpStatus: number | undefined
  /** Of the last try that failed. */
  readonly problem: string | undefined
}

/** A delivery that came through. */
export interface DeliveredEvent {
  readonly webhookId: string
  /** That took it. */
  readonly url: string
  readonly organisationId: string
  readonly itemId: string
  readonly eventId: string
  readonly type: EventType
  readonly position: number
  readonly tries: number
  readonly httpStatus: number
  readonly dueAt: number
  readonly now: number
}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** It gets what happens from now on. `Conflict` `too_many_webhooks`; `NotFound` for a site that is not the caller's. */
    readonly create: (
      input: WebhookInput,
      audit: AuditContext
    ) => Effect.Effect<Revealed, Conflict | InvalidInput | NotFound | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Webhook, NotFound | StorageUnavailable>
    /** Newest first. */
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Webhook>, InvalidInput | StorageUnavailable>
    /** One that is switched on again gets what happens from then on. */
    readonly update: (
      id: string,
      patch: WebhookPatch,
      audit: AuditContext
    ) => Effect.Effect<Webhook, InvalidInput | NotFound | StorageUnavailable>
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** A new secret. The one before signs as well for `overlapMillis`, the one before that no more. */
    readonly rotate: (id: string, audit: AuditContext) => Effect.Effect<Revealed, NotFound | StorageUnavailable>
    /** Those that are switched on, of all organisations. */
    readonly wanted: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Webhook>, StorageUnavailable>
    /** Undefined for one that was removed meanwhile. */
    readonly target: (id: string, now: number) => Effect.Effect<WebhookTarget | undefined, StorageUnavailable>
    /** Keeps that it came through to the URL that the webhook still has; of these only the last thousand or so. */
    readonly delivered: (delivered: DeliveredEvent) => Effect.Effect<void, StorageUnavailable>
    /** Newest event first. */
    readonly deliveries: (
      organisationId: string,
      id: string,
      page: PageRequest & { readonly status?: WebhookDeliveryStatus | undefined }
    ) => Effect.Effect<Page<WebhookDelivery>, InvalidInput | NotFound | StorageUnavailable>
  }
>()("voltlane/Webhooks") {}
