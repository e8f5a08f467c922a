/** Helpers that every translation of facts into events needs. */
import { Option, Schema } from "effect"
import { type Event, type EventData, type EventType, formatCursor } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"

/** An event that has no id yet. */
export type NewEvent = {
  readonly [T in EventType]: { readonly type: T; readonly subject: string; readonly data: EventData<T> }
}[EventType]

/** Translates a fact into events, in the order in which they happened. */
export type EventTranslation = (fact: PlacedFact) => ReadonlyArray<NewEvent>

/** A translation for facts with a body of this shape. Another version of the service may have written other shapes; they make no event. */
export const translation =
  <S extends Schema.ConstraintDecoder<unknown>>(
    body: S,
    tell: (body: S["Type"], fact: PlacedFact) => ReadonlyArray<NewEvent>
  ): EventTranslation =>
  (fact) =>
    Option.match(Schema.decodeUnknownOption(body)(fact.body), {
      onNone: () => [],
      onSome: (decoded) => tell(decoded, fact)
    })

export const timeOf = (millis: number): string => new Date(millis).toISOString()

/** The charger and site of a fact that names a charger. */
export const chargerOf = ({ chargerId, siteId }: PlacedFact) => ({ chargerId: chargerId ?? "", siteId: siteId ?? null })

/** The same for the fact of a session, whose charger may have been removed since. */
export const sessionOf = ({ chargerId, siteId }: PlacedFact, sessionId: string) => ({
  sessionId,
  chargerId: chargerId ?? null,
  siteId: siteId ?? null
})

/** The id and time of an event are those of its fact. Several events of one fact are numbered. */
export const numbered = ({ at, position }: PlacedFact, events: ReadonlyArray<NewEvent>): ReadonlyArray<Event> =>
  events.map(({ data, subject, type }, i): Event => {
    const id = formatCursor({ position, index: events.length === 1 ? undefined : i + 1 })
    // TypeScript cannot see that the type of the data fits the event's name.
    return { id, type, at: timeOf(at), subject, data } as Event
  })
