/** Times of subscriptions after the clock was set back: what lies further ahead than anything is ever put off would stand still until then. */
import { Effect } from "effect"
import type { TimesAhead } from "../../domain/event/Subscriptions.ts"
import type { Recording } from "../kernel/Facts.ts"
import { guardedWrite } from "../kernel/SqlErrors.ts"

export const mendTimes = ({ sql, writable }: Recording) =>
  Effect.fn("Subscriptions.mendTimes")(function* (
    now: number,
    { leaseMillis, maxDelayMillis, maxRetryAfterMillis }: TimesAhead
  ) {
    const at = new Date(now)
    const leased = new Date(now + leaseMillis)
    const delayed = new Date(now + maxDelayMillis)
    const wished = new Date(now + maxRetryAfterMillis)
    const write = Effect.gen(function* () {
      yield* sql`
        UPDATE subscription SET opened_at = CASE WHEN opened_at > ${at} THEN ${at} ELSE opened_at END,
          probed_at = CASE WHEN probed_at > ${at} THEN ${at} ELSE probed_at END,
          not_before = CASE WHEN not_before > ${wished} THEN ${wished} ELSE not_before END
        WHERE opened_at > ${at} OR probed_at > ${at} OR not_before > ${wished}`
      yield* sql`
        UPDATE subscription_object SET claimed_until = CASE WHEN claimed_until > ${leased} THEN ${leased} ELSE claimed_until END,
          next_at = CASE WHEN next_at > ${delayed} THEN ${at} ELSE next_at END
        WHERE next_at IS NOT NULL AND (next_at > ${delayed} OR claimed_until > ${leased})`
    })
    yield* Effect.andThen(writable, guardedWrite(sql.withTransaction(write)))
  })
