/**
 * How callers over HTTP share the main thread and the database. One thread serves all chargers, keys and partners, so the time that a caller
 * takes of it is counted. Its work is done in slices, between which others are served, and those callers continue first that have used least. A
 * caller that is alone has everything that chargers leave.
 */
import { Context, Effect } from "effect"
import type { TooMany } from "../Errors.ts"

/** The time that a caller has used of the main thread. */
export interface ThreadUse {
  /** In ms; the older it is, the less it counts. */
  readonly millis: number
  /** When it was counted, in ms of a clock that never goes back. */
  readonly at: number
}

/** After this time, use counts half: a caller that rests for some seconds is served like a new one. */
const halfLifeMillis = 2_000

/** How much of a use counts at `now`. */
export const useLeft = ({ at, millis }: ThreadUse, now: number): number =>
  millis * 0.5 ** (Math.max(0, now - at) / halfLifeMillis)

/** The use after `millis` more. */
export const useAfter = (use: ThreadUse, millis: number, now: number): ThreadUse => ({
  millis: useLeft(use, now) + millis,
  at: now
})

/** Which of the callers that wait is next: the one that has used least, of several the first. */
export const nextOf = <A extends { readonly use: ThreadUse }>(waiting: Iterable<A>, now: number): A | undefined => {
  let [next, least]: [A | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
  for (const one of waiting) {
    const left = useLeft(one.use, now)
    if (left < least) [next, least] = [one, left]
  }
  return next
}

/** How many reads are done at a time. */
export interface ReadPlaces {
  /** Of all callers together. */
  readonly readsAtOnce: number
  /** Of one caller: fewer, so that others always find a place. */
  readonly readsAtOncePerCaller: number
  /** How many more of one caller may wait. */
  readonly readsWaitingPerCaller: number
}

/**
 * The places for reads with a database of so many sessions. Half of them are left for the journal and for writes. The embedded database has
 * only one session: a second read prepares its answer while the first one has the session.
 */
export const readPlacesOf = (sessions: number): ReadPlaces => {
  const readsAtOnce = Math.max(2, Math.floor(sessions / 2))
  return { readsAtOnce, readsAtOncePerCaller: Math.max(1, readsAtOnce - 2), readsWaitingPerCaller: 200 }
}

/** How the work of callers is shared out. In tests without an implementation, it is only done. */
export class ThreadTime extends Context.Reference<{
  /** Does the work of a caller; no two callers have the same name. */
  readonly as: <A, E, R>(caller: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Reads for a caller when there is a place. Do not wait in it for anything but the database. */
  readonly reading: <A, E, R>(caller: string, read: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TooMany, R>
}>("voltlane/ThreadTime", { defaultValue: () => ({ as: (_, work) => work, reading: (_, read) => read }) }) {}

/** Does the work of a caller. */
export const asCaller = <A, E, R>(caller: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ThreadTime, (time) => time.as(caller, work))

/** Reads for a caller when there is a place. */
export const readingFor = <A, E, R>(caller: string, read: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooMany, R> =>
  Effect.flatMap(ThreadTime, (time) => time.reading(caller, read))

/** Items in one piece of work. An item takes up to a tenth of a millisecond. */
const itemsAtOnce = 16

/** Does the work for a few items at a time. Others may work in between. */
export const inSlices = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (some: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> => {
  if (items.length <= itemsAtOnce) return work(items)
  return Effect.gen(function* () {
    const made: Array<B> = []
    for (let from = 0; from < items.length; from += itemsAtOnce) {
      made.push(...(yield* work(items.slice(from, from + itemsAtOnce))))
    }
    return made
  })
}

/** `items.map(f)`, a few items at a time. */
export const mapInSlices = <A, B>(items: ReadonlyArray<A>, f: (item: A) => B): Effect.Effect<ReadonlyArray<B>> =>
  inSlices(items, (some) => Effect.sync(() => some.map((item) => f(item))))
