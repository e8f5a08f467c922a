/** Callers that wait for a command of some id to end: each is woken by the word of it, or by its own clock. */
import { Effect, Latch } from "effect"

export interface Waiters {
  /** A place in the queue, taken before the caller looks, so that no word falls between look and wait. */
  readonly next: (id: string) => {
    /** Waits for the word, `millis` at most. */
    readonly within: (millis: number) => Effect.Effect<void>
    readonly forget: () => void
  }
  readonly ended: (id: string) => void
  readonly forget: (id: string) => void
}

interface Place {
  readonly word: Latch.Latch
  /** Callers that wait for the word now. */
  waiting: number
}

/** Words that are remembered until someone asks: one for each command of some seconds. */
const unheardAtMost = 1_000

export const makeWaiters = (): Waiters => {
  const places = new Map<string, Place>()
  /** Commands whose word came while no caller waited: one that has just issued it may be about to. Oldest first. */
  const unheard = new Set<string>()
  const forget = (id: string): void => {
    if (places.get(id)?.waiting === 0) places.delete(id)
  }
  return {
    next: (id) => {
      const place: Place = places.get(id) ?? { word: Latch.makeUnsafe(false), waiting: 0 }
      if (unheard.delete(id)) place.word.openUnsafe()
      else place.word.closeUnsafe()
      places.set(id, place)
      return {
        within: (millis) =>
          Effect.acquireUseRelease(
            Effect.sync(() => place.waiting++),
            () => Effect.timeoutOrElse(place.word.await, { duration: millis, orElse: () => Effect.void }),
            () => Effect.sync(() => place.waiting--)
          ),
        forget: () => forget(id)
      }
    },
    // An empty id is the database's way to say that words may have been missed.
    ended: (id) => {
      if (id === "") for (const place of places.values()) place.word.openUnsafe()
      else if (places.has(id)) places.get(id)?.word.openUnsafe()
      else {
        unheard.add(id)
        if (unheard.size > unheardAtMost) unheard.delete(unheard.values().next().value!)
      }
    },
    forget
  }
}
