/**
 * Server-sent events (HTML §9.2) of the feed and of other live data. A stream is pulled: it reads the next page when the previous one has
 * been sent, so a slow reader costs one page of memory and misses nothing. A stream runs for as long as its key or sign-in may read, and
 * ends when the service drains. Effect's `Sse` cannot write comments, but a keep-alive is a comment with an id.
 */
import { Clock, Context, Effect, Latch, Layer, type Scope, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { type StorageUnavailable, TooMany } from "../../../domain/Errors.ts"
import { type Event, type EventCursor, formatCursor } from "../../../domain/event/Event.ts"
import type { Principal } from "../../../domain/values/AuditContext.ts"
import { missing, type Permission } from "../../../domain/operator/Permission.ts"
import { type EventFilter, Events } from "../../../domain/event/Events.ts"
import { Counts } from "../../../domain/values/Counts.ts"
import { proving, provingSignIn } from "../requests/AuthorizationLive.ts"
import { makeSignal, sharedPages, watchAccess } from "./SharedReading.ts"

/** Most streams of one sign-in. Its tabs share one stream of events if the browser supports it, and each visible tab may follow a log. */
const perSignIn = 8

/** Most streams of one key. */
const perKey = 20

/** Most streams of one organisation: a console for each of its people, and its programs. */
const perOrganisation = 200

/** Most streams of this process. */
const perProcess = 2_000

/** Events per read: what a slow reader holds in memory, about 50 KiB. */
const pageEvents = 100

/** Proxies close connections that are idle for a minute. */
const defaultKeepAliveMillis = 15_000

export interface EventStreamsOptions {
  /** Completes when the service drains, which ends all streams. Chargers and other requests are still served after that. */
  readonly ending: Effect.Effect<void>
  readonly keepAliveMillis?: number
}

/** Facts come in bursts, so a stream reads at most ten times a second. */
const betweenLooksMillis = 100

/** The pause between reads while the database is unavailable. */
const retryMillis = 1_000

/** How long a client is to wait before it reconnects. */
const reconnectMillis = 2_000

/** The reader of a stream. */
export interface Reader {
  readonly caller: Principal
  /** The key as presented, which is checked again while the stream runs. If both a key and a cookie came, the key counts. */
  readonly key: string
  /** The secret of the cookie. */
  readonly cookie: string | undefined
}

/** What follows a cursor. */
export interface Piece<Cursor> {
  /** Whole server-sent events; empty if there are none. */
  readonly text: string
  readonly next: Cursor
  readonly isEnd: boolean
}

/** What is streamed, starting after a cursor. */
export interface Source<Cursor> {
  readonly permission: Permission
  readonly after: Cursor
  /** The cursor as the id of a server-sent event. */
  readonly idOf: (cursor: Cursor) => string
  readonly read: (after: Cursor) => Effect.Effect<Piece<Cursor>, StorageUnavailable>
  /**
   * Subscribes to notifications for as long as the stream is open. The inner effect is started before each read, and completes once there
   * may be more to read.
   */
  readonly signals: Effect.Effect<() => Effect.Effect<void>, never, Scope.Scope>
}

export interface Following extends EventFilter, Reader {
  readonly after: EventCursor
}

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /** The streaming answer, or `TooMany` `too_many_streams`. */
    readonly stream: <Cursor>(
      reader: Reader,
      source: Source<Cursor>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, TooMany>
    /** Streams the feed of events. */
    readonly follow: (following: Following) => Effect.Effect<HttpServerResponse.HttpServerResponse, TooMany>
  }
>()("voltlane/http/v2/EventStreams") {}

/** Without a notification, streams read again after this time. */
const lookEveryMillis = 1_000

const written = (event: Event): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A comment that keeps proxies from closing the connection. The reader stores the id after it, and resumes from there (HTML §9.2.6). */
const comment = (text: string, id: string): string => `: ${text}\nid: ${id}\n\n`

const tooMany = (most: number, whose: string) =>
  new TooMany({
    code: "too_many_streams",
    message: `At most ${most} event streams of ${whose} can be open at a time. Close one, or read the feed with a cursor.`,
    retryAfterSeconds: 30
  })

interface State<Cursor> {
  readonly after: Cursor
  readonly checkedAt: number
  /** The count of access changes at that check. */
  readonly checkedChanges: number
}

const making = Effect.fnUntraced(function* (
  keepAliveMillis: number,
  ending: Effect.Effect<void>,
  isAnyOpen: () => boolean,
  anyOpened: Latch.Latch
) {
  const events = yield* Events
  const principalOf = yield* proving(() => Effect.void)
  const signedIn = yield* provingSignIn
  const committed = makeSignal()
  const pageOf = yield* sharedPages(events, committed)
  /** Sent to all streams, whatever their source. */
  const alarm = makeSignal()
  const access = yield* watchAccess(events, { committed, changed: alarm.send }, isAnyOpen)
  yield* Effect.forkScoped(Stream.runForEach(events.committed, () => committed.send))
  // Notifications may be lost, and some writers send none.
  const look = Effect.suspend(() => (isAnyOpen() ? committed.send : Effect.void))
  const pause = Effect.andThen(anyOpened.await, Effect.sleep(lookEveryMillis))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, look)))
  const service = { isEnding: false }
  const end = Effect.andThen(
    ending,
    Effect.suspend(() => {
      service.isEnding = true
      return alarm.send
    })
  )
  yield* Effect.forkScoped(end)

  /**
   * Whether the reader still belongs to the same organisation and still has the permission. While the database is unavailable this cannot
   * be checked, and the stream continues.
   */
  const mayGoOn = ({ caller, cookie, key }: Reader, permission: Permission) =>
    (key === "" && cookie !== undefined ? signedIn(cookie) : principalOf(key)).pipe(
      Effect.map(
        ({ organisationId, permissions }) =>
          organisationId === caller.organisationId && missing(permissions, [permission]).length === 0
      ),
      Effect.catchTags({ Unauthorized: () => Effect.succeed(false), StorageUnavailable: () => Effect.succeed(true) })
    )

  /** The next piece to send, as soon as there is one. Undefined ends the stream. */
  const next = <Cursor>(
    reader: Reader,
    { idOf, permission, read }: Source<Cursor>,
    nextSignal: () => Effect.Effect<void>
  ) =>
    Effect.fnUntraced(function* (state: State<Cursor>) {
      let { after, checkedAt, checkedChanges } = state
      const since = yield* Clock.currentTimeMillis
      // A stream ends only between two pulls, so that the answer is complete: a client would treat an answer cut off in the middle as an error.
      for (;;) {
        const alarmed = alarm.next()
        const more = nextSignal()
        if (service.isEnding) return undefined
        const now = yield* Clock.currentTimeMillis
        // The end of a key or sign-in is a fact, so its streams end soon after.
        const changes = access.changes()
        if (changes !== checkedChanges || now - checkedAt >= keepAliveMillis) {
          checkedChanges = changes
          if (!(yield* mayGoOn(reader, permission))) return undefined
          checkedAt = now
        }
        const piece = yield* Effect.catchTag(read(after), "StorageUnavailable", () => Effect.undefined)
        after = piece === undefined ? after : piece.next
        if (piece !== undefined && piece.text !== "") {
          return [piece.text, { after, checkedAt, checkedChanges }] as const
        }
        const left = keepAliveMillis - (now - since)
        if (left <= 0) return [comment("keep-alive", idOf(after)), { after, checkedAt, checkedChanges }] as const
        if (piece === undefined) yield* Effect.sleep(retryMillis)
        else if (piece.isEnd) {
          yield* Effect.raceFirst(Effect.raceFirst(more, alarmed), Effect.sleep(left))
          if (!service.isEnding) yield* Effect.sleep(betweenLooksMillis)
        }
      }
    })

  return { next, committed, pageOf }
})

/** The feed of events as a source. */
const eventsOf = (
  { after, caller, ...filter }: Following,
  { committed, pageOf }: Pick<Effect.Success<ReturnType<typeof making>>, "committed" | "pageOf">
): Source<EventCursor> => ({
  permission: "events:read",
  after,
  idOf: formatCursor,
  signals: Effect.succeed(committed.next),
  read: (from) =>
    Effect.map(
      // A cursor that was accepted once cannot be ahead of the journal.
      Effect.catchTag(
        pageOf(caller.organisationId, { ...filter, after: from, limit: pageEvents }),
        "Conflict",
        Effect.die
      ),
      ({ events, isEnd, next }) => ({ text: events.map(written).join(""), next, isEnd })
    )
})

export const layer = ({ ending, keepAliveMillis = defaultKeepAliveMillis }: EventStreamsOptions) =>
  Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      /** Open streams, by organisation; `ofCallers` counts them by sign-in and key. */
      const open = new Counts()
      const anyOpened = Latch.makeUnsafe(false)
      const ofCallers = new Counts()
      const made = yield* making(keepAliveMillis, ending, () => open.all > 0, anyOpened)
      const refusal = ({ caller: { keyId, organisationId }, key }: Reader): TooMany | undefined => {
        if (open.all >= perProcess) return tooMany(perProcess, "this service")
        if (open.of(organisationId) >= perOrganisation) return tooMany(perOrganisation, "an organisation")
        const most = key === "" ? perSignIn : perKey
        return ofCallers.of(keyId) >= most ? tooMany(most, key === "" ? "a sign-in" : "a key") : undefined
      }
      const count = ({ caller: { keyId, organisationId } }: Reader, change: 1 | -1) =>
        Effect.sync(() => {
          open.add(organisationId, change)
          if (open.all > 0) anyOpened.openUnsafe()
          else anyOpened.closeUnsafe()
          ofCallers.add(keyId, change)
        })
      const stream = Effect.fn("EventStreams.stream")(function* <Cursor>(reader: Reader, source: Source<Cursor>) {
        const refused = refusal(reader)
        if (refused !== undefined) return yield* refused
        const greeting = `retry: ${reconnectMillis}\n${comment("connected", source.idOf(source.after))}`
        const body = Stream.unwrap(
          Effect.gen(function* () {
            const checkedAt = yield* Clock.currentTimeMillis
            // Other streams may have opened in the meantime. Then this one ends, and the client reconnects.
            if (refusal(reader) !== undefined) return Stream.empty
            yield* Effect.acquireRelease(count(reader, 1), () => count(reader, -1))
            const nextSignal = yield* source.signals
            return Stream.unfold(
              { after: source.after, checkedAt, checkedChanges: -1 },
              made.next(reader, source, nextSignal)
            )
          })
        )
        const whole = Stream.concat(Stream.succeed(greeting), body)
        return HttpServerResponse.stream(Stream.encodeText(whole), {
          contentType: "text/event-stream",
          headers: { "x-accel-buffering": "no" }
        })
      })
      return EventStreams.of({ stream, follow: (following) => stream(following, eventsOf(following, made)) })
    })
  )
