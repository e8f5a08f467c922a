/** A feed in a `FakeWorld`: the events that the test publishes, in that order. */
import { Deferred, Effect, Stream } from "effect"
import { type Event, type EventCursor, parseCursor } from "../../src/domain/event/Event.ts"
import { Events } from "../../src/domain/event/Events.ts"
import type { FakeWorld } from "./fakeRecords.ts"

interface Feed {
  readonly events: Array<{ readonly organisationId: string; readonly event: Event }>
  committed: Deferred.Deferred<void>
}

const feeds = new WeakMap<FakeWorld, Feed>()

const feedOf = (world: FakeWorld): Feed => {
  const feed = feeds.get(world) ?? { events: [], committed: Deferred.makeUnsafe<void>() }
  feeds.set(world, feed)
  return feed
}

/** Publishes an event about a site with this name. */
export const publishSiteEvent = (world: FakeWorld, organisationId: string, name: string): Event => {
  const feed = feedOf(world)
  const event: Event = {
    id: String(feed.events.length + 1),
    type: "site.changed",
    at: "2026-05-20T12:00:00.000Z",
    subject: `site:${name}`,
    data: { siteId: name, change: "Created", name }
  }
  feed.events.push({ organisationId, event })
  const { committed } = feed
  feed.committed = Deferred.makeUnsafe<void>()
  Deferred.doneUnsafe(committed, Effect.void)
  return event
}

const positionOf = ({ id }: Event): number => parseCursor(id)?.position ?? 0

export const events = (world: FakeWorld) =>
  Events.of({
    committed: Stream.fromEffectRepeat(Effect.suspend(() => Deferred.await(feedOf(world).committed))),
    now: world.ask(() => Effect.sync((): EventCursor => ({ position: feedOf(world).events.length, index: undefined }))),
    page: (organisationId, { after, limit, types }) =>
      world.ask(() =>
        Effect.sync(() => {
          const found = feedOf(world)
            .events.filter((one) => one.organisationId === organisationId && positionOf(one.event) > after.position)
            .map(({ event }) => event)
            .filter(({ type }) => types === undefined || types.includes(type))
          const page = found.slice(0, limit)
          const last = page.at(-1)
          const isEnd = page.length === found.length
          const position = isEnd || last === undefined ? feedOf(world).events.length : positionOf(last)
          return { events: page, next: { position, index: undefined }, isEnd }
        })
      ),
    // Every event may have changed access: callers are checked again after each.
    accessChanged: (after) =>
      world.ask(() =>
        Effect.sync(() => ({ isChanged: feedOf(world).events.length > after, upTo: feedOf(world).events.length }))
      ),
    // The fake feed has events without facts.
    facts: () => world.ask(() => Effect.succeed([]))
  })
