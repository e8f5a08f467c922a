/**
 * Publishes the lengths of operators' work queues when they have changed: after facts that may have changed them, and
 * at intervals for what changes without a fact. Nothing waits for it, and the next round makes up for one that was cut
 * short.
 */
import { Clock, Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { countedFacts, queuesAfter, Work } from "../../domain/work/Work.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface WorkCountingOptions {
  readonly everyMillis: number
  /** The time between rounds without new facts. A change without a fact is published after this time at most. */
  readonly quietMillis: number
  /** Maximum number of journal facts that one round reads. */
  readonly factsPerRound: number
}

export const defaultWorkOptions: WorkCountingOptions = {
  everyMillis: 2_000,
  quietMillis: 30_000,
  factsPerRound: 10_000
}

/** Creates the round of the loop, over at most `factsPerRound` facts. Returns true if it read that many: there may be more. */
export const workCounting = ({ factsPerRound, quietMillis }: WorkCountingOptions) => {
  let comparedAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const work = yield* Work
    const now = yield* Clock.currentTimeMillis
    const { facts, organisations, upTo } = yield* work.stirred(countedFacts, factsPerRound)
    for (const { organisationId, types } of organisations) {
      yield* work.publish(organisationId, queuesAfter(types), now)
    }
    if (upTo !== undefined) yield* work.readTo(upTo)
    if (now - comparedAt >= quietMillis) {
      comparedAt = now
      for (const organisationId of yield* work.corrected) yield* work.publish(organisationId, ["corrections"], now)
    }
    return facts >= factsPerRound
  })
}

/** Runs the loop until the scope closes. */
export const layer = (options: WorkCountingOptions = defaultWorkOptions): Layer.Layer<never, never, Work | Events> =>
  Layer.effectDiscard(
    Effect.flatMap(Events, ({ committed }) =>
      rounds({
        name: "work counts",
        everyMillis: options.everyMillis,
        wakeups: { notifications: committed, otherwiseEveryMillis: options.quietMillis },
        round: workCounting(options)
      })
    )
  )
