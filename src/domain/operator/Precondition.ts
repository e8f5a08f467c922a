/**
 * A condition that must be true when a record is written. It is checked in the write's own transaction, after its lock, so that nothing can change in
 * between. The caller of a write provides it; storage runs it before everything else that the write does. A failed check ends the write as a defect,
 * so that no error handler in between can recover from it. The provider of the check recognises that defect.
 */
import { Context, Effect } from "effect"

/** Does nothing unless a check is provided. */
export const Precondition = Context.Reference<Effect.Effect<void>>("voltlane/Precondition", {
  defaultValue: () => Effect.void
})
