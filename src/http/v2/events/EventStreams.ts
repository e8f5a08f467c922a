/**
 * Server-sent events (HTML §9.2) of the feed. A stream is pulled: it reads the next page when the one before has gone out, so that a slow reader
 * costs one page of memory and misses nothing. It goes on for as long as its key may read events, and ends when the service does. Effect's `Sse` writes
 * no comments, and a keep-alive is a comment with an id.
 */
import { Clock, Context, Deferred, Effect, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TooMany } from "../../../domain/Errors.ts"
import { type Event, type EventCursor, formatCursor } from "../../../domain/event/Event.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing } from "../../../domain/operator/Permission.ts"
import { type EventFilter, Events } from "../../../domain/event/Events.ts"
import { Counts } from "../../../domain/values/Counts.ts"
import { proving, provingSignIn } from "../requests/AuthorizationLive.ts"

/** Streams of one organisation: a dashboard for each of its people, and its programs. */
const perOrganisation = 20

/** Streams of this process: each costs a query for every burst of facts. */
const perProcess = 200

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

/** Where anything was committed, whether the reader may go on is looked at again so often at most. */
const recheckMillis = 200

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

/** Rings for all who took it before, also for those who do not wait yet, which a `Latch` would not. */
const makeBell = () => {
  let bell = Deferred.makeUnsafe<void>()
  let rings = 0
  const ring = Effect.suspend(() => {
    rings++
    const rung = bell
    bell = Deferred.makeUnsafe<void>()
    return Deferred.succeed(rung, undefined)
  })
  return { take: () => Deferred.await(bell), ring, rings: () => rings }
}

const tooMany = new TooMany({
  code: "too_many_streams",
  message: `No more than ${perOrganisation} streams of events are open at a time. Close one, or read the feed by cursor.`,
  retryAfterSeconds: 30
})

interface State {
  readonly after: EventCursor
  readonly checkedAt: number
  /** Rings of the bell until then. */
  readonly checkedRings: number
}

const making = Effect.fnUntraced(function* (keepAliveMillis: number, ending: Effect.Effect<void>) {
  const events = yield* Events
  const principalOf = yield* proving(() => Effect.void)
  const signedIn = yield* provingSignIn
  const bell = makeBell()
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
      let { after, checkedAt, checkedRings } = state
      const since = yield* Clock.currentTimeMillis
      // A stream ends between two pulls, and so as a whole: a client that is cut off in the middle takes it for a fault.
      for (;;) {
        const rung = bell.take()
        if (service.isEnding) return undefined
        const now = yield* Clock.currentTimeMillis
        // What ends a key or sign-in is a fact, and rings like any other: its streams end soon after it.
        const isStale = bell.rings() !== checkedRings
        if (now - checkedAt >= (isStale ? recheckMillis : keepAliveMillis)) {
          checkedRings = bell.rings()
          if (!(yield* mayGoOn(following))) return undefined
          checkedAt = now
        }
        const page = yield* events
          .page(following.caller.organisationId, { ...following, after, limit: pageEvents })
          .pipe(Effect.catchTag("StorageUnavailable", () => Effect.undefined))
        if (page !== undefined && page.events.length > 0) {
          return [page.events.map(written).join(""), { after: page.next, checkedAt, checkedRings }] as const
        }
        after = page?.next ?? after
        const left = keepAliveMillis - (now - since)
        if (left <= 0) return [comment("keep-alive", after), { after, checkedAt, checkedRings }] as const
        if (page === undefined) yield* Effect.sleep(retryMillis)
        else if (page.isEnd) {
          yield* Effect.raceFirst(rung, Effect.sleep(isStale ? Math.min(left, recheckMillis) : left))
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
      const { next } = yield* making(keepAliveMillis, ending)
      /** Streams of each organisation that are open. */
      const open = new Counts()
      const isFull = (id: string): boolean => open.all >= perProcess || open.of(id) >= perOrganisation
      const follow = Effect.fn("EventStreams.follow")(function* (following: Following) {
        const id = following.caller.organisationId
        if (isFull(id)) return yield* tooMany
        const greeting = `retry: ${reconnectMillis}\n${comment("connected", following.after)}`
        const body = Stream.unwrap(
          Effect.gen(function* () {
            const checkedAt = yield* Clock.currentTimeMillis
            // Others may have come in between: the reader is asked to come again.
            if (isFull(id)) return Stream.empty
            yield* Effect.acquireRelease(
              Effect.sync(() => open.add(id, 1)),
              () => Effect.sync(() => open.add(id, -1))
            )
            return Stream.unfold({ after: following.after, checkedAt, checkedRings: -1 }, next(following))
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
