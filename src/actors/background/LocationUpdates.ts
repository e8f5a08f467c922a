/**
 * Keeps locations ready to be sent: works in what has changed shortly after it has. Nothing waits for it, since a reader of a location works in what is
 * marked himself; it is for what changes by time alone, and so that readers seldom have anything to do.
 */
import { Clock, Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { Locations } from "../../domain/site/Locations.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface LocationUpdatesOptions {
  readonly everyMillis: number
  /** Without new facts, and before anything changes by time alone: a word may get lost. */
  readonly quietMillis: number
  /** Sites in one transaction: the embedded database does nothing else meanwhile. */
  readonly sitesPerRound: number
}

export const defaultLocationOptions: LocationUpdatesOptions = {
  everyMillis: 1_000,
  quietMillis: 30_000,
  sitesPerRound: 50
}

/** Rounds until the scope closes. */
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
        word: { words: committed, otherwiseEveryMillis: options.quietMillis, untilDue },
        round: locations.refresh(options.sitesPerRound)
      })
    })
  )
