/**
 * Work that is done in rounds beside the chargers, and that no caller waits for: prices, closings, local lists. A round that fails is
 * made up by the next; a database that is away is said once, and waited for.
 */
import { Cause, Effect, Latch, type Scope, Stream } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

export interface RoundsOptions<R> {
  /** Of the log's lines. */
  readonly name: string
  /** Between two rounds at least. */
  readonly everyMillis: number
  /** Before the first; as between two if not said. */
  readonly firstMillis?: number
  /** Word that there may be something to do: without one there is a round now and then only, as a word may get lost. */
  readonly word?: { readonly words: Stream.Stream<void>; readonly otherwiseEveryMillis: number }
  /** True when there may be more to do at once. */
  readonly round: Effect.Effect<boolean, StorageUnavailable, R>
}

export interface GuardOptions {
  /** Of the log's lines. */
  readonly name: string
  /** How a database that is away is logged. */
  readonly log?: (...message: ReadonlyArray<unknown>) => Effect.Effect<void>
  /** Done each time that the database was away. */
  readonly whenAway?: Effect.Effect<void>
}

/**
 * A step of a loop that no failure ends: a database that is away is logged once until a step succeeds, a defect each time. The answer is the step's
 * own, and false where it failed.
 */
export const guardedStep = <R>(
  step: Effect.Effect<boolean, StorageUnavailable, R>,
  { log = Effect.logWarning, name, whenAway = Effect.void }: GuardOptions
): Effect.Effect<boolean, never, R> => {
  let away = false
  return step.pipe(
    Effect.tap(() => Effect.sync(() => void (away = false))),
    Effect.catchTag("StorageUnavailable", (error) => {
      const isNew = !away
      away = true
      const said = isNew ? log(`${name}: waits for the database`, error) : Effect.void
      return Effect.as(Effect.andThen(said, whenAway), false)
    }),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`${name}: a round went wrong`, cause), false)
    )
  )
}

/** Does rounds until the scope closes. */
export const rounds = <R>({
  everyMillis,
  firstMillis = everyMillis,
  name,
  round,
  word
}: RoundsOptions<R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const rung = Latch.makeUnsafe(true)
    if (word !== undefined) {
      yield* Effect.forkScoped(Stream.runForEach(word.words, () => Effect.sync(() => rung.openUnsafe())))
    }
    const pause =
      word === undefined
        ? Effect.sleep(everyMillis)
        : Effect.sleep(everyMillis).pipe(
            Effect.andThen(rung.await),
            Effect.timeoutOrElse({ duration: word.otherwiseEveryMillis, orElse: () => Effect.void }),
            Effect.andThen(Effect.sync(() => rung.closeUnsafe()))
          )
    const step = guardedStep(round, { name, whenAway: Effect.sync(() => rung.openUnsafe()) })
    const guarded = Effect.gen(function* () {
      while (yield* step);
    })
    const first = Effect.delay(guarded, firstMillis)
    yield* Effect.forkScoped(Effect.andThen(first, Effect.forever(Effect.andThen(pause, guarded))))
  })
