/**
 * Work that is done in rounds beside the chargers, and that no caller waits for: prices, closings, local lists. A round that fails is
 * made up by the next; a database that is away is said once, and waited for.
 */
import { Cause, Clock, Effect, Latch, type Scope, Stream } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

/** How rounds wait for a word. */
export interface Word<R> {
  readonly words: Stream.Stream<void>
  readonly otherwiseEveryMillis: number
  /** For so long after a word, and after the start, rounds go on at their pace: some of what was said is to be done a while later. Default 0. */
  readonly livelyMillis?: number
  /** In how many ms there is something to do without a word, asked after each round; undefined where there is nothing by the clock alone. */
  readonly untilDue?: Effect.Effect<number | undefined, StorageUnavailable, R>
}

/** What a round found: true if there may be more to do at once; "much" if it had so much to do that the next should come sooner; else false. */
export type Found = boolean | "much"

/** After a round that found much, the pause is this part of an ordinary one: what has come is done soon after the last of it, and in smaller pieces. */
const soonerBy = 10

export interface RoundsOptions<R> {
  /** Of the log's lines. */
  readonly name: string
  /** Between two rounds at least. */
  readonly everyMillis: number
  /** Before the first; as between two if not said. */
  readonly firstMillis?: number
  /** Word that there may be something to do: without one there is a round now and then only, as a word may get lost. */
  readonly word?: Word<R>
  readonly round: Effect.Effect<Found, StorageUnavailable, R>
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
export const guardedStep = <A, R>(
  step: Effect.Effect<A, StorageUnavailable, R>,
  { log = Effect.logWarning, name, whenAway = Effect.void }: GuardOptions
): Effect.Effect<A | false, never, R> => {
  let away = false
  return step.pipe(
    Effect.tap(() => Effect.sync(() => void (away = false))),
    Effect.catchTag("StorageUnavailable", (error) => {
      const isNew = !away
      away = true
      const said = isNew ? log(`${name}: waits for the database`, error) : Effect.void
      return Effect.as(Effect.andThen(said, whenAway), false as const)
    }),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`${name}: a round went wrong`, cause), false as const)
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
    let restMillis = everyMillis
    let rungAt = yield* Clock.currentTimeMillis
    if (word !== undefined) {
      const ring = Effect.map(Clock.currentTimeMillis, (now) => {
        rungAt = now
        rung.openUnsafe()
      })
      yield* Effect.forkScoped(Stream.runForEach(word.words, () => ring))
    }
    const untilNext = ({ livelyMillis = 0, otherwiseEveryMillis, untilDue = Effect.undefined }: Word<R>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now - rungAt < livelyMillis) return restMillis
        // A database that is away has rung already.
        const due = yield* Effect.catch(untilDue, () => Effect.undefined)
        return Math.min(Math.max(due ?? otherwiseEveryMillis, restMillis), otherwiseEveryMillis)
      })
    const pause = Effect.suspend(() =>
      word === undefined
        ? Effect.sleep(restMillis)
        : Effect.flatMap(untilNext(word), (duration) =>
            Effect.sleep(restMillis).pipe(
              Effect.andThen(rung.await),
              Effect.timeoutOrElse({ duration, orElse: () => Effect.void }),
              Effect.andThen(Effect.sync(() => rung.closeUnsafe()))
            )
          )
    )
    const step = guardedStep(round, { name, whenAway: Effect.sync(() => rung.openUnsafe()) })
    const guarded = Effect.gen(function* () {
      let found: Found = true
      while (found === true) found = yield* step
      restMillis = found === "much" ? everyMillis / soonerBy : everyMillis
    })
    const first = Effect.delay(guarded, firstMillis)
    yield* Effect.forkScoped(Effect.andThen(first, Effect.forever(Effect.andThen(pause, guarded))))
  })
