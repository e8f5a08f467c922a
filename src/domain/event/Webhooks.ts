/** Storage of webhooks and of the outcomes of their deliveries. Due and parked events are in `Subscriptions`, under the same ids. */
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

/** A webhook with a new secret, which is never shown again. */
export interface Revealed {
  readonly webhook: Webhook
  readonly secret: string
}

/** The URL to post to, and the secrets that sign, newest first. */
export interface WebhookTarget {
  readonly url: string
  readonly secrets: ReadonlyArray<string>
  /** When the webhook was last changed. If it has changed since a post, its receiver may be a different one now. */
  readonly changedAt: number
}

export const webhookDeliveryStatuses = ["Pending", "Parked", "Delivered"] as const
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number]

/** The state of an event's delivery to a webhook. Times are ms epoch. */
export interface WebhookDelivery {
  readonly id: string
  readonly eventId: string
  readonly status: WebhookDeliveryStatus
  /** The number of tries so far. */
  readonly tries: number
  readonly dueAt: number
  readonly nextTryAt: number | undefined
  readonly deliveredAt: number | undefined
  readonly parkedAt: number | undefined
  /** The status with which the receiver accepted it. */
  readonly httpStatus: number | undefined
  /** The problem of the last failed try. */
  readonly problem: string | undefined
}

/** A successful delivery. */
export interface DeliveredEvent {
  readonly webhookId: string
  /** The URL that accepted it. */
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
    /** The webhook gets events from now on. `Conflict` `too_many_webhooks`; `NotFound` for a site of another organisation. */
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
    /** A webhook that is switched on again gets events from then on. */
    readonly update: (
      id: string,
      patch: WebhookPatch,
      audit: AuditContext
    ) => Effect.Effect<Webhook, InvalidInput | NotFound | StorageUnavailable>
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** Makes a new secret. The previous one also signs for `overlapMillis`; older ones no longer sign. */
    readonly rotate: (id: string, audit: AuditContext) => Effect.Effect<Revealed, NotFound | StorageUnavailable>
    /** Those of these webhooks that are switched on, across all organisations. */
    readonly wanted: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Webhook>, StorageUnavailable>
    /** Undefined if it was removed meanwhile. */
    readonly target: (id: string, now: number) => Effect.Effect<WebhookTarget | undefined, StorageUnavailable>
    /** Records a successful delivery, if the webhook still has that URL. Only about the last thousand are kept. */
    readonly delivered: (delivered: DeliveredEvent) => Effect.Effect<void, StorageUnavailable>
    /** Newest event first. */
    readonly deliveries: (
      organisationId: string,
      id: string,
      page: PageRequest & { readonly status?: WebhookDeliveryStatus | undefined }
    ) => Effect.Effect<Page<WebhookDelivery>, InvalidInput | NotFound | StorageUnavailable>
  }
>()("voltlane/Webhooks") {}
