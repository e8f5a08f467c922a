/**
 * Background loops: work that is done in rounds and that no caller waits for, such as prices, session closing and local
 * lists. The next round makes up for one that failed. An unavailable database is logged once, and the loop waits for
 * it.
 */
import { Cause, Clock, Effect, Latch, type Scope, Stream } from "effect"
import type { StorageUnavailable } from "../../domain/Errors.ts"

/** How a loop is woken by notifications. */
export interface Wakeups<R> {
  readonly notifications: Stream.Stream<void>
  readonly otherwiseEveryMillis: number
  /**
   * For this long after the start and after each notification, rounds follow at the loop's usual interval: some of the
   * work falls due a while after its notification. Default 0.
   */
  readonly livelyMillis?: number
  /**
   * Time until there is work without a notification, in ms. It is queried after each round; undefined if no work is due
   * by time alone.
   */
  readonly untilDue?: Effect.Effect<number | undefined, StorageUnavailable, R>
}

/**
 * What a round found: true if there may be more to do at once, "much" if there was so much to do that the next round
 * should come sooner, otherwise false.
 */
export type Found = boolean | "much"

/** After a round that found "much", the pause is divided by this: the work is then done sooner, and in smaller pieces. */
const soonerBy = 10

export interface RoundsOptions<R> {
  /** The loop's name in log lines. */
  readonly name: string
  /** The minimum time between two rounds. */
  readonly everyMillis: number
  /** Delay before the first round; default `everyMillis`. */
  readonly firstMillis?: number
  /**
   * Notifications that there may be work. With it, rounds without a notification are rare: they only make up for lost
   * notifications.
   */
  readonly wakeups?: Wakeups<R>
  readonly round: Effect.Effect<Found, StorageUnavailable, R>
}

export interface GuardOptions {
  /** The loop's name in log lines. */
  readonly name: string
  /** How an unavailable database is logged. */
  readonly log?: (...message: ReadonlyArray<unknown>) => Effect.Effect<void>
  /** Run each time that the database is unavailable. */
  readonly whenAway?: Effect.Effect<void>
}

/**
 * A step of a loop, wrapped so that no failure ends the loop. An unavailable database is logged once until a step
 * succeeds, a defect each time. Returns the step's result, or false if it failed.
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
      const said = isNew ? log(`${name}: waiting for the database`, error) : Effect.void
      return Effect.as(Effect.andThen(said, whenAway), false as const)
    }),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`${name}: a round failed`, cause), false as const)
    )
  )
}

/** Runs rounds until the scope closes. */
export const rounds = <R>({
  everyMillis,
  firstMillis = everyMillis,
  name,
  round,
  wakeups
}: RoundsOptions<R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const notified = Latch.makeUnsafe(true)
    let restMillis = everyMillis
    let notifiedAt = yield* Clock.currentTimeMillis
    if (wakeups !== undefined) {
      const notify = Effect.map(Clock.currentTimeMillis, (now) => {
        notifiedAt = now
        notified.openUnsafe()
      })
      yield* Effect.forkScoped(Stream.runForEach(wakeups.notifications, () => notify))
    }
    const untilNext = ({ livelyMillis = 0, otherwiseEveryMillis, untilDue = Effect.undefined }: Wakeups<R>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now - notifiedAt < livelyMillis) return restMillis
        // An unavailable database has opened the latch already (`whenAway`).
        const due = yield* Effect.catch(untilDue, () => Effect.undefined)
        return Math.min(Math.max(due ?? otherwiseEveryMillis, restMillis), otherwiseEveryMillis)
      })
    const pause = Effect.suspend(() =>
      wakeups === undefined
        ? Effect.sleep(restMillis)
        : Effect.flatMap(untilNext(wakeups), (duration) =>
            Effect.sleep(restMillis).pipe(
              Effect.andThen(notified.await),
              Effect.timeoutOrElse({ duration, orElse: () => Effect.void }),
              Effect.andThen(Effect.sync(() => notified.closeUnsafe()))
            )
          )
    )
    const step = guardedStep(round, { name, whenAway: Effect.sync(() => notified.openUnsafe()) })
    const guarded = Effect.gen(function* () {
      let found: Found = true
      while (found === true) found = yield* step
      restMillis = found === "much" ? everyMillis / soonerBy : everyMillis
    })
    const first = Effect.delay(guarded, firstMillis)
    yield* Effect.forkScoped(Effect.andThen(first, Effect.forever(Effect.andThen(pause, guarded))))
  })
