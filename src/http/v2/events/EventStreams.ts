/**
 * Server-sent events (HTML §9.2) of the feed. A stream is pulled: it reads the next page when the one before has gone out, so that a slow reader
 * costs one page of memory and misses nothing. It goes on for as long as its key may read events, and ends when the service does. Effect's `Sse` writes
 * no comments, and a keep-alive is a comment with an id.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import { type Event, type EventCursor, formatCursor } from "../../../domain/event/Event.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { type EventFilter, Events } from "../../../domain/event/Events.ts"
import { Counts } from "../../../domain/values/Counts.ts"
import { proving, provingSignIn } from "../requests/AuthorizationLive.ts"
import { makeBell, sharedPages, watchAccess } from "./SharedReading.ts"

/** Streams of one sign-in: its tabs share one, where the browser lets them; where it does not it opens no more than six to one host. */
const perSignIn = 6

/** Streams of one key. */
const perKey = 20

/** Streams of one organisation: a console for each of its people, and its programs. */
const perOrganisation = 200

/** Streams of this process. */
const perProcess = 2_000

/** Events of one read: what a slow reader holds in memory, about 50 KiB. */
const pageEvents = 100

/** Proxies drop what is silent for a minute. */
const defaultKeepAliveMillis = 15_000

export interface EventStreamsOptions {
  /** Completes when the service drains. It ends all streams: chargers and other requests are still answered after it. */
  readonly ending: Effect.Effect<void>
  readonly keepAliveMillis?: number
}

/** Facts come in bursts; a reader looks at most ten times a second. */
const betweenLooksMillis = 100

/** Between looks while the database is away. */
const retryMillis = 1_000

/** When the reader is to come again after an end. */
const reconnectMillis = 2_000

export interface Following extends EventFilter {
  readonly caller: Principal
  /** As presented: looked at again while the stream runs. A key is the one that counts where both came. */
  readonly key: string
  /** The secret of the cookie. */
  readonly cookie: string | undefined
  readonly after: EventCursor
}

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /** The answer that streams, or `TooMany` `too_many_streams`. */
    readonly follow: (following: Following) => Effect.Effect<HttpServerResponse.HttpServerResponse, TooMany>
  }
>()("voltlane/http/v2/EventStreams") {}

const written = (event: Event): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A comment that keeps proxies from hanging up; the id behind it is noted by the reader, who then resumes from here (HTML §9.2.6). */
const comment = (text: string, cursor: EventCursor): string => `: ${text}\nid: ${formatCursor(cursor)}\n\n`

const tooMany = (most: number, whose: string) =>
  new TooMany({
    code: "too_many_streams",
    message: `No more than ${most} streams of events of ${whose} are open at a time. Close one, or read the feed by cursor.`,
    retryAfterSeconds: 30
  })

interface State {
  readonly after: EventCursor
  readonly checkedAt: number
  /** Changes of who may read until then. */
  readonly checkedChanges: number
}

const making = Effect.fnUntraced(function* (
  keepAliveMillis: number,
  ending: Effect.Effect<void>,
  isAnyOpen: () => boolean
) {
  const events = yield* Events
  const principalOf = yield* proving(() => Effect.void)
  const signedIn = yield* provingSignIn
  const bell = makeBell()
  const pageOf = yield* sharedPages(events, bell)
  const access = yield* watchAccess(events, bell, isAnyOpen)
  yield* Effect.forkScoped(Stream.runForEach(events.committed, () => bell.ring))
  const service = { isEnding: false }
  const end = Effect.andThen(
    ending,
    Effect.suspend(() => {
      service.isEnding = true
      return bell.ring
    })
  )
  yield* Effect.forkScoped(end)

  /** Still the same organisation's, and still with the right to read. While the database is away that cannot be checked. */
  const mayGoOn = ({ caller, cookie, key }: Following) =>
    (key === "" && cookie !== undefined ? signedIn(cookie) : principalOf(key)).pipe(
      Effect.map(
        ({ organisationId, permissions }) =>
          organisationId === caller.organisationId && missing(permissions, ["events:read"]).length === 0
      ),
      Effect.catchTags({ Unauthorized: () => Effect.succeed(false), StorageUnavailable: () => Effect.succeed(true) })
    )

  /** What is to be sent next, as soon as there is something. Undefined ends the stream. */
  const next = (following: Following) =>
    Effect.fnUntraced(function* (state: State) {
      let { after, checkedAt, checkedChanges } = state
      const since = yield* Clock.currentTimeMillis
      // A stream ends between two pulls, and so as a whole: a client that is cut off in the middle takes it for a fault.
      for (;;) {
        const rung = bell.take()
        if (service.isEnding) return undefined
        const now = yield* Clock.currentTimeMillis
        // What ends a key or sign-in is a fact: its streams end soon after it.
        const changes = access.changes()
        if (changes !== checkedChanges || now - checkedAt >= keepAliveMillis) {
          checkedChanges = changes
          if (!(yield* mayGoOn(following))) return undefined
          checkedAt = now
        }
        const page = yield* pageOf(following.caller.organisationId, { ...following, after, limit: pageEvents }).pipe(
          Effect.catchTag("StorageUnavailable", () => Effect.undefined)
        )
        if (page !== undefined && page.events.length > 0) {
          return [page.events.map(written).join(""), { after: page.next, checkedAt, checkedChanges }] as const
        }
        after = page?.next ?? after
        const left = keepAliveMillis - (now - since)
        if (left <= 0) return [comment("keep-alive", after), { after, checkedAt, checkedChanges }] as const
        if (page === undefined) yield* Effect.sleep(retryMillis)
        else if (page.isEnd) {
          yield* Effect.raceFirst(rung, Effect.sleep(left))
          if (!service.isEnding) yield* Effect.sleep(betweenLooksMillis)
        }
      }
    })

  return { next }
})

export const layer = ({ ending, keepAliveMillis = defaultKeepAliveMillis }: EventStreamsOptions) =>
  Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      /** Streams that are open, of each organisation and of each sign-in and key. */
      const open = new Counts()
      const ofCallers = new Counts()
      const { next } = yield* making(keepAliveMillis, ending, () => open.all > 0)
      const refusal = ({ caller: { keyId, organisationId }, key }: Following): TooMany | undefined => {
        if (open.all >= perProcess) return tooMany(perProcess, "this service")
        if (open.of(organisationId) >= perOrganisation) return tooMany(perOrganisation, "an organisation")
        const most = key === "" ? perSignIn : perKey
        return ofCallers.of(keyId) >= most ? tooMany(most, key === "" ? "a sign-in" : "a key") : undefined
      }
      const count = ({ caller: { keyId, organisationId } }: Following, change: 1 | -1) =>
        Effect.sync(() => {
          open.add(organisationId, change)
          ofCallers.add(keyId, change)
        })
      const follow = Effect.fn("EventStreams.follow")(function* (following: Following) {
        const refused = refusal(following)
        if (refused !== undefined) return yield* refused
        const greeting = `retry: ${reconnectMillis}\n${comment("connected", following.after)}`
        const body = Stream.unwrap(
          Effect.gen(function* () {
            const checkedAt = yield* Clock.currentTimeMillis
            // Others may have come in between: the reader is asked to come again.
            if (refusal(following) !== undefined) return Stream.empty
            yield* Effect.acquireRelease(count(following, 1), () => count(following, -1))
            return Stream.unfold({ after: following.after, checkedAt, checkedChanges: -1 }, next(following))
          })
        )
        const stream = Stream.concat(Stream.succeed(greeting), body)
        return HttpServerResponse.stream(Stream.encodeText(stream), {
          contentType: "text/event-stream",
          headers: { "x-accel-buffering": "no" }
        })
      })
      return EventStreams.of({ follow })
    })
  )
