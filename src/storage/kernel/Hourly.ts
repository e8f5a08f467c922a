/** Upkeep of the database: rounds of work at the start and every hour from then on. */
import { Effect, type Scope } from "effect"

/**
 * Runs `round` now and every hour until the scope closes, beside everything else. One that fails is logged with what did not happen ("old sessions were not
 * deleted") and made up for by the next. `awaits` is for what the service cannot begin without: it goes on when the first round is over.
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
