/** Callers that wait for a command of some id to end: each is woken by the word of it, or by its own clock. */
import { Effect, Latch } from "effect"

export interface Waiters<How> {
  /** A place in the queue, taken before the caller looks, so that no word falls between look and wait. */
  readonly next: (id: string) => {
    /** Waits for the word, `millis` at most; answers what it said. */
    readonly within: (millis: number) => Effect.Effect<How | undefined>
  }
  /** `how` is what the word says of the end, where it says more than that there was one. */
  readonly ended: (id: string, how?: How) => void
  /** To be called by each caller that leaves. */
  readonly forget: (id: string) => void
}

interface Place<How> {
  readonly word: Latch.Latch
  how: How | undefined
  /** Callers that wait for the word now. */
  waiting: number
}

/** Words that are remembered until someone asks: one for each command of some seconds. */
const unheardAtMost = 1_000

export const makeWaiters = <How>(): Waiters<How> => {
  const places = new Map<string, Place<How>>()
  /** Commands whose word came while no caller waited: one that has just issued it may be about to. Oldest first. */
  const unheard = new Map<string, How | undefined>()
  const forget = (id: string): void => {
    if (places.get(id)?.waiting === 0) places.delete(id)
  }
  return {
    next: (id) => {
      const place: Place<How> = places.get(id) ?? { word: Latch.makeUnsafe(false), how: undefined, waiting: 0 }
      place.how = unheard.get(id)
      if (unheard.delete(id)) place.word.openUnsafe()
      else place.word.closeUnsafe()
      places.set(id, place)
      return {
        within: (millis) =>
          Effect.acquireUseRelease(
            Effect.sync(() => place.waiting++),
            () =>
              Effect.timeoutOrElse(
                Effect.map(place.word.await, () => place.how),
                { duration: millis, orElse: () => Effect.undefined }
              ),
            () => Effect.sync(() => place.waiting--)
          )
      }
    },
    // An empty id is the database's way to say that words may have been missed.
    ended: (id, how) => {
      const place = places.get(id)
      if (id === "") for (const { word } of places.values()) word.openUnsafe()
      else if (place !== undefined) {
        place.how ??= how
        place.word.openUnsafe()
      } else {
        unheard.set(id, how ?? unheard.get(id))
        if (unheard.size > unheardAtMost) unheard.delete(unheard.keys().next().value!)
      }
    },
    forget
  }
}
