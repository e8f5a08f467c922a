/** Callers that wait for a command of some id to end: each is woken by the word of it, or by its own clock. */
import { Effect } from "effect"

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
  heard: boolean
  readonly wakes: Set<() => void>
}

export const makeWaiters = (): Waiters => {
  const places = new Map<string, Place>()
  const forget = (id: string): void => {
    const place = places.get(id)
    if (place !== undefined && place.wakes.size === 0) places.delete(id)
  }
  const wake = (place: Place): void => {
    place.heard = true
    for (const resume of place.wakes) resume()
    place.wakes.clear()
  }
  return {
    next: (id) => {
      const place: Place = places.get(id) ?? { heard: false, wakes: new Set() }
      place.heard = false
      places.set(id, place)
      return {
        within: (millis) =>
          Effect.callback<void>((resume) => {
            if (place.heard) return resume(Effect.void)
            const woken = () => resume(Effect.void)
            place.wakes.add(woken)
            return Effect.sync(() => void place.wakes.delete(woken))
          }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.void })),
        forget: () => forget(id)
      }
    },
    // An empty id is the database's way to say that words may have been missed.
    ended: (id) => {
      if (id === "") for (const place of places.values()) wake(place)
      else {
        const place = places.get(id)
        if (place !== undefined) wake(place)
      }
    },
    forget
  }
}
