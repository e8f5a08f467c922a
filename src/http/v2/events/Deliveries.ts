/** The endpoints of deliveries to partners over the domain's ports. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Partners } from "../../../domain/roaming/Partners.ts"
import {
  type ParkedItem as DomainItem,
  type SubscriptionHealth,
  Subscriptions
} from "../../../domain/event/Subscriptions.ts"
import { Api } from "../Api.ts"
import { organisationId, audit } from "../requests/Caller.ts"
import type { DeliveryHealth, ParkedItem } from "./DeliveriesApi.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"

/** The delivery part of a partner's health. */
export const toDeliveryHealth = (health: SubscriptionHealth): typeof DeliveryHealth.Type => ({
  state: health.state,
  cursor: health.cursor,
  behind: health.behind,
  due: health.due,
  dueSince: health.dueSince ?? null,
  parked: health.parked,
  downSince: health.openedAt ?? null,
  waitsUntil: health.state === "Waiting" ? (health.notBefore ?? null) : null,
  lastDeliveredAt: health.lastDeliveredAt ?? null,
  lastError: health.lastError ?? null
})

/** A partner's subscription has no other kinds. */
const kindOf = (kind: string): (typeof ParkedItem.Type)["kind"] =>
  kind === "evse" || kind === "tariff" || kind === "session" || kind === "cdr" ? kind : "location"

const toItem = ({ kind, ...item }: DomainItem): typeof ParkedItem.Type => ({ ...item, kind: kindOf(kind) })

export const layer = HttpApiBuilder.group(
  Api,
  "deliveries",
  Effect.fn(function* (handlers) {
    const partners = yield* Partners
    const subscriptions = yield* Subscriptions
    const publicUrl = yield* PublicUrl

    /** The partner, or `NotFound`, also for the id of a webhook. */
    const partnerOf = (id: string) => Effect.flatMap(organisationId, (own) => partners.get(own, id))

    return handlers.handleAll({
      parked: Effect.fn("v2.deliveries.parked")(function* ({ params, query, request }) {
        const { id, organisationId } = yield* partnerOf(params.partnerId)
        const page = yield* subscriptions.parked(organisationId, id, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toItem)
      }),
      replay: Effect.fn("v2.deliveries.replay")(function* ({ params }) {
        const { id } = yield* partnerOf(params.partnerId)
        yield* subscriptions.replay(id, params.deliveryId, yield* audit)
        return { id: params.deliveryId, status: "Due" as const }
      }),
      replayAll: Effect.fn("v2.deliveries.replayAll")(function* ({ params }) {
        const { id } = yield* partnerOf(params.partnerId)
        return { replayed: yield* subscriptions.replayAll(id, yield* audit) }
      }),
      discard: Effect.fn("v2.deliveries.discard")(function* ({ params }) {
        const { id } = yield* partnerOf(params.partnerId)
        yield* subscriptions.discard(id, params.deliveryId, yield* audit)
      })
    })
  })
)
