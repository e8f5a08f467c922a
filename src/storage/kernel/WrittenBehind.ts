/**
 * What both stores that are written behind have in common: a flush at an interval and at the end, one at a time, that goes on until
 * nothing waits or the database is away, and says that it is away once and not every second.
 */
import { Effect, type Scope, Semaphore } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

export interface WrittenBehindOptions {
  /** As the log names it. */
  readonly name: string
  readonly everyMillis: number
  readonly waits: () => boolean
  /** Writes a part of what waits. Where it fails, what was not written must wait again: the next flush begins with it. */
  readonly write: Effect.Effect<void, StorageUnavailable>
}

/** Begins to flush until the scope closes; answers a flush for those who cannot wait. */
export const writeBehind = (options: WrittenBehindOptions): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const one = Semaphore.makeUnsafe(1)
    let away = false

    const round = Effect.suspend(() =>
      Effect.whileLoop({
        while: options.waits,
        // A writer that stops in the middle of a write cannot know what came of it.
        body: () => Effect.uninterruptible(options.write),
        step: () => {
          away = false
        }
      })
    )
    const flush = Semaphore.withPermit(
      one,
      Effect.catch(round, (error) => {
        const isNew = !away
        away = true
        return isNew ? Effect.logWarning(`${options.name}: waits for the database`, error) : Effect.void
      })
    )
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(options.everyMillis), flush)))
    return flush
  })
