/**
 * Shares work between all streams of a process, so that two hundred open consoles cost little more than one. A page that several streams
 * request at once is read once, and one query on the journal detects whether anyone's access has changed.
 */
import { Clock, Deferred, Effect, Fiber, type Scope } from "effect"
import type { Conflict, StorageUnavailable } from "../../../domain/Errors.ts"
import { formatCursor } from "../../../domain/event/Event.ts"
import type { EventPage, Events } from "../../../domain/event/Events.ts"

type Port = Events["Service"]
type PageRequest = Parameters<Port["page"]>[1]

/** A signal to everyone who called `next` before it, even if they do not wait yet. A `Latch` would miss those. */
export const makeSignal = () => {
  let next = Deferred.makeUnsafe<void>()
  let sent = 0
  const send = Effect.suspend(() => {
    sent++
    const due = next
    next = Deferred.makeUnsafe<void>()
    return Deferred.succeed(due, undefined)
  })
  return { next: () => Deferred.await(next), send, sent: () => sent }
}

export type Signal = ReturnType<typeof makeSignal>

/**
 * Reads a page once for all streams that request the same page while it is being read. Only requests after the same signal share a read: after
 * a later one, a shared read would lack the events that the signal announced.
 */
export const sharedPages = (events: Port, committed: Signal) =>
  Effect.map(Effect.scope, (scope) => {
    const reading = new Map<string, Fiber.Fiber<EventPage, Conflict | StorageUnavailable>>()
    return (organisationId: string, request: PageRequest): Effect.Effect<EventPage, Conflict | StorageUnavailable> =>
      Effect.suspend(() => {
        const { after, chargerId, limit, siteId, types } = request
        const key = JSON.stringify([
          committed.sent(),
          organisationId,
          formatCursor(after),
          limit,
          types,
          siteId,
          chargerId
        ])
        const known = reading.get(key)
        if (known !== undefined) return Fiber.join(known)
        // In its own fiber, since the stream that requested it first may end.
        const read = Effect.ensuring(
          events.page(organisationId, request),
          Effect.sync(() => void reading.delete(key))
        )
        return Effect.flatMap(Effect.forkIn(read, scope), (fiber) => {
          if (fiber.pollUnsafe() === undefined) reading.set(key, fiber)
          return Fiber.join(fiber)
        })
      })
  })

/** The shortest time between two checks. A change still ends a stream well within a second. */
const betweenLooksMillis = 200

/** The pause between checks while the database is unavailable. */
const retryMillis = 1_000

/** A count that increases whenever someone's access to events may have changed. */
export interface AccessWatch {
  readonly changes: () => number
}

/** Checks after each commit, while any stream is open. The first check after no stream was open counts as a change. */
export const watchAccess = (
  events: Port,
  { changed: sendChanged, committed }: { readonly committed: Signal; readonly changed: Effect.Effect<unknown> },
  isAnyOpen: () => boolean
): Effect.Effect<AccessWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    let changes = 0
    let position: number | undefined
    const changed = Effect.suspend(() => {
      changes++
      return sendChanged
    })
    const look = Effect.gen(function* () {
      if (!isAnyOpen()) {
        position = undefined
        return
      }
      if (position === undefined) {
        position = (yield* events.now).position
        return yield* changed
      }
      const { isChanged, upTo } = yield* events.accessChanged(position)
      position = upTo
      if (isChanged) yield* changed
    })
    let lookedAt = Number.NEGATIVE_INFINITY
    const step = Effect.gen(function* () {
      const nextCommit = committed.next()
      const now = yield* Clock.currentTimeMillis
      if (now - lookedAt < betweenLooksMillis) yield* Effect.sleep(betweenLooksMillis - (now - lookedAt))
      lookedAt = yield* Clock.currentTimeMillis
      yield* look
      yield* nextCommit
    })
    yield* Effect.forkScoped(
      Effect.forever(Effect.catchTag(step, "StorageUnavailable", () => Effect.sleep(retryMillis)))
    )
    return { changes: () => changes }
  })
