/** The feed: an organisation's public events in the order of the journal, read from a cursor. New events are only added at the end. */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, StorageUnavailable } from "../Errors.ts"
import type { Event, EventCursor, EventType } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"

export interface EventFilter {
  /** Undefined for all types. */
  readonly types?: ReadonlyArray<EventType> | undefined
  /** Only events of this site. Those without a site (tokens, tariffs, partners) are left out. */
  readonly siteId?: string | undefined
  readonly chargerId?: string | undefined
}

export interface EventPage {
  readonly events: ReadonlyArray<Event>
  /** Where the next page begins. It advances even if the page has no events. */
  readonly next: EventCursor
  /** True if the page ends with the newest fact that existed when it was read. */
  readonly isEnd: boolean
}

export class Events extends Context.Service<
  Events,
  {
    /** Emits when any process has committed facts. Signals may get lost. */
    readonly committed: Stream.Stream<void>
    /** The cursor after the newest fact. */
    readonly now: Effect.Effect<EventCursor, StorageUnavailable>
    /**
     * At most `limit` events after a cursor. To answer quickly it reads a limited number of facts, so a page with few or no events is the last one
     * only if `isEnd` is true. `Conflict` `cursor_unknown` for a cursor after the newest fact, which happens when an older database was restored.
     */
    readonly page: (
      organisationId: string,
      request: EventFilter & { readonly after: EventCursor; readonly limit: number }
    ) => Effect.Effect<EventPage, Conflict | StorageUnavailable>
    /** Whether a fact after a position may have changed a caller's permissions. It reads a limited number of facts, up to position `upTo`. */
    readonly accessChanged: (
      after: number
    ) => Effect.Effect<{ readonly isChanged: boolean; readonly upTo: number }, StorageUnavailable>
    /** The facts at these positions that belong to the organisation, with where they happened. */
    readonly facts: (
      organisationId: string,
      positions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<PlacedFact>, StorageUnavailable>
  }
>()("voltlane/Events") {}
