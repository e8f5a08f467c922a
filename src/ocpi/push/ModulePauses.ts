/**
 * Modules of partners that asked for a wait (HTTP 429, RFC 6585 §4): nothing is sent to such a module until the wait is over, and other modules go
 * on. A restart forgets the waits, and then one request for each module finds out again.
 */
import { Clock, Effect } from "effect"
import { PartnerFailed } from "../client/OcpiClient.ts"

/** The wait after an answer that does not say how long to wait. */
const unnamedWaitMillis = 30_000

/** The longest wait that is granted. */
const waitMaxMillis = 3_600_000

/** The most waits that are kept. Beyond that the oldest is removed. */
const pausesMax = 5_000

interface Pause {
  readonly until: number
  readonly message: string
}

export class ModulePauses {
  private readonly pauses = new Map<string, Pause>()

  private noted(key: string, { message, retryAfterMillis = unnamedWaitMillis }: PartnerFailed, now: number): void {
    const until = now + Math.min(retryAfterMillis, waitMaxMillis)
    this.pauses.delete(key)
    this.pauses.set(key, { until, message })
    const [oldest] = this.pauses.keys()
    if (this.pauses.size > pausesMax && oldest !== undefined) this.pauses.delete(oldest)
  }

  /** Makes a call to a module. While that module has asked for a wait, it fails with the same HTTP 429 instead, and nothing is sent. */
  calling<A, E>(
    partnerId: string,
    module: string,
    call: Effect.Effect<A, E | PartnerFailed>
  ): Effect.Effect<A, E | PartnerFailed> {
    const key = `${partnerId} ${module}`
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { message = "", until = 0 } = this.pauses.get(key) ?? {}
      // A wait that is longer than any was noted before the clock was set back.
      if (now < until && until - now <= waitMaxMillis) {
        const waiting = `${message}: nothing is sent to its module ${module} before ${new Date(until).toISOString()}`
        return Effect.fail(new PartnerFailed({ heard: false, status: undefined, http: 429, message: waiting }))
      }
      return Effect.tapError(call, (failed) =>
        failed instanceof PartnerFailed && failed.http === 429
          ? Effect.map(Clock.currentTimeMillis, (at) => this.noted(key, failed, at))
          : Effect.void
      )
    })
  }
}
