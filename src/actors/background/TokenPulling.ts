/**
 * Keeps partners' tokens up to date: checks which lists are due, every second or two after new facts and rarely without
 * any, and fetches those of some partners at a time. Each check is a fiber of its own, so that a partner that has just
 * registered does not wait for the long list of another.
 */
import { Effect, FiberSet, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { TokenFetcher } from "../../domain/roaming/TokenFetcher.ts"
import { guardedStep, rounds } from "./BackgroundLoop.ts"

export interface TokenPullingOptions {
  /** The time between two checks. */
  readonly everyMillis: number
  /**
   * The same while there are no new facts. The registration of a partner is a fact, and lists are fetched again after
   * minutes at the earliest.
   */
  readonly quietMillis: number
  /** Number of partners whose lists are fetched at the same time, so that a slow one does not delay the others. */
  readonly atOnce: number
}

export const defaultTokenPullingOptions: TokenPullingOptions = { everyMillis: 1_500, quietMillis: 20_000, atOnce: 4 }

/** A partner's list is fetched a second after it has registered, and once more after a temporary failure. */
const livelyRounds = 4

export const layer = ({
  atOnce,
  everyMillis,
  quietMillis
}: TokenPullingOptions = defaultTokenPullingOptions): Layer.Layer<never, never, TokenFetcher | Events> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { fetchDue } = yield* TokenFetcher
      const { committed } = yield* Events
      const fetches = yield* FiberSet.make<void>()
      const name = "partners' tokens"
      // While lists are due, one fiber fetches them one after the other.
      const fetchAll = Effect.gen(function* () {
        while (yield* fetchDue);
      })
      const step = Effect.asVoid(guardedStep(fetchAll, { name }))
      yield* rounds({
        name,
        everyMillis,
        wakeups: {
          notifications: committed,
          otherwiseEveryMillis: quietMillis,
          livelyMillis: livelyRounds * everyMillis
        },
        round: Effect.gen(function* () {
          if ((yield* FiberSet.size(fetches)) < atOnce) yield* FiberSet.run(fetches, step)
          return false
        })
      })
    })
  )
