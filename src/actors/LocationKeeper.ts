/**
 * Keeps locations ready to be sent: works in what has changed shortly after it has. Nobody waits for it, since whoever reads a location works in what is
 * marked himself; it is for what changes by time alone, and so that readers seldom have anything to do.
 */
import { Effect, Layer } from "effect"
import { Locations } from "../domain/ports/Locations.ts"
import { rounds } from "./Rounds.ts"

export interface LocationKeeperOptions {
  readonly everyMillis: number
  /** Sites in one transaction: the embedded database does nothing else meanwhile. */
  readonly sitesPerRound: number
}

export const defaultLocationOptions: LocationKeeperOptions = { everyMillis: 1_000, sitesPerRound: 50 }

/** Rounds until the scope closes. */
export const layer = (options: LocationKeeperOptions = defaultLocationOptions): Layer.Layer<never, never, Locations> =>
  Layer.effectDiscard(
    Effect.flatMap(Locations, (locations) =>
      rounds({
        name: "locations",
        everyMillis: options.everyMillis,
        round: locations.refresh(options.sitesPerRound)
      })
    )
  )
