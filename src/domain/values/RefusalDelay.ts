/**
 * Delays refusals. A program that ignores 429 on two thousand connections would get eight thousand refusals a second, which is all that the
 * main thread can do. So a key or network that was refused often a moment ago is answered late, and its connections wait. A few refusals
 * are answered at once.
 */
import { Clock, Effect } from "effect"
import { Buckets } from "./Buckets.ts"

/** How many refusals of one key or network are answered at once, and in how many ms that allowance is restored. */
export const promptRefusals = 20
export const promptMillis = 10_000

/** The delay of further refusals: long enough that thousands of connections cost little, and shorter than the timeouts of HTTP clients. */
export const lateMillis = 3_000

/** Most refusals that wait at a time, each with its connection. Beyond that, refusals are answered at once. */
const waitingMax = 10_000

const namesMax = 10_000

export class RefusalDelay {
  private readonly prompt = new Buckets(promptRefusals, promptMillis, namesMax)
  private waiting = 0

  /** Waits until a refusal of `name` may be answered. */
  before(name: string): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (this.prompt.take(name, now) || this.waiting >= waitingMax) return Effect.void
      this.waiting += 1
      return Effect.ensuring(
        Effect.sleep(lateMillis),
        Effect.sync(() => void (this.waiting -= 1))
      )
    })
  }
}
