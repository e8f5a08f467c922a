/** The feed of events in REST v2: in pages by cursor, or as server-sent events of the same query if the caller accepts those. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { eventData, eventTypes, type EventType } from "../../../domain/event/Event.ts"
import { ChargerId, rule, text, Uuid } from "../../Fields.ts"
import { Conflict409, NotFound404, TooMany429 } from "../requests/Failures.ts"
import { operation } from "../requests/Middleware.ts"
import { listOf, PageQuery } from "../requests/Paging.ts"

const isEventType = (type: string): type is EventType => Object.hasOwn(eventData, type)

const typeList = `One of ${eventTypes.join(", ")}`

/** Types of events, separated by commas. */
const Types = text(500)
  .check(rule((types: string) => types.split(",").every(isEventType), `${typeList}; several separated by commas`))
  .annotate({ description: "Only events of these types, separated by commas" })

/** The types in a query; all if it names none. */
export const typesOf = (types: string | undefined): ReadonlyArray<EventType> | undefined =>
  types?.split(",").filter(isEventType)

const eventOf = <T extends EventType>(type: T) =>
  Schema.Struct({
    id: Schema.String.annotate({
      description: "Also the cursor that continues after this event, and its id as a server-sent event"
    }),
    type: Schema.Literal(type),
    at: Schema.String.annotate({
      format: "date-time",
      description:
        "When it happened, by the charger's clock if it is plausible. Events are in the order in which they were received"
    }),
    subject: Schema.String.annotate({ description: "Such as `session:<id>`. Events of one subject are in order" }),
    data: eventData[type]
  }).annotate({ identifier: `Event.${type}` })

export const Event = Schema.Union([
  eventOf("charger.connected"),
  eventOf("charger.disconnected"),
  eventOf("charger.booted"),
  eventOf("charger.changed"),
  eventOf("charger.refused"),
  eventOf("frames.faulty"),
  eventOf("connector.status"),
  eventOf("authorization.refused"),
  eventOf("transactions.counted"),
  eventOf("session.started"),
  eventOf("session.updated"),
  eventOf("session.ended"),
  eventOf("session.held"),
  eventOf("cdr.issued"),
  eventOf("command.completed"),
  eventOf("rollout.changed"),
  eventOf("rollout.progress"),
  eventOf("token.changed"),
  eventOf("tariff.changed"),
  eventOf("site.changed"),
  eventOf("partner.changed"),
  eventOf("partner.health"),
  eventOf("delivery.parked"),
  eventOf("work.changed")
]).annotate({ identifier: "Event" })

const about =
  "Read events, oldest first; with `Accept: text/event-stream` as server-sent events. `nextCursor` is always present: ask again with it, even " +
  "after a page without items"

export class EventsApi extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("list", "/v2/events", {
    query: {
      ...PageQuery,
      type: Schema.optionalKey(Types),
      siteId: Schema.optionalKey(
        Uuid.annotate({
          description: "Only events at this site, by where its chargers are now; without events that belong to no site"
        })
      ),
      chargerId: Schema.optionalKey(ChargerId)
    },
    headers: {
      "last-event-id": Schema.optionalKey(
        Schema.String.annotate({
          description:
            "For server-sent events: continue after this one. Without it and without cursor, the stream starts now"
        })
      )
    },
    success: listOf(Event),
    error: [Conflict409, TooMany429]
  }).annotateMerge(operation(about, "events:read")),
  HttpApiEndpoint.get("get", "/v2/events/:eventId", {
    params: { eventId: text(30) },
    success: Event,
    error: NotFound404
  }).annotateMerge(operation("Read one event", "events:read"))
) {}
