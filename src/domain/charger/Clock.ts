/**
 * How far a charger's clock is believed. Chargers start in 1970, send local time as if it were UTC, or send no time at all; what they say
 * is always kept raw, and what we count with is their time where it can be true, else the time of receipt.
 */
import type { ChargerTime } from "./ChargerEvent.ts"

/** OCPP 1.6 came out in 2015: no message of any version that we speak was sent before. Clocks without a battery say 1970 or 2000. */
export const earliestBelievable = Date.UTC(2015, 0, 1)

/**
 * How far ahead of ours a charger's clock may be. Local time marked as UTC is off by at most fourteen hours, which a later synchronisation
 * puts right; more than a day is no time zone but a wrong clock.
 */
export const latestAheadMillis = 24 * 60 * 60 * 1000

/**
 * True when `at` can be the time of something that we heard of at `now`. Nothing is too old within the bounds, since a charger may have
 * been offline for months. A service whose own clock has not been set cannot judge what lies ahead, and believes it.
 */
export const isBelievable = (at: number | undefined, now: number): at is number =>
  at !== undefined && at >= earliestBelievable && (at <= now + latestAheadMillis || now < earliestBelievable)

/** When something happened, as far as it is known: by the charger's clock where that is believable, else when it was heard. */
export const occurredAt = (time: ChargerTime, now: number): number => (isBelievable(time.at, now) ? time.at : now)

/**
 * The timestamp as sent, where it distinguishes one event from another. A clock in 1970 that runs does so; none, or the fixed zero of a clock that does
 * not run (1970-01-01T00:00:00Z, 0001-01-01T00:00:00Z), does not.
 */
export const distinguishing = (time: ChargerTime): string | undefined =>
  time.raw === undefined || time.raw === "" || (time.at !== undefined && time.at <= 0) ? undefined : time.raw
