/** The feed: an organisation's public events in the order of the journal, read from a cursor. No event is ever inserted before one that was read. */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, StorageUnavailable } from "../Errors.ts"
import type { Event, EventCursor, EventType } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"

export interface EventFilter {
  /** Undefined: all types. */
  readonly types?: ReadonlyArray<EventType> | undefined
  /** Only events of this site. Those without a site (tokens, tariffs, partners) are left out. */
  readonly siteId?: string | undefined
  readonly chargerId?: string | undefined
}

export interface EventPage {
  readonly events: ReadonlyArray<Event>
  /** Where the next page begins. It moves on even if no event was found. */
  readonly next: EventCursor
  /** True if the page ends with the newest fact that existed when it was read. */
  readonly isEnd: boolean
}

export class Events extends Context.Service<
  Events,
  {
    /** A signal whenever any process has committed facts. Signals may get lost. */
    readonly committed: Stream.Stream<void>
    /** The cursor after the newest fact. */
    readonly now: Effect.Effect<EventCursor, StorageUnavailable>
    /**
     * At most `limit` events after a cursor. It reads a limited number of facts, so that it answers quickly: a page with few events or none is
     * the last one only if `isEnd` says so. `Conflict` `cursor_unknown` for a cursor ahead of the newest fact: an older database was restored.
     */
    readonly page: (
      organisationId: string,
      request: EventFilter & { readonly after: EventCursor; readonly limit: number }
    ) => Effect.Effect<EventPage, Conflict | StorageUnavailable>
    /** Whether a fact after a position may have changed what a caller may do, as far as the journal was read: up to `upTo`. */
    readonly accessChanged: (
      after: number
    ) => Effect.Effect<{ readonly isChanged: boolean; readonly upTo: number }, StorageUnavailable>
    /** Those facts at these positions that belong to the organisation, with where they happened. */
    readonly facts: (
      organisationId: string,
      positions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<PlacedFact>, StorageUnavailable>
  }
>()("voltlane/Events") {}
