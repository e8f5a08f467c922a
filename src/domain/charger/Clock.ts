/**
 * Decides whether to believe a charger's clock. Chargers start in 1970, send local time as UTC, or send no time at all. What they send is always
 * stored raw. Calculations use the charger's time if it is plausible, otherwise the time of receipt.
 */
import type { ChargerTime } from "./ChargerEvent.ts"

/** OCPP 1.6 was published in 2015, so no message can be older. Clocks without a battery show 1970 or 2000. */
export const earliestBelievable = Date.UTC(2015, 0, 1)

/**
 * How far ahead of ours a charger's clock may be. Local time marked as UTC is off by at most fourteen hours, and a later synchronisation corrects
 * it. A clock that is ahead by more than a day is simply wrong.
 */
export const latestAheadMillis = 24 * 60 * 60 * 1000

/**
 * True if an event that was received at `now` can have happened at `at`. Within the bounds no time is too old, since a charger may have been
 * offline for months. While this service's own clock is not set, it cannot judge future times and believes them.
 */
export const isBelievable = (at: number | undefined, now: number): at is number =>
  at !== undefined && at >= earliestBelievable && (at <= now + latestAheadMillis || now < earliestBelievable)

/** When an event happened: the charger's time if it is believable, otherwise the time of receipt. */
export const occurredAt = (time: ChargerTime, now: number): number => (isBelievable(time.at, now) ? time.at : now)

/**
 * The timestamp as sent, if it distinguishes one event from another. The time of a running clock does, even in 1970. A missing timestamp does not, nor
 * does a text that is no time (0000-00-00T00:00:00Z), nor the constant zero of a stopped clock (1970-01-01T00:00:00Z, 0001-01-01T00:00:00Z).
 */
export const distinguishing = ({ at, raw }: ChargerTime): string | undefined =>
  raw === undefined || at === undefined || at <= 0 ? undefined : raw
