/** What handlers of REST v2 know about the caller. */
import { Clock, Effect } from "effect"
import type { AuditContext } from "../../../domain/values/AuditContext.ts"
import { Caller } from "./Middleware.ts"

/** The organisation that limits everything that this request reads or writes. */
export const organisationId: Effect.Effect<string, never, Caller> = Effect.map(
  Caller,
  (caller) => caller.organisationId
)

/** Who writes, and when. */
export const audit: Effect.Effect<AuditContext, never, Caller> = Effect.flatMap(Caller, (by) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ by, now }))
)
