/**
 * Keeps partners' tokens up to date: looks whose are due, every few seconds after new facts and seldom without any, and has them fetched, of some partners
 * at a time. Those who fetch take turns to look while there is nothing to do.
 */
import { Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { TokenFetcher } from "../../domain/roaming/TokenFetcher.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface TokenPullingOptions {
  /** Between two looks, by whomever. */
  readonly everyMillis: number
  /** The same once there were no new facts for a while. Partners register with a fact, and lists are fetched again after minutes at the earliest. */
  readonly quietMillis: number
  /** Partners whose lists are fetched at one time: one that is slow holds up no others. */
  readonly atOnce: number
}

export const defaultTokenPullingOptions: TokenPullingOptions = { everyMillis: 5_000, quietMillis: 20_000, atOnce: 4 }

/** A partner's list is fetched some seconds after it has registered, and once more after a failure that passes. */
const livelyRounds = 3

export const layer = ({
  atOnce,
  everyMillis,
  quietMillis
}: TokenPullingOptions = defaultTokenPullingOptions): Layer.Layer<never, never, TokenFetcher | Events> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { fetchDue } = yield* TokenFetcher
      const { committed } = yield* Events
      for (let turn = 1; turn <= atOnce; turn++) {
        yield* rounds({
          name: "partners' tokens",
          firstMillis: everyMillis * turn,
          everyMillis: everyMillis * atOnce,
          word: {
            words: committed,
            otherwiseEveryMillis: quietMillis * atOnce,
            livelyMillis: livelyRounds * everyMillis * atOnce
          },
          round: fetchDue
        })
      }
    })
  )
