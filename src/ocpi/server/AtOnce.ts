/** A bound on what one partner can have us do at the same time, so that one that crawls all its lists at once takes nothing from the others. */
import { Effect } from "effect"
import { Refused } from "../protocol/Status.ts"

/** Requests of one partner that are served at once; well-behaved ones ask for their pages one after the other. */
export const requestsAtOnce = 32

/** In which time some of them are done: a page takes milliseconds, a registration seconds. */
const retryAfterSeconds = 1

/** Makes the bound, kept by key: beyond `most` at once it is refused, and nothing of it was done. */
export const atOnce = (most: number) => {
  const running = new Map<string, number>()
  const leave = (key: string): void => {
    const left = (running.get(key) ?? 1) - 1
    if (left === 0) running.delete(key)
    else running.set(key, left)
  }
  return <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const before = running.get(key) ?? 0
        if (before >= most) return Effect.fail(new Refused({ reason: { _tag: "TooMany", retryAfterSeconds } }))
        running.set(key, before + 1)
        return Effect.void
      }),
      () => work,
      () => Effect.sync(() => leave(key))
    )
}
