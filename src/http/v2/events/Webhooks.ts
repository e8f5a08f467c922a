/** The endpoints of webhooks over the domain's ports. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidInput, NotFound } from "../../../domain/Errors.ts"
import { type EventType, parseCursor } from "../../../domain/event/Event.ts"
import { Events } from "../../../domain/event/Events.ts"
import { eventsOf } from "../../../domain/event/EventsOf.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { Subscriptions } from "../../../domain/event/Subscriptions.ts"
import { WebhookPoster } from "../../../domain/event/WebhookPoster.ts"
import { type WebhookDelivery, Webhooks } from "../../../domain/event/Webhooks.ts"
import type { Webhook as StoredWebhook } from "../../../domain/event/Webhook.ts"
import { Api } from "../Api.ts"
import { waitingForOthers } from "../requests/FairShare.ts"
import { askFactor, audit, organisationId } from "../requests/Caller.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import type { Delivery, Webhook } from "./WebhooksApi.ts"

const toWebhook = (webhook: StoredWebhook): typeof Webhook.Type => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types ?? null,
  siteIds: webhook.siteIds ?? null,
  active: webhook.active,
  previousSecretUntil: webhook.previousSecretUntil ?? null,
  lastProblem: webhook.problem ?? null,
  createdAt: webhook.createdAt,
  updatedAt: webhook.updatedAt
})

const toDelivery = (delivery: WebhookDelivery, type: EventType | undefined): typeof Delivery.Type => ({
  id: delivery.id,
  eventId: delivery.eventId,
  type: type ?? null,
  status: delivery.status,
  tries: delivery.tries,
  dueAt: delivery.dueAt,
  nextTryAt: delivery.nextTryAt ?? null,
  deliveredAt: delivery.deliveredAt ?? null,
  parkedAt: delivery.parkedAt ?? null,
  httpStatus: delivery.httpStatus ?? null,
  problem: delivery.problem ?? null
})

const maintaining = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const poster = yield* WebhookPoster
  const publicUrl = yield* PublicUrl

  /** The URL is checked as text now. The address to which its name resolves is checked at every call. */
  const callable = (url: string | undefined): Effect.Effect<void, InvalidInput> => {
    const why = url === undefined ? undefined : poster.refusal(url)
    return why === undefined ? Effect.void : Effect.fail(new InvalidInput({ pointer: "/url", detail: why }))
  }

  return {
    create: Effect.fn("v2.webhooks.create")(function* (payload: {
      readonly url: string
      readonly types?: NonNullable<StoredWebhook["types"]>
      readonly siteIds?: ReadonlyArray<string>
      readonly active?: boolean
    }) {
      yield* callable(payload.url)
      const { active = true, siteIds, types, url } = payload
      const { secret, webhook } = yield* webhooks.create({ url, types, siteIds, active }, yield* audit)
      return located(publicUrl, `/v2/webhooks/${webhook.id}`, { ...toWebhook(webhook), secret })
    }),
    callable
  }
})

export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks
    const events = yield* Events
    const poster = yield* WebhookPoster
    const secrets = yield* Secrets
    const subscriptions = yield* Subscriptions
    const publicUrl = yield* PublicUrl
    const { callable, create } = yield* maintaining
    return handlers.handleAll({
      create: ({ payload }) => create(payload),
      list: Effect.fn("v2.webhooks.list")(function* ({ query, request }) {
        const page = yield* webhooks.list(yield* organisationId, pageRequest(query))
        return yield* listed(publicUrl, request.url, page, toWebhook)
      }),
      get: Effect.fn("v2.webhooks.get")(function* ({ params }) {
        return toWebhook(yield* webhooks.get(yield* organisationId, params.webhookId))
      }),
      update: Effect.fn("v2.webhooks.update")(function* ({ params, payload }) {
        // Another address gets all events from then on.
        if (payload.url !== undefined) yield* askFactor
        yield* callable(payload.url)
        return toWebhook(yield* webhooks.update(params.webhookId, payload, yield* audit))
      }),
      remove: Effect.fn("v2.webhooks.remove")(function* ({ params }) {
        yield* webhooks.remove(params.webhookId, yield* audit)
      }),
      rotateSecret: Effect.fn("v2.webhooks.rotateSecret")(function* ({ params }) {
        const { secret, webhook } = yield* webhooks.rotate(params.webhookId, yield* audit)
        return { ...toWebhook(webhook), secret }
      }),
      ping: Effect.fn("v2.webhooks.ping")(function* ({ params }) {
        const { id } = yield* webhooks.get(yield* organisationId, params.webhookId)
        const now = yield* Clock.currentTimeMillis
        const target = yield* webhooks.target(id, now)
        if (target === undefined) return yield* new NotFound({ kind: "webhook", id })
        const posted = yield* waitingForOthers(poster.ping(target, `ping_${secrets.uuid(now)}`))
        return {
          delivered: posted.problem === undefined,
          httpStatus: posted.httpStatus ?? null,
          durationMs: posted.durationMillis,
          problem: posted.problem ?? null
        }
      }),
      deliveries: Effect.fn("v2.webhooks.deliveries")(function* ({ params, query, request }) {
        const asked = { ...pageRequest(query), status: query.status }
        const organisation = yield* organisationId
        const page = yield* webhooks.deliveries(organisation, params.webhookId, asked)
        const positions = page.items.flatMap(({ eventId }) => parseCursor(eventId)?.position ?? [])
        const facts = yield* events.facts(organisation, [...new Set(positions)])
        const types = new Map(facts.flatMap(eventsOf).map(({ id, type }) => [id, type]))
        return yield* listed(publicUrl, request.url, page, (one) => toDelivery(one, types.get(one.eventId)))
      }),
      replay: Effect.fn("v2.webhooks.replay")(function* ({ params }) {
        const { id } = yield* webhooks.get(yield* organisationId, params.webhookId)
        yield* subscriptions.replay(id, params.deliveryId, yield* audit)
        return { id: params.deliveryId, status: "Pending" as const }
      })
    })
  })
)
