/** Makes public events from facts of the journal. It is pure: a fact makes the same events each time it is read. */
import { chargerTranslations } from "./ChargerEvents.ts"
import { type Event, type EventCursor, type EventType, eventTypes } from "./Event.ts"
import type { PlacedFact } from "./FactLocation.ts"
import { chargerFacts } from "./RecordFact.ts"
import { recordTranslations } from "./RecordEvents.ts"
import { serviceTranslations } from "./ServiceEvents.ts"
import { sessionTranslations } from "./SessionEvents.ts"
import { numbered, type EventTranslation } from "./NewEvent.ts"

const translations: Readonly<Record<string, EventTranslation>> = {
  ...chargerTranslations,
  ...sessionTranslations,
  ...recordTranslations,
  ...serviceTranslations
}

/** The types of facts that can make each type of event. All of them are listed, so that a filter by event type misses none. */
const factTypes: Readonly<Record<EventType, ReadonlyArray<string>>> = {
  "charger.connected": ["ChargerConnected"],
  "charger.disconnected": ["ChargerDisconnected"],
  "charger.booted": ["ChargerBooted"],
  "charger.changed": chargerFacts,
  "charger.refused": ["ChargerRefused"],
  "frames.faulty": ["SecurityEventRecorded"],
  "connector.status": ["ConnectorStatusChanged"],
  "authorization.refused": ["TokenAuthorized"],
  "transactions.counted": ["NegligibleTransactionsCounted"],
  "session.started": ["SessionStarted"],
  "session.updated": ["MeterRead", "SessionReleased", "SessionCorrected"],
  "session.ended": ["SessionStarted", "SessionEnded", "SessionClosed"],
  "session.held": ["SessionStarted", "SessionEnded", "SessionClosed", "SessionHeld"],
  "cdr.issued": ["CdrIssued"],
  "command.completed": ["CommandAnswered"],
  "rollout.changed": ["RolloutChanged"],
  "rollout.progress": ["RolloutProgressed"],
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
  ],
  "partner.health": ["PartnerHealthChanged"],
  "delivery.parked": ["DeliveryParked"],
  "work.changed": ["WorkChanged"]
}

/** The types of facts that can make events of these types, by default of all types. */
export const factTypesOf = (types: ReadonlyArray<EventType> = eventTypes): ReadonlyArray<string> => [
  ...new Set(types.flatMap((type) => factTypes[type]))
]

/** The events that a fact makes, in the order in which they happened. An internal fact makes none. */
export const eventsOf = (fact: PlacedFact): ReadonlyArray<Event> => {
  const translate = Object.hasOwn(translations, fact.type) ? translations[fact.type] : undefined
  return translate === undefined ? [] : numbered(fact, translate(fact))
}

/** Those of a fact's events that come after a cursor. */
export const behind = (events: ReadonlyArray<Event>, position: number, after: EventCursor): ReadonlyArray<Event> => {
  if (position > after.position) return events
  return position < after.position || after.index === undefined ? [] : events.slice(after.index)
}
