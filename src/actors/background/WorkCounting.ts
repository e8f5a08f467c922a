/**
 * Publishes how much waits for operators whenever it has changed: after facts that may have changed it, and now and then for what changes without a fact.
 * Nothing waits for it, and a round that was cut short is made up by the next.
 */
import { Clock, Effect, Layer } from "effect"
import { Events } from "../../domain/event/Events.ts"
import { countedFacts, queuesAfter, Work } from "../../domain/work/Work.ts"
import { rounds } from "./BackgroundLoop.ts"

export interface WorkCountingOptions {
  readonly everyMillis: number
  /** Without new facts: what changes without one is published so late at most. */
  readonly quietMillis: number
  /** Facts of the journal in one round. */
  readonly factsPerRound: number
}

export const defaultWorkOptions: WorkCountingOptions = {
  everyMillis: 2_000,
  quietMillis: 30_000,
  factsPerRound: 10_000
}

/** One round; true when there may be more to do at once. */
export const workCounting = ({ factsPerRound, quietMillis }: WorkCountingOptions) => {
  let comparedAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const work = yield* Work
    const now = yield* Clock.currentTimeMillis
    const { organisations, upTo } = yield* work.stirred(countedFacts, factsPerRound)
    for (const { organisationId, types } of organisations) {
      yield* work.publish(organisationId, queuesAfter(types), now)
    }
    if (upTo !== undefined) yield* work.readTo(upTo)
    if (now - comparedAt >= quietMillis) {
      comparedAt = now
      for (const organisationId of yield* work.corrected) yield* work.publish(organisationId, ["corrections"], now)
    }
    return false
  })
}

/** Rounds until the scope closes. */
export const layer = (options: WorkCountingOptions = defaultWorkOptions): Layer.Layer<never, never, Work | Events> =>
  Layer.effectDiscard(
    Effect.flatMap(Events, ({ committed }) =>
      rounds({
        name: "work counts",
        everyMillis: options.everyMillis,
        word: { words: committed, otherwiseEveryMillis: options.quietMillis },
        round: workCounting(options)
      })
    )
  )
