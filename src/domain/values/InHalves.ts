/**
 * A batch of which one part may be at fault: it is halved until that part is alone, so that the others have what they came for. What a fault is, and
 * what becomes of a part that is alone with it, is up to the caller.
 */
import { Effect } from "effect"

/** Runs a batch. Where `run` answers false the part is run again in two halves, unless it is a single one; a failure ends it all. */
export const inHalves = <A, E, R>(
  batch: ReadonlyArray<A>,
  run: (part: ReadonlyArray<A>) => Effect.Effect<boolean, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(run(batch), (done) => {
    if (done || batch.length <= 1) return Effect.void
    const middle = batch.length >> 1
    return Effect.flatMap(inHalves(batch.slice(0, middle), run), () => inHalves(batch.slice(middle), run))
  })
