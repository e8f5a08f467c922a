/** Public events from facts of the journal: which facts make which events, as one table. Pure: an event is the same whenever it is asked for. */
import { chargerTranslations } from "./ChargerEvents.ts"
import { type Event, type EventCursor, type EventType, eventTypes } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"
import { recordTranslations } from "./RecordEvents.ts"
import { sessionTranslations } from "./SessionEvents.ts"
import { numbered, type EventTranslation } from "./NewEvent.ts"

const translations: Readonly<Record<string, EventTranslation>> = {
  ...chargerTranslations,
  ...sessionTranslations,
  ...recordTranslations
}

/** The facts that make each type of event. A type is looked for in every fact that can make it, so that a filter loses none. */
const tellers: Readonly<Record<EventType, ReadonlyArray<string>>> = {
  "charger.connected": ["ChargerConnected"],
  "charger.disconnected": ["ChargerDisconnected"],
  "charger.booted": ["ChargerBooted"],
  "connector.status": ["ConnectorStatusChanged"],
  "session.started": ["SessionStarted"],
  "session.updated": ["MeterRead", "SessionReleased", "SessionCorrected"],
  "session.ended": ["SessionStarted", "SessionEnded", "SessionClosed"],
  "session.held": ["SessionStarted", "SessionEnded", "SessionClosed", "SessionHeld"],
  "cdr.issued": ["CdrIssued"],
  "command.completed": ["CommandAnswered"],
  "token.changed": ["TokenCreated", "TokenChanged", "TokenRemoved", "RoamingTokenChanged"],
  "tariff.changed": ["TariffCreated", "TariffChanged", "TariffRemoved", "TariffAssigned", "TariffUnassigned"],
  "site.changed": ["SiteCreated", "SiteChanged", "SiteRemoved"],
  "partner.changed": [
    "PartnerCreated",
    "PartnerChanged",
    "PartnerRemoved",
    "PartnerInvited",
    "PartnerRegistered",
    "PartnerUnregistered"
  ]
}

/** Types of the facts that can make one of these types of events; of any without types. */
export const factTypesOf = (types: ReadonlyArray<EventType> = eventTypes): ReadonlyArray<string> => [
  ...new Set(types.flatMap((type) => tellers[type]))
]

/** The events that a fact makes, in the order in which they happened; none of internal facts. */
export const eventsOf = (fact: PlacedFact): ReadonlyArray<Event> => {
  const translate = Object.hasOwn(translations, fact.type) ? translations[fact.type] : undefined
  return translate === undefined ? [] : numbered(fact, translate(fact))
}

/** Those of a fact's events that lie behind a cursor. */
export const behind = (events: ReadonlyArray<Event>, position: number, after: EventCursor): ReadonlyArray<Event> => {
  if (position > after.position) return events
  return position < after.position || after.index === undefined ? [] : events.slice(after.index)
}
