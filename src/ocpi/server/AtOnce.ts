/** Limits the simultaneous requests of one partner, so that a partner that crawls all lists at once does not slow down the others. */
import { Effect } from "effect"
import { Refused } from "../protocol/Status.ts"
import { Counts } from "../../domain/values/Counts.ts"
import { RefusalDelay } from "../../domain/values/RefusalDelay.ts"

/** The most requests of one partner at one time. Well-behaved partners read their pages one after the other. */
export const requestsAtOnce = 32

/** Enough for some of them to end: a page takes milliseconds, a registration seconds. */
const retryAfterSeconds = 1

/** Makes the limit, which counts by key. Work beyond `most` is refused before it begins, and late if that happens often. */
export const atOnce = (most: number) => {
  const running = new Counts()
  const delay = new RefusalDelay()
  const refused = (key: string) =>
    Effect.andThen(
      Effect.interruptible(delay.before(key)),
      new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } })
    )
  return <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (running.of(key) >= most) return refused(key)
        running.add(key, 1)
        return Effect.void
      }),
      () => work,
      () => Effect.sync(() => running.add(key, -1))
    )
}
