/**
 * Server-sent events (HTML §9.2) of the feed, and of what else is followed live. A stream is pulled: it reads the next page when the one before has gone out, so that a slow reader
 * costs one page of memory and misses nothing. It goes on for as long as its key may read events, and ends when the service does. Effect's `Sse` writes
 * no comments, and a keep-alive is a comment with an id.
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
import { makeBell, sharedPages, watchAccess } from "./SharedReading.ts"

/** Streams of one sign-in: its tabs share one of events where the browser lets them, and each that is looked at may follow a log. */
const perSignIn = 8

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

/** Who reads a stream. */
export interface Reader {
  readonly caller: Principal
  /** As presented: looked at again while the stream runs. A key is the one that counts where both came. */
  readonly key: string
  /** The secret of the cookie. */
  readonly cookie: string | undefined
}

/** What lies behind a cursor. */
export interface Piece<Cursor> {
  /** Whole server-sent events; empty where there are none. */
  readonly text: string
  readonly next: Cursor
  readonly isEnd: boolean
}

/** What is streamed, from a cursor on. */
export interface Source<Cursor> {
  readonly permission: Permission
  readonly after: Cursor
  /** The cursor as the id of a server-sent event. */
  readonly idOf: (cursor: Cursor) => string
  readonly read: (after: Cursor) => Effect.Effect<Piece<Cursor>, StorageUnavailable>
  /** Begins to listen for as long as the stream is open. What it gives is taken before each read, and ends once there may be more. */
  readonly words: Effect.Effect<() => Effect.Effect<void>, never, Scope.Scope>
}

export interface Following extends EventFilter, Reader {
  readonly after: EventCursor
}

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /** The answer that streams, or `TooMany` `too_many_streams`. */
    readonly stream: <Cursor>(
      reader: Reader,
      source: Source<Cursor>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, TooMany>
    /** Streams the feed of events. */
    readonly follow: (following: Following) => Effect.Effect<HttpServerResponse.HttpServerResponse, TooMany>
  }
>()("voltlane/http/v2/EventStreams") {}

/** Without a word, streams look again after this. */
const lookEveryMillis = 1_000

const written = (event: Event): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A comment that keeps proxies from hanging up; the id behind it is noted by the reader, who then resumes from here (HTML §9.2.6). */
const comment = (text: string, id: string): string => `: ${text}\nid: ${id}\n\n`

const tooMany = (most: number, whose: string) =>
  new TooMany({
    code: "too_many_streams",
    message: `No more than ${most} streams of events of ${whose} are open at a time. Close one, or read the feed by cursor.`,
    retryAfterSeconds: 30
  })

interface State<Cursor> {
  readonly after: Cursor
  readonly checkedAt: number
  /** Changes of who may read until then. */
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
  const bell = makeBell()
  const pageOf = yield* sharedPages(events, bell)
  /** Rings for all streams, whatever they are of. */
  const alarm = makeBell()
  const access = yield* watchAccess(events, { commits: bell, changed: alarm.ring }, isAnyOpen)
  yield* Effect.forkScoped(Stream.runForEach(events.committed, () => bell.ring))
  // A word may be lost, and some writers give none.
  const look = Effect.suspend(() => (isAnyOpen() ? bell.ring : Effect.void))
  const pause = Effect.andThen(anyOpened.await, Effect.sleep(lookEveryMillis))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, look)))
  const service = { isEnding: false }
  const end = Effect.andThen(
    ending,
    Effect.suspend(() => {
      service.isEnding = true
      return alarm.ring
    })
  )
  yield* Effect.forkScoped(end)

  /** Still the same organisation's, and still with the right to read. While the database is away that cannot be checked. */
  const mayGoOn = ({ caller, cookie, key }: Reader, permission: Permission) =>
    (key === "" && cookie !== undefined ? signedIn(cookie) : principalOf(key)).pipe(
      Effect.map(
        ({ organisationId, permissions }) =>
          organisationId === caller.organisationId && missing(permissions, [permission]).length === 0
      ),
      Effect.catchTags({ Unauthorized: () => Effect.succeed(false), StorageUnavailable: () => Effect.succeed(true) })
    )

  /** What is to be sent next, as soon as there is something. Undefined ends the stream. */
  const next = <Cursor>(reader: Reader, { idOf, permission, read }: Source<Cursor>, word: () => Effect.Effect<void>) =>
    Effect.fnUntraced(function* (state: State<Cursor>) {
      let { after, checkedAt, checkedChanges } = state
      const since = yield* Clock.currentTimeMillis
      // A stream ends between two pulls, and so as a whole: a client that is cut off in the middle takes it for a fault.
      for (;;) {
        const alarmed = alarm.take()
        const more = word()
        if (service.isEnding) return undefined
        const now = yield* Clock.currentTimeMillis
        // What ends a key or sign-in is a fact: its streams end soon after it.
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

  return { next, bell, pageOf }
})

/** The feed as a source. */
const eventsOf = (
  { after, caller, ...filter }: Following,
  { bell, pageOf }: Pick<Effect.Success<ReturnType<typeof making>>, "bell" | "pageOf">
): Source<EventCursor> => ({
  permission: "events:read",
  after,
  idOf: formatCursor,
  words: Effect.succeed(bell.take),
  read: (from) =>
    Effect.map(
      // A cursor that was taken once is not ahead of the journal.
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
      /** Streams that are open, of each organisation and of each sign-in and key. */
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
            // Others may have come in between: the reader is asked to come again.
            if (refusal(reader) !== undefined) return Stream.empty
            yield* Effect.acquireRelease(count(reader, 1), () => count(reader, -1))
            const word = yield* source.words
            return Stream.unfold(
              { after: source.after, checkedAt, checkedChanges: -1 },
              made.next(reader, source, word)
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
