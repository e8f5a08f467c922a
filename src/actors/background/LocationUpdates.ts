/**
 * Keeps stored locations ready to be sent: updates them shortly after something has changed. Nothing waits for this,
 * since a reader first updates the locations that are marked as changed. The loop serves changes that happen by time
 * alone, and spares readers most of that work.
 */
import { Clock, Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface LocationUpdatesOptions {
  readonly everyMillis: number
  /** The time between rounds while there are no new facts and nothing changes by time alone: a notification may get lost. */
  readonly quietMillis: number
  /** Sites updated in one transaction. The embedded database does nothing else meanwhile. */
  readonly sitesPerRound: number
}

export const defaultLocationOptions: LocationUpdatesOptions = {
  everyMillis: 1_000,
  quietMillis: 30_000,
  sitesPerRound: 50
}

/** Runs the loop until the scope closes. */
export const layer = (
  options: LocationUpdatesOptions = defaultLocationOptions
): Layer.Layer<never, never, Locations | Events> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const locations = yield* Locations
      const { committed } = yield* Events
      const untilDue = Effect.gen(function* () {
        const next = yield* locations.nextDue
        return next === undefined ? undefined : next - (yield* Clock.currentTimeMillis)
      })
      yield* rounds({
        name: "locations",
        everyMillis: options.everyMillis,
        wakeups: { notifications: committed, otherwiseEveryMillis: options.quietMillis, untilDue },
        round: locations.refresh(options.sitesPerRound)
      })
    })
  )
