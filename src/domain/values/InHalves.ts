/**
 * Isolates the faulty part of a batch: the batch is halved until that part is alone, so that the others still succeed. The caller decides what a
 * fault is, and what happens to a single faulty part.
 */
import { Effect } from "effect"

/** Runs a batch. If `run` returns false, the part is run again in two halves, unless it has one item. A failure of `run` ends everything. */
export const inHalves = <A, E, R>(
  batch: ReadonlyArray<A>,
  run: (part: ReadonlyArray<A>) => Effect.Effect<boolean, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(run(batch), (done) => {
    if (done || batch.length <= 1) return Effect.void
    const middle = batch.length >> 1
    return Effect.flatMap(inHalves(batch.slice(0, middle), run), () => inHalves(batch.slice(middle), run))
  })
