/**
 * A session in whole seconds, as its record shows it (OCPI 2.2.1 §4.4 DateTime; `step_size` in seconds). Each moment is moved to the whole second that is
 * nearest to its distance from the session's start, so that no duration changes by more than half a second. The start is moved to the second that is
 * printed for it.
 */
import type { PricedSession } from "./Stretches.ts"

const secondMillis = 1000

/** The second that is printed for a moment. */
export const secondOf = (at: number): number => Math.floor(at / secondMillis) * secondMillis

/** When a priced session ends: by its length from the second in which it began. */
export const endInSeconds = (startedAt: number, endedAt: number): number =>
  secondOf(startedAt) + nearest(endedAt - startedAt)

const nearest = (millis: number): number => Math.round(millis / secondMillis) * secondMillis

export const sessionInSeconds = (session: PricedSession): PricedSession => {
  const { endedAt, readings, startedAt, statuses } = session
  const begin = secondOf(startedAt)
  // A moment before the start stays before it.
  const moved = (at: number) => (at < startedAt ? Math.min(secondOf(at), begin) : begin + nearest(at - startedAt))
  /** In the order of the exact times, which several moments of one second no longer show. */
  const inOrder = <A extends { readonly at: number }>(moments: ReadonlyArray<A>): ReadonlyArray<A> =>
    moments.toSorted((one, other) => one.at - other.at).map((one) => ({ ...one, at: moved(one.at) }))
  return {
    ...session,
    startedAt: begin,
    endedAt: moved(endedAt),
    readings: inOrder(readings.filter(({ at }) => at >= startedAt && at <= endedAt)),
    statuses: statuses === undefined ? undefined : inOrder(statuses)
  }
}

/** A reservation in whole seconds. It ends in the second in which it ended, where the session then begins. */
export const reservationInSeconds = <A extends { readonly startedAt: number; readonly endedAt: number }>(
  reserved: A
): A => {
  const endedAt = secondOf(reserved.endedAt)
  return { ...reserved, startedAt: endedAt - nearest(reserved.endedAt - reserved.startedAt), endedAt }
}
