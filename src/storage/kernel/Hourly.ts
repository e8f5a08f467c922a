/** Runs maintenance of the database at the start and then every hour. */
import { Effect, type Scope } from "effect"

/**
 * Runs `round` now and every hour until the scope closes, in the background. If a round fails, `failure` is logged ("old sessions were not
 * deleted") and the next round makes up for it. With `awaits`, this returns only after the first round, for maintenance that the service
 * needs before it can start.
 */
export const hourly = <E, R>(
  failure: string,
  round: Effect.Effect<unknown, E, R>,
  { awaits = false }: { readonly awaits?: boolean } = {}
): Effect.Effect<void, never, R | Scope.Scope> => {
  const tried = Effect.catchCause(round, (cause) => Effect.logWarning(`${failure}, trying again in an hour`, cause))
  const onwards = Effect.forever(Effect.delay(tried, "1 hour"))
  return awaits
    ? Effect.andThen(tried, Effect.asVoid(Effect.forkScoped(onwards)))
    : Effect.asVoid(Effect.forkScoped(Effect.andThen(tried, onwards)))
}
