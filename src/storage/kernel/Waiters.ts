/** Callers that wait for a command to end, by the command's id. Each is woken by the notification of its end, or by its own timeout. */
import { Effect, Latch } from "effect"

export interface Waiters<How> {
  /** Registers the caller. Call it before reading the command's state, so that no notification is missed between the read and the wait. */
  readonly next: (id: string) => {
    /** Waits for the notification, `millis` at most; returns the `how` that came with it, if any. */
    readonly within: (millis: number) => Effect.Effect<How | undefined>
  }
  /** `how` is what the notification says about how the command ended, if it says so. */
  readonly ended: (id: string, how?: How) => void
  /** Each caller calls it when it stops waiting. */
  readonly forget: (id: string) => void
}

interface Place<How> {
  readonly word: Latch.Latch
  how: How | undefined
  /** How many callers wait for the notification now. */
  waiting: number
}

/** How many notifications are remembered for callers yet to come: one for each command that ended in the last seconds. */
const unheardAtMost = 1_000

export const makeWaiters = <How>(): Waiters<How> => {
  const places = new Map<string, Place<How>>()
  /** Commands whose notification came while no caller waited: the caller that has just issued one may be about to wait. Oldest first. */
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
    // An empty id means that notifications may have been missed.
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
