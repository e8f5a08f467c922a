/** Webhooks in a `FakeWorld`. What is delivered, and how, is tested on real databases and over real HTTP. */
import { Effect, Stream } from "effect"
import { NotFound } from "../../src/domain/Errors.ts"
import { Subscriptions } from "../../src/domain/event/Subscriptions.ts"
import { WebhookPoster } from "../../src/domain/event/WebhookPoster.ts"
import { Webhooks } from "../../src/domain/event/Webhooks.ts"
import type { Webhook } from "../../src/domain/event/Webhook.ts"
import { destinationOf } from "../../src/outbound/Destination.ts"
import { type FakeWorld, owned, paged } from "./fakeRecords.ts"

const worlds = new WeakMap<FakeWorld, Map<string, Webhook>>()

const webhooksOf = (world: FakeWorld): Map<string, Webhook> => {
  const known = worlds.get(world) ?? new Map<string, Webhook>()
  worlds.set(world, known)
  return known
}

export const webhooks = (world: FakeWorld) => {
  const all = webhooksOf(world)
  const find = (organisationId: string, id: string) => owned(all.get(id), organisationId, "webhook", id)
  const sites = (organisationId: string, ids: ReadonlyArray<string> | null | undefined) =>
    Effect.forEach(ids ?? [], (id) => owned(world.sites.get(id), organisationId, "site", id), { discard: true })
  return Webhooks.of({
    create: ({ active, siteIds, types, url }, { by, now }) =>
      world.write(() =>
        Effect.map(sites(by.organisationId, siteIds), () => {
          const webhook: Webhook = {
            id: world.uuid(),
            organisationId: by.organisationId,
            url,
            types,
            siteIds,
            active,
            problem: undefined,
            previousSecretUntil: undefined,
            createdAt: now,
            updatedAt: now
          }
          all.set(webhook.id, webhook)
          return { webhook, secret: "whsec_c2VjcmV0" }
        })
      ),
    get: (organisationId, id) => world.ask(() => find(organisationId, id)),
    list: (organisationId, page) =>
      world.ask(() =>
        paged(
          [...all.values()].filter((one) => one.organisationId === organisationId),
          ({ id }) => id,
          page
        )
      ),
    update: (id, patch, { by, now }) =>
      world.write(() =>
        Effect.gen(function* () {
          const before = yield* find(by.organisationId, id)
          yield* sites(by.organisationId, patch.siteIds)
          const after: Webhook = {
            ...before,
            url: patch.url ?? before.url,
            types: patch.types === undefined ? before.types : (patch.types ?? undefined),
            siteIds: patch.siteIds === undefined ? before.siteIds : (patch.siteIds ?? undefined),
            active: patch.active ?? before.active,
            updatedAt: now
          }
          all.set(id, after)
          return after
        })
      ),
    remove: (id, { by }) => world.write(() => Effect.map(find(by.organisationId, id), () => void all.delete(id))),
    rotate: (id, { by }) =>
      world.write(() =>
        Effect.map(find(by.organisationId, id), (webhook) => ({ webhook, secret: "whsec_bmV3IHNlY3JldA==" }))
      ),
    wanted: () => Effect.succeed([...all.values()]),
    target: (id) =>
      Effect.sync(() => ({
        url: all.get(id)?.url ?? "",
        secrets: ["whsec_c2VjcmV0"],
        changedAt: all.get(id)?.updatedAt ?? 0
      })),
    delivered: () => Effect.void,
    deliveries: (organisationId, id) =>
      world.ask(() => Effect.as(find(organisationId, id), { items: [], nextCursor: null }))
  })
}

/** Checks URLs like the real one, but calls none. */
export const webhookPoster = WebhookPoster.of({
  refusal: (url) => {
    const destination = destinationOf(url, { allowPrivate: false })
    return destination._tag === "Forbidden" ? destination.why : undefined
  },
  ping: () => Effect.succeed({ httpStatus: 204, durationMillis: 1, problem: undefined })
})

const none = (_: string, id: string) => Effect.fail(new NotFound({ kind: "parked item", id }))

/** No subscriber has anything due. */
export const noSubscriptions = Subscriptions.of({
  committed: Stream.never,
  active: () => Effect.succeed([]),
  find: () => Effect.undefined,
  read: () => Effect.succeed({ facts: [], upTo: undefined }),
  advance: () => Effect.void,
  fill: () => Effect.void,
  isAnyWaiting: Effect.succeed(false),
  ready: () => Effect.succeed([]),
  correctTimes: () => Effect.void,
  takeSilent: () => Effect.succeed([]),
  claim: () => Effect.succeed([]),
  settle: () => Effect.void,
  circuit: () => Effect.void,
  deactivate: () => Effect.void,
  health: none,
  parked: none,
  replay: none,
  replayAll: (id) => none("", id),
  discard: none
})
