/** A bound on what one partner can have us do at the same time, so that one that crawls all its lists at once takes nothing from the others. */
import { Effect } from "effect"
import { Refused } from "../protocol/Status.ts"
import { Counts } from "../../domain/values/Counts.ts"

/** Requests of one partner that are served at once; well-behaved ones ask for their pages one after the other. */
export const requestsAtOnce = 32

/** In which time some of them are done: a page takes milliseconds, a registration seconds. */
const retryAfterSeconds = 1

/** Makes the bound, kept by key: beyond `most` at once it is refused, and nothing of it was done. */
export const atOnce = (most: number) => {
  const running = new Counts()
  return <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (running.of(key) >= most) return Effect.fail(new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } }))
        running.add(key, 1)
        return Effect.void
      }),
      () => work,
      () => Effect.sync(() => running.add(key, -1))
    )
}
