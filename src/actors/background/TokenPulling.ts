/**
 * Keeps partners' tokens up to date: checks which lists are due, every few seconds after new facts and rarely without
 * any, and fetches those of some partners at a time. The loops start one after the other, so that their checks are
 * spread over time while there is nothing to do.
 */
import { Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { TokenFetcher } from "../../domain/roaming/TokenFetcher.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface TokenPullingOptions {
  /** The time between two checks, by any of the loops. */
  readonly everyMillis: number
  /**
   * The same while there are no new facts. The registration of a partner is a fact, and lists are fetched again after
   * minutes at the earliest.
   */
  readonly quietMillis: number
  /** Number of partners whose lists are fetched at the same time, so that a slow one does not delay the others. */
  readonly atOnce: number
}

export const defaultTokenPullingOptions: TokenPullingOptions = { everyMillis: 5_000, quietMillis: 20_000, atOnce: 4 }

/** A partner's list is fetched some seconds after it has registered, and once more after a temporary failure. */
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
          wakeups: {
            notifications: committed,
            otherwiseEveryMillis: quietMillis * atOnce,
            livelyMillis: livelyRounds * everyMillis * atOnce
          },
          round: fetchDue
        })
      }
    })
  )
