/**
 * Makes refused commands visible for an operator's alarms: commands refused because of their effect or their number. They are counted by
 * reason. A caller who exceeds the number of chargers per minute (T26) is also logged with their identity.
 */
import { type Context, Effect, Metric } from "effect"
import type { AuditContext } from "../../domain/values/AuditContext.ts"

/** The error codes that REST returns; a fixed set, so that they can be labels. */
const reasons = ["command_rate", "too_many_commands", "would_lock_out"] as const

type Reason = (typeof reasons)[number]

const refused = (reason: Reason) =>
  Metric.counter("commands_refused_total", {
    description:
      "Commands to chargers that were refused, by reason; command_rate: one operator or partner commanded too many chargers",
    incremental: true,
    attributes: { reason }
  })

const isReason = (code: string): code is Reason => reasons.some((reason) => reason === code)

/** A caller is logged at most once in this time, so that repeated requests do not fill the log. */
const repeatedMillis = 60_000

/** How many callers are remembered; more than a service has keys in use. */
const maxCallers = 1_000

export interface Refusal {
  readonly code: string
  readonly chargerId: string
  readonly writing: AuditContext
  readonly chargersPerMinute: number
}

/** Records refusals. Counters start at 0, so that an alarm sees the first refusal as an increase. */
export const refusals = (context: Context.Context<never>): ((refusal: Refusal) => Effect.Effect<void>) => {
  const counters = new Map(reasons.map((reason) => [reason, refused(reason)]))
  for (const counter of counters.values()) counter.updateUnsafe(0, context)
  /** When each caller was last logged, and how many refusals followed. */
  const callers = new Map<string, { readonly since: number; quiet: number }>()

  return ({ chargerId, chargersPerMinute, code, writing: audit }) =>
    Effect.suspend(() => {
      if (!isReason(code)) return Effect.void
      counters.get(code)?.updateUnsafe(1, context)
      if (code !== "command_rate") return Effect.void
      const { by, now } = audit
      const known = callers.get(by.actor)
      if (known !== undefined && now - known.since < repeatedMillis) {
        known.quiet++
        return Effect.void
      }
      callers.delete(by.actor)
      callers.set(by.actor, { since: now, quiet: 0 })
      if (callers.size > maxCallers) callers.delete(callers.keys().next().value!)
      return Effect.logWarning("security: too many chargers are commanded; commands over the limit are refused").pipe(
        Effect.annotateLogs({
          security: code,
          actor: by.actor,
          organisationId: by.organisationId,
          chargerId,
          chargersPerMinute,
          refusedUnsaid: known?.quiet ?? 0
        })
      )
    })
}
