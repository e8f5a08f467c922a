/**
 * What must still hold when a record is written: looked at in the write's own transaction, after its lock, so that nothing can change in
 * between. The caller of a write provides it; storage runs it before everything else that the write does. What does not hold ends the write as a
 * defect, since no handler on the way may go on after it; the provider of the check recognises it.
 */
import { Context, Effect } from "effect"

/** Nothing, unless a check was provided. */
export const Precondition = Context.Reference<Effect.Effect<void>>("voltlane/Precondition", {
  defaultValue: () => Effect.void
})
