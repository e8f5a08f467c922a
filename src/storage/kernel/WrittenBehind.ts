/**
 * Common code of stores that write in the background: one flush at a time, at an interval and at shutdown. An unreachable database is
 * logged once, not at every flush. A flush writes what was waiting when it began; what arrives meanwhile waits for the next flush. So a
 * value that changes often is written once per interval instead of continuously. Data that is only ever appended may be written as soon as
 * there is enough for a full statement.
 */
import { Cause, Effect, type Latch, Option, type Scope, Semaphore } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

export interface WrittenBehindOptions {
  /** The name in log messages. */
  readonly name: string
  readonly everyMillis: number
  /** How many items wait to be written. */
  readonly waiting: () => number
  /**
   * Opened by the store when an item begins to wait, so that an idle store is not polled. Without it, the store is checked at every
   * interval.
   */
  readonly pending?: Latch.Latch
  /** Opened by the store when enough items wait to fill one statement. Waiting any longer would save nothing and only defer the work. */
  readonly full?: Latch.Latch
  /**
   * Writes the first of the waiting items and returns how many it wrote. If it fails, the items not written must wait again; the next flush
   * begins with them.
   */
  readonly write: Effect.Effect<number, StorageUnavailable>
}

/**
 * A write of data that may be lost. Its failure goes to `lost` in two cases: the data may already have been written (a retry could
 * duplicate it, which is worse than losing it), or the database will never accept it. Any other failure is left to the caller to retry.
 */
export const expendable =
  (lost: (cause: Cause.Cause<StorageUnavailable>) => Effect.Effect<void>) =>
  <A>(write: Effect.Effect<A, StorageUnavailable>): Effect.Effect<A | void, StorageUnavailable> =>
    Effect.catchCause(write, (cause) => {
      const failure = Cause.findErrorOption(cause)
      return Option.isSome(failure) && failure.value.reason !== "unknown" ? Effect.fail(failure.value) : lost(cause)
    })

/** Flushes in the background until the scope closes; returns an effect that flushes at once. */
export const writeBehind = (options: WrittenBehindOptions): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const one = Semaphore.makeUnsafe(1)
    let away = false

    const writing = (most: number) => {
      let left = most
      return Effect.whileLoop({
        while: () => left > 0 && options.waiting() > 0,
        // If a writer were interrupted during a write, it could not know the outcome.
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
            return isNew ? Effect.logWarning(`${options.name}: waiting for the database`, error) : Effect.void
          }
        )
      )
    const flush = flushing(options.waiting)
    // The last flush, when the scope closes.
    yield* Effect.addFinalizer(() => flushing(() => Infinity))
    const { everyMillis, full, pending, waiting } = options
    const interval =
      full === undefined
        ? Effect.sleep(everyMillis)
        : Effect.suspend(() => (away ? Effect.sleep(everyMillis) : Effect.timeoutOption(full.await, everyMillis)))
    const pause = pending === undefined ? interval : Effect.andThen(pending.await, interval)
    const rest = Effect.sync(() => {
      full?.closeUnsafe()
      if (waiting() === 0) pending?.closeUnsafe()
    })
    yield* Effect.forkScoped(Effect.forever(pause.pipe(Effect.andThen(flush), Effect.andThen(rest))))
    return flush
  })
