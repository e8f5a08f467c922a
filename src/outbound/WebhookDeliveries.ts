/**
 * Webhooks as a kind of subscriber: which events each webhook wants, and how an event is posted. Any failure except 410
 * Gone is retried for three days, with pauses that grow longer. The webhook is not probed in between, since it supports
 * no call other than a post.
 */
import { Clock, Effect, Layer } from "effect"
import { type Event, parseCursor } from "../domain/event/Event.ts"
import { eventsOf, factTypesOf } from "../domain/event/EventsOf.ts"
import type { PlacedFact } from "../domain/event/FactLocation.ts"
import { Events } from "../domain/event/Events.ts"
import { type InTurn, type SubscriptionKind, WebhookKind } from "../domain/event/SubscriptionKind.ts"
import { WebhookPoster } from "../domain/event/WebhookPoster.ts"
import { Webhooks } from "../domain/event/Webhooks.ts"
import type { Due, DueItem, JournaledFact, Outcome, Subscription } from "../domain/event/Subscription.ts"
import { pauseAfter, wants } from "../domain/event/Webhook.ts"
import { destinationOf } from "./Destination.ts"
import type { CallOptions } from "./HttpCall.ts"
import { post } from "./WebhookPost.ts"

const kind = "event"

/** The fact without its site, with the charger as far as the fact itself names it. */
const unplaced = ({ at, body, position, subject, type }: JournaledFact): PlacedFact => ({
  at,
  body,
  position,
  subject,
  type,
  chargerId: subject.startsWith("charger:") ? subject.slice("charger:".length) : undefined,
  siteId: undefined
})

const concern =
  (events: Events["Service"], webhooks: Webhooks["Service"]): SubscriptionKind["concern"] =>
  (facts, subscriptions) =>
    Effect.gen(function* () {
      const wanted = new Map((yield* webhooks.wanted(subscriptions.map(({ id }) => id))).map((one) => [one.id, one]))
      const given = new Map<number, ReadonlyArray<Event>>()
      for (const organisationId of new Set(subscriptions.map((one) => one.organisationId))) {
        const theirs = facts.filter((fact) => fact.organisationId === organisationId)
        const isBySite = [...wanted.values()].some((one) => one.organisationId === organisationId && one.siteIds)
        const positions = theirs.map(({ position }) => position)
        const placed = isBySite ? yield* events.facts(organisationId, positions) : theirs.map(unplaced)
        for (const fact of placed) given.set(fact.position, eventsOf(fact))
      }
      return subscriptions.flatMap(({ id, organisationId, position }) => {
        const webhook = wanted.get(id)
        if (webhook === undefined) return []
        return facts
          .filter((fact) => fact.organisationId === organisationId && fact.position > position)
          .flatMap((fact) =>
            (given.get(fact.position) ?? [])
              .filter((event) => wants(webhook, event))
              .map((event): Due => ({
                subscriptionId: id,
                kind,
                id: event.id,
                lane: event.subject,
                position: fact.position
              }))
          )
      })
    })

/** Since when each webhook has been failing at its URL. A restart forgets this, and then the webhook is tried at once. */
const makePauses = () => {
  const failing = new Map<string, { readonly url: string; readonly since: number }>()
  return {
    ended: (id: string): void => void failing.delete(id),
    failed: (id: string, url: string, now: number): number => {
      const known = failing.get(id)
      const since = known?.url === url ? known.since : now
      failing.set(id, { url, since })
      return pauseAfter(now - since)
    }
  }
}

/**
 * The outcome if the webhook was changed while its answer was awaited: the answer, even 410 Gone, does not apply to the
 * webhook as it is now.
 */
const outdated: Outcome = {
  _tag: "Failed",
  isAlone: true,
  message: "was not accepted, but the webhook was changed meanwhile: it is posted again"
}

const deliver = (events: Events["Service"], webhooks: Webhooks["Service"], options: CallOptions) => {
  const pauses = makePauses()
  const target = (id: string) => Effect.flatMap(Clock.currentTimeMillis, (now) => webhooks.target(id, now))

  /** The target is read when the delivery's turn has come: the URL may have changed while it waited. */
  const posted = (id: string, event: Event) =>
    Effect.gen(function* () {
      const to = yield* target(id)
      if (to === undefined) return undefined
      return { to, ...(yield* post({ ...to, id: `evt_${event.id}`, body: JSON.stringify(event) }, options)) }
    })

  return (subscription: Subscription, item: DueItem, inTurn: InTurn) =>
    Effect.gen(function* () {
      const nothing: Outcome = { _tag: "Delivered" }
      const position = parseCursor(item.id)?.position ?? 0
      const [fact] = yield* events.facts(subscription.organisationId, [position])
      const event = fact === undefined ? undefined : eventsOf(fact).find(({ id }) => id === item.id)
      if (event === undefined) return nothing
      const result = yield* inTurn(posted(subscription.id, event))
      if (result === undefined) return nothing
      const now = yield* Clock.currentTimeMillis
      const { httpStatus, problem, to } = result
      if (problem === undefined && httpStatus !== undefined) {
        pauses.ended(subscription.id)
        // The event was accepted. It is not posted again even if that could not be recorded.
        const noted = webhooks.delivered({
          webhookId: subscription.id,
          url: to.url,
          organisationId: subscription.organisationId,
          itemId: item.itemId,
          eventId: event.id,
          type: event.type,
          position,
          tries: item.tries + 1,
          httpStatus,
          dueAt: item.dueAt,
          now
        })
        yield* Effect.ignore(noted)
        return nothing
      }
      const message = problem ?? ""
      if ((yield* target(subscription.id))?.changedAt !== to.changedAt) return outdated
      if (httpStatus === 410) {
        return { _tag: "Gone", message: "answered 410 Gone: no more events are posted to it" } satisfies Outcome
      }
      const pause = pauses.failed(subscription.id, to.url, now)
      const retryAfterMillis = Math.max(pause, result.retryAfterMillis ?? 0)
      return { _tag: "Failed", message, retryAfterMillis } satisfies Outcome
    })
}

/** `WebhookKind` for the delivery of subscriptions, and `WebhookPoster` for setting up webhooks. */
export const layer = (options: CallOptions): Layer.Layer<WebhookKind | WebhookPoster, never, Events | Webhooks> =>
  Layer.merge(
    Layer.effect(
      WebhookKind,
      Effect.gen(function* () {
        const events = yield* Events
        const webhooks = yield* Webhooks
        return WebhookKind.of({
          types: factTypesOf(),
          concern: concern(events, webhooks),
          everything: () => Effect.succeed([]),
          deliver: deliver(events, webhooks, options),
          isThere: () => Effect.succeed(true)
        })
      })
    ),
    Layer.succeed(
      WebhookPoster,
      WebhookPoster.of({
        refusal: (url) => {
          const destination = destinationOf(url, options)
          return destination._tag === "Forbidden" ? destination.why : undefined
        },
        ping: (target, pingId) =>
          Effect.gen(function* () {
            const at = new Date(yield* Clock.currentTimeMillis).toISOString()
            const event = { id: pingId, type: "webhook.ping", at, subject: "webhook", data: {} }
            const { retryAfterMillis: _, ...posted } = yield* post(
              { ...target, id: pingId, body: JSON.stringify(event) },
              options
            )
            return posted
          })
      })
    )
  )
