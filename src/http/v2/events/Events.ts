/** The endpoint of the feed over the domain's port. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidInput, NotFound } from "../../../domain/Errors.ts"
import { type EventCursor, formatCursor, parseCursor } from "../../../domain/event/Event.ts"
import { Events } from "../../../domain/event/Events.ts"
import { eventsOf } from "../../../domain/event/EventsOf.ts"
import { Api } from "../Api.ts"
import { typesOf } from "./EventsApi.ts"
import { EventStreams } from "./EventStreams.ts"
import { cookieOf } from "../requests/Cookies.ts"
import { Caller } from "../requests/Middleware.ts"
import { fitting, itemTexts, listAnswer, nextLink, pageRequest, PublicUrl } from "../requests/Paging.ts"

const beginning: EventCursor = { position: 0, index: undefined }

/** True if the request names event streams in `Accept`. */
export const wantsStream = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((range) => range.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream")

const cursorFrom = (
  pointer: string,
  text: string | undefined
): Effect.Effect<EventCursor | undefined, InvalidInput> => {
  if (text === undefined || text === "") return Effect.undefined
  const cursor = parseCursor(text)
  return cursor === undefined
    ? Effect.fail(new InvalidInput({ pointer, detail: "is neither the id of an event nor a nextCursor of this feed" }))
    : Effect.succeed(cursor)
}

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const streams = yield* EventStreams
    const publicUrl = yield* PublicUrl
    return handlers.handleAll({
      get: Effect.fn("v2.events.get")(function* ({ params: { eventId } }) {
        const { organisationId } = yield* Caller
        const position = parseCursor(eventId)?.position
        const facts = position === undefined ? [] : yield* events.facts(organisationId, [position])
        const event = facts.flatMap(eventsOf).find(({ id }) => id === eventId)
        return event ?? (yield* new NotFound({ kind: "event", id: eventId }))
      }),
      list: Effect.fn("v2.events.list")(function* ({ headers, query, request }) {
        const caller = yield* Caller
        const filter = { types: typesOf(query.type), siteId: query.siteId, chargerId: query.chargerId }
        const given = yield* cursorFrom("/cursor", query.cursor)
        const raw = yield* HttpServerRequest.HttpServerRequest
        if (wantsStream(raw.headers["accept"])) {
          const resumed = yield* cursorFrom("/Last-Event-ID", headers["last-event-id"])
          const after = resumed ?? given ?? (yield* events.now)
          // A cursor that does not belong to this database is refused now, while the answer can still have a status.
          yield* events.page(caller.organisationId, { after, limit: 1 })
          const presented = { key: raw.headers["x-api-key"] ?? "", cookie: cookieOf(publicUrl, raw) }
          return yield* streams.follow({ ...filter, ...presented, caller, after })
        }
        const { limit } = pageRequest(query)
        const page = yield* events.page(caller.organisationId, { ...filter, after: given ?? beginning, limit })
        const texts = yield* itemTexts(page.events, (event) => event)
        const count = fitting(texts)
        const isWhole = count === page.events.length
        // The id of an event is the cursor after it.
        const nextCursor = isWhole ? formatCursor(page.next) : page.events[count - 1]!.id
        const link = page.isEnd && isWhole ? undefined : nextLink(publicUrl, request.url, nextCursor)
        return listAnswer(texts.slice(0, count), nextCursor, link)
      })
    })
  })
)
