/**
 * Keeps partners' tokens up to date: looks every few seconds whose are due, and has them fetched, of some partners at a time. Those who fetch take turns to
 * look while there is nothing to do.
 */
import { Effect, Layer } from "effect"
import { TokenFetcher } from "../../domain/roaming/TokenFetcher.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface TokenPullingOptions {
  /** Between two looks, by whomever. */
  readonly everyMillis: number
  /** Partners whose lists are fetched at one time: one that is slow holds up no others. */
  readonly atOnce: number
}

export const defaultTokenPullingOptions: TokenPullingOptions = { everyMillis: 5_000, atOnce: 4 }

export const layer = ({ atOnce, everyMillis }: TokenPullingOptions = defaultTokenPullingOptions): Layer.Layer<
  never,
  never,
  TokenFetcher
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { fetchDue } = yield* TokenFetcher
      for (let turn = 1; turn <= atOnce; turn++) {
        yield* rounds({
          name: "partners' tokens",
          firstMillis: everyMillis * turn,
          everyMillis: everyMillis * atOnce,
          round: fetchDue
        })
      }
    })
  )
