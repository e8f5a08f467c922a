/**
 * What the stores that are written behind have in common: a flush at an interval and at the end, one at a time, which says that the database is away
 * once and not every second. A flush writes what waited when it began: under load more comes while it writes, and waits for the next, so that what
 * changes often is written once an interval and not without a pause. What is only ever added may be written as soon as a statement is full.
 */
import { Cause, Effect, type Latch, Option, type Scope, Semaphore } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

export interface WrittenBehindOptions {
  /** As the log names it. */
  readonly name: string
  readonly everyMillis: number
  /** How many wait. */
  readonly waiting: () => number
  /** Opened by the store whenever something begins to wait: while nothing does, no time is spent on looking. Without it each interval looks. */
  readonly word?: Latch.Latch
  /** Opened by the store when as much waits as one statement takes: waiting any longer would save nothing, and leave the work to the moment after the load. */
  readonly full?: Latch.Latch
  /** Writes the first of what waits, and answers how many that were. Where it fails, what was not written must wait again: the next flush begins with it. */
  readonly write: Effect.Effect<number, StorageUnavailable>
}

/**
 * The write of what is expendable. What may have been written is given up to `lost`, since what is there twice is worse than what is missing, and so is what
 * the database will never take; any other failure is the caller's, to try again.
 */
export const expendable =
  (lost: (cause: Cause.Cause<StorageUnavailable>) => Effect.Effect<void>) =>
  <A>(write: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A | void, StorageUnavailable> =>
    Effect.catchCause(write, (cause) => {
      const failure = Cause.findErrorOption(cause)
      return Option.isSome(failure) && failure.value.reason !== "unknown" ? Effect.fail(failure.value) : lost(cause)
    })

/** Begins to flush until the scope closes; answers a flush for those who cannot wait. */
export const writeBehind = (options: WrittenBehindOptions): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const one = Semaphore.makeUnsafe(1)
    let away = false

    const writing = (most: number) => {
      let left = most
      return Effect.whileLoop({
        while: () => left > 0 && options.waiting() > 0,
        // A writer that stops in the middle of a write cannot know what came of it.
        body: () => Effect.uninterruptible(options.write),
        step: (written) => {
          left -= written
          away = false
        }
      })
    }
    const flushing = (most: () => number) =>
      Semaphore.withPermit(
        one,
        Effect.catch(
          Effect.suspend(() => writing(most())),
          (error) => {
            const isNew = !away
            away = true
            return isNew ? Effect.logWarning(`${options.name}: waits for the database`, error) : Effect.void
          }
        )
      )
    const flush = flushing(options.waiting)
    // No flush comes after the last.
    yield* Effect.addFinalizer(() => flushing(() => Infinity))
    const { everyMillis, full, waiting, word } = options
    const interval =
      full === undefined
        ? Effect.sleep(everyMillis)
        : Effect.suspend(() => (away ? Effect.sleep(everyMillis) : Effect.timeoutOption(full.await, everyMillis)))
    const pause = word === undefined ? interval : Effect.andThen(word.await, interval)
    const rest = Effect.sync(() => {
      full?.closeUnsafe()
      if (waiting() === 0) word?.closeUnsafe()
    })
    yield* Effect.forkScoped(Effect.forever(pause.pipe(Effect.andThen(flush), Effect.andThen(rest))))
    return flush
  })
