/**
 * Whether the length of a session is known. The difference between the charger's times and ours at start and stop shows whether its clock
 * jumped in between, and how far it is ahead.
 */

/** One message of a charger, ms epoch. */
export interface Heard {
  /** By the charger's clock, as far as that is believed. */
  readonly at: number
  /** By ours. */
  readonly heardAt: number
}

export interface ClockDoubt {
  /** The session's length is not known. */
  readonly jumped: boolean
  /** Prices that depend on the time of day depend on it; 0 where the clock is not ahead by more than is tolerated. */
  readonly aheadMillis: number
}

/** Clocks are set by hand, and messages take a while. */
const toleratedMillis = 5 * 60_000

/**
 * Messages wait and come late, so that a time long past says nothing. One that is ahead is of a wrong clock; and if start and stop are not
 * off by the same, time passed otherwise by the charger's clock than by ours. `mayHaveWaited`: the stop has no time of its own, and the
 * charger was away since the start, so that it may have happened days before it was heard.
 */
export const clockDoubt = (start: Heard, stop: Heard, mayHaveWaited: boolean): ClockDoubt | undefined => {
  const [atStart, atStop] = [start.at - start.heardAt, stop.at - stop.heardAt]
  const most = Math.max(atStart, atStop)
  const aheadMillis = most > toleratedMillis ? most : 0
  const jumped = mayHaveWaited || (aheadMillis > 0 && Math.abs(atStart - atStop) > toleratedMillis)
  return jumped || aheadMillis > 0 ? { jumped, aheadMillis } : undefined
}
