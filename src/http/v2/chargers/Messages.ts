/** The endpoints of the message log over the domain's port. */
import { Clock, Effect, Schema, Option, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { mapInSlices, readingFor } from "../../../domain/values/ThreadTime.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import {
  formatTail,
  type KeptFrame,
  type MessageFilter,
  MessageLog,
  parseTail,
  tailBackMillis,
  tailBehind,
  type TailPosition
} from "../../../domain/charger/MessageLog.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import { EventStreams, type Source } from "../events/EventStreams.ts"
import { wantsStream } from "../events/Events.ts"
import { makeSignal, type Signal } from "../events/SharedReading.ts"
import { cookieOf } from "../requests/Cookies.ts"
import { Caller } from "../requests/Middleware.ts"
import { listed, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { kindsOf, LoggedMessage, listedOf } from "./MessagesApi.ts"

const shown = ({ chargerId: _, organisationId: __, ...message }: KeptFrame): typeof LoggedMessage.Type => message

const encode = Schema.encodeSync(LoggedMessage)
const line = (frame: KeptFrame): string => JSON.stringify(encode(shown(frame)))

interface Query {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly action?: string | undefined
  readonly kind?: string | undefined
  readonly q?: string | undefined
  readonly trouble?: boolean | undefined
}

const filterOf = ({ action, from, kind, q, to, trouble }: Query): MessageFilter => ({
  from,
  to,
  actions: listedOf(action),
  kinds: kindsOf(kind),
  text: q?.trim(),
  isTrouble: trouble
})

/** Frames per read of a stream. */
const tailFrames = 100

/** Frames per read of an export. */
const exportPage = 200

/** How late a follower sees frames that another process has written, since this process is not notified of them. */
const otherwiseMillis = 1_000

/** Wakes the followers of a charger when its frames have been written. */
const followers = Effect.gen(function* () {
  const messages = yield* MessageLog
  const signals = new Map<string, { readonly signal: Signal; readers: number }>()
  yield* Effect.forkScoped(
    Stream.runForEach(messages.written, (chargerId) => signals.get(chargerId)?.signal.send ?? Effect.void)
  )
  /** Subscribes for as long as the scope is open. */
  return (chargerId: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const known = signals.get(chargerId) ?? { signal: makeSignal(), readers: 0 }
        known.readers++
        signals.set(chargerId, known)
        return known.signal
      }),
      () =>
        Effect.sync(() => {
          const known = signals.get(chargerId)
          if (known !== undefined && --known.readers === 0) signals.delete(chargerId)
        })
    )
})

/** A charger's log as the source of a stream. */
const tailing =
  (messages: MessageLog["Service"], following: Effect.Success<typeof followers>) =>
  (organisation: string, chargerId: string, after: TailPosition): Source<TailPosition> => ({
    permission: "chargers:read",
    after,
    idOf: formatTail,
    signals: Effect.map(
      following(chargerId),
      (signal) => () => Effect.raceFirst(signal.next(), Effect.sleep(otherwiseMillis))
    ),
    read: (from) =>
      Effect.map(messages.tail(organisation, chargerId, from, tailFrames), (frames) => {
        let position = from
        const text = frames.map((frame) => {
          position = tailBehind(position, [frame])
          return `id: ${formatTail(position)}\nevent: message\ndata: ${line(frame)}\n\n`
        })
        return { text: text.join(""), next: position, isEnd: frames.length < tailFrames }
      })
  })

/** Where a stream resumes. Without an id it starts now. */
const tailFrom = Effect.fnUntraced(function* (text: string | undefined) {
  const now = yield* Clock.currentTimeMillis
  if (text === undefined || text === "") return { from: now, id: "0" }
  const position = parseTail(text)
  if (position === undefined) {
    return yield* new InvalidInput({ pointer: "/Last-Event-ID", detail: "is not the id of a frame of this stream" })
  }
  return { ...position, from: Math.max(position.from, now - tailBackMillis) }
})

export const chargerMessages = Effect.gen(function* () {
  const chargers = yield* Chargers
  const messages = yield* MessageLog
  const streams = yield* EventStreams
  const publicUrl = yield* PublicUrl
  const tailOf = tailing(messages, yield* followers)

  return {
    messages: Effect.fn("v2.chargers.messages")(function* ({
      headers,
      params,
      query,
      request
    }: {
      readonly headers: { readonly "last-event-id"?: string }
      readonly params: { readonly chargerId: string }
      readonly query: Query & { readonly cursor?: string; readonly limit?: number }
      readonly request: { readonly url: string }
    }) {
      const caller = yield* Caller
      // The log does not know which charger belongs to whom, so an id that is not the caller's is refused here.
      yield* chargers.get(caller.organisationId, params.chargerId)
      const raw = yield* HttpServerRequest.HttpServerRequest
      if (wantsStream(raw.headers["accept"])) {
        const after = yield* tailFrom(headers["last-event-id"])
        const reader = { caller, key: raw.headers["x-api-key"] ?? "", cookie: cookieOf(publicUrl, raw) }
        return yield* streams.stream(reader, tailOf(caller.organisationId, params.chargerId, after))
      }
      const search = { ...pageRequest(query), ...filterOf(query) }
      const page = yield* messages.search(caller.organisationId, params.chargerId, search)
      return yield* listed(publicUrl, request.url, page, shown)
    }),
    exportMessages: Effect.fn("v2.chargers.exportMessages")(function* ({
      params: { chargerId },
      query
    }: {
      readonly params: { readonly chargerId: string }
      readonly query: Query
    }) {
      const { keyId, organisationId: organisation } = yield* Caller
      yield* chargers.get(organisation, chargerId)
      const read = (cursor: string | undefined) =>
        messages.search(organisation, chargerId, { limit: exportPage, cursor, ...filterOf(query) })
      const first = yield* read(undefined)
      const pages = Stream.paginate(first, (page) =>
        Effect.gen(function* () {
          const text = (yield* mapInSlices(page.items, (frame) => `${line(frame)}\n`)).join("")
          const next =
            page.nextCursor === null ? Option.none() : Option.some(yield* readingFor(keyId, read(page.nextCursor)))
          return [[text], next] as const
        })
      )
      return HttpApiSchema.withHeaders({
        body: Stream.encodeText(pages),
        headers: { "content-disposition": 'attachment; filename="messages.jsonl"' }
      })
    })
  }
})
