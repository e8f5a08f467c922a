/**
 * The local time of a site during a session, as spans with one UTC offset each; within a span local time is UTC plus a constant. A session across a
 * change of the clocks has two spans. A restriction at 02:30 then matches twice or not at all, as on a wall clock.
 */
import { DateTime, Option } from "effect"

export interface OffsetSpan {
  /** ms epoch, inclusive and exclusive. */
  readonly from: number
  readonly to: number
  /** ms to add to UTC. */
  readonly offset: number
}

const dayMillis = 86_400_000

const zoneOf = (timeZone: string): DateTime.TimeZone =>
  Option.getOrElse(DateTime.zoneMakeNamed(timeZone), () => DateTime.zoneMakeNamedUnsafe("UTC"))

/** The first millisecond with another offset than at `from`. The offset changes exactly once between `from` and `to`. */
const changeBetween = (offsetAt: (at: number) => number, from: number, to: number): number => {
  const before = offsetAt(from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

/**
 * The spans of `[from, to)` in an IANA zone (UTC if the runtime does not know it). Checks once a day, because no zone changes its clocks twice within
 * a day.
 */
export const offsetSpans = (from: number, to: number, timeZone: string): ReadonlyArray<OffsetSpan> => {
  const zone = zoneOf(timeZone)
  const offsetAt = (at: number): number => DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))
  const spans: Array<OffsetSpan> = []
  let start = from
  let offset = offsetAt(from)
  for (let seen = from; seen < to;) {
    const next = Math.min(seen + dayMillis, to)
    const then = offsetAt(next)
    if (then !== offset) {
      const change = changeBetween(offsetAt, seen, next)
      if (change < to) {
        spans.push({ from: start, to: change, offset })
        start = change
        offset = then
      }
    }
    seen = next
  }
  spans.push({ from: start, to, offset })
  return spans
}

/** ms since local midnight. */
export const timeOfDay = (local: number): number => ((local % dayMillis) + dayMillis) % dayMillis

/** 0 is Monday. */
export const weekdayOf = (local: number): number => (((Math.floor(local / dayMillis) + 3) % 7) + 7) % 7

/** The moments (ms epoch) within a span at which the local time of day is one of `times` (ms since midnight), without the span's own beginning. */
export const localMoments = (span: OffsetSpan, times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const found: Array<number> = []
  const first = Math.floor((span.from + span.offset) / dayMillis) * dayMillis
  for (let day = first; day - span.offset < span.to; day += dayMillis) {
    for (const time of times) {
      const at = day + time - span.offset
      if (at > span.from && at < span.to) found.push(at)
    }
  }
  return found
}
