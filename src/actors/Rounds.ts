/**
 * Work that is done in rounds beside the chargers, by nobody's leave and for nobody who waits: prices, closings, local lists. A round that fails is
 * made up by the next; a database that is away is said once, and waited for.
 */
import { Effect, type Scope } from "effect"
import type { StorageUnavailable } from "../domain/Errors.ts"

export interface RoundsOptions<R> {
  /** Of the log's lines. */
  readonly name: string
  readonly everyMillis: number
  /** True when there may be more to do at once. */
  readonly round: Effect.Effect<boolean, StorageUnavailable, R>
}

/** Does rounds until the scope closes. */
export const rounds = <R>({
  everyMillis,
  name,
  round
}: RoundsOptions<R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.suspend(() => {
    let away = false
    const guarded = Effect.gen(function* () {
      while (yield* round) away = false
      away = false
    }).pipe(
      Effect.catchTag("StorageUnavailable", (error) => {
        const isNew = !away
        away = true
        return isNew ? Effect.logWarning(`${name}: waits for the database`, error) : Effect.void
      }),
      Effect.catchCause((cause) => Effect.logError(`${name}: a round went wrong`, cause))
    )
    return Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.delay(guarded, everyMillis))))
  })
