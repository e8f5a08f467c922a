/**
 * What all streams of a process share, so that two hundred open consoles cost little more than one: a page that several ask for at once is read once, and
 * one look at the journal says whether anything has changed who may read.
 */
import { Clock, Deferred, Effect, Fiber, type Scope } from "effect"
import type { Conflict, StorageUnavailable } from "../../../domain/Errors.ts"
import { formatCursor } from "../../../domain/event/Event.ts"
import type { EventPage, Events } from "../../../domain/event/Events.ts"

type Port = Events["Service"]
type PageRequest = Parameters<Port["page"]>[1]

/** Rings for all who took it before, also for those who do not wait yet, which a `Latch` would not. */
export const makeBell = () => {
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

export type Bell = ReturnType<typeof makeBell>

/**
 * Reads a page for all who ask for the same one before it has come. Only among those who ask after the same ring: who asks after a later one would miss
 * what it rang for.
 */
export const sharedPages = (events: Port, bell: Bell) =>
  Effect.map(Effect.scope, (scope) => {
    const reading = new Map<string, Fiber.Fiber<EventPage, Conflict | StorageUnavailable>>()
    return (organisationId: string, request: PageRequest): Effect.Effect<EventPage, Conflict | StorageUnavailable> =>
      Effect.suspend(() => {
        const { after, chargerId, limit, siteId, types } = request
        const key = JSON.stringify([bell.rings(), organisationId, formatCursor(after), limit, types, siteId, chargerId])
        const known = reading.get(key)
        if (known !== undefined) return Fiber.join(known)
        // In a fiber of its own: the reader who asked first may go.
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

/** Looks at most so often. What is done here ends a stream well within a second. */
const betweenLooksMillis = 200

/** Between looks while the database is away. */
const retryMillis = 1_000

/** A count that goes up whenever something may have changed who may read events. */
export interface AccessWatch {
  readonly changes: () => number
}

/** Looks after each commit, for as long as anything is open; a look that began before nothing was open counts as a change. */
export const watchAccess = (
  events: Port,
  { changed: ring, commits }: { readonly commits: Bell; readonly changed: Effect.Effect<unknown> },
  isAnyOpen: () => boolean
): Effect.Effect<AccessWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    let changes = 0
    let position: number | undefined
    const changed = Effect.suspend(() => {
      changes++
      return ring
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
      const rung = commits.take()
      const now = yield* Clock.currentTimeMillis
      if (now - lookedAt < betweenLooksMillis) yield* Effect.sleep(betweenLooksMillis - (now - lookedAt))
      lookedAt = yield* Clock.currentTimeMillis
      yield* look
      yield* rung
    })
    yield* Effect.forkScoped(
      Effect.forever(Effect.catchTag(step, "StorageUnavailable", () => Effect.sleep(retryMillis)))
    )
    return { changes: () => changes }
  })
