/** What handlers of REST v2 know about the caller. */
import { Clock, Effect } from "effect"
import { FactorStale } from "../../../domain/Errors.ts"
import { isFactorStale } from "../../../domain/operator/SignIn.ts"
import type { AuditContext } from "../../../domain/values/AuditContext.ts"
import { Caller } from "./Middleware.ts"

/** The organisation that limits everything that this request reads or writes. */
export const organisationId: Effect.Effect<string, never, Caller> = Effect.map(
  Caller,
  (caller) => caller.organisationId
)

/** Whether the caller may see the secrets in chargers' configuration. */
export const seesSecrets: Effect.Effect<boolean, never, Caller> = Effect.map(Caller, ({ permissions }) =>
  permissions.includes("chargers:secrets")
)

/** Who writes, and when. */
export const audit: Effect.Effect<AuditContext, never, Caller> = Effect.flatMap(Caller, (by) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ by, now }))
)

/** Fails if the caller has a second factor that was last proved too long ago. For endpoints that ask for it only on a condition. */
export const askFactor: Effect.Effect<void, FactorStale, Caller> = Effect.gen(function* () {
  const caller = yield* Caller
  if (isFactorStale(caller, yield* Clock.currentTimeMillis)) return yield* new FactorStale()
})
