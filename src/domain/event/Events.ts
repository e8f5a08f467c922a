/** The feed: an organisation's public events in the order of the journal, read behind a cursor. Nothing is ever inserted before what was read. */
import { Context, type Effect, type Stream } from "effect"
import type { Conflict, StorageUnavailable } from "../Errors.ts"
import type { Event, EventCursor, EventType } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"

export interface EventFilter {
  /** Undefined: all types. */
  readonly types?: ReadonlyArray<EventType> | undefined
  /** Those at a site alone; what belongs to no site (tokens, tariffs, partners) is left out. */
  readonly siteId?: string | undefined
  readonly chargerId?: string | undefined
}

export interface EventPage {
  readonly events: ReadonlyArray<Event>
  /** Where to go on. It has moved on also where no event was found. */
  readonly next: EventCursor
  /** Everything that had happened when it was read has been looked at. */
  readonly isEnd: boolean
}

export class Events extends Context.Service<
  Events,
  {
    /** A word whenever facts were committed, by whatever process. One may get lost. */
    readonly committed: Stream.Stream<void>
    /** Behind everything that has happened. */
    readonly now: Effect.Effect<EventCursor, StorageUnavailable>
    /**
     * At most `limit` events behind a cursor. It looks at so many facts and no more, so that an answer is quick: a page with few events or none is
     * not the end unless it says so. `Conflict` `cursor_unknown` for a cursor that lies ahead of everything: the database is older than it.
     */
    readonly page: (
      organisationId: string,
      request: EventFilter & { readonly after: EventCursor; readonly limit: number }
    ) => Effect.Effect<EventPage, Conflict | StorageUnavailable>
    /** The facts at these positions that are the organisation's, with where they happened. */
    readonly facts: (
      organisationId: string,
      positions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<PlacedFact>, StorageUnavailable>
  }
>()("voltlane/Events") {}
