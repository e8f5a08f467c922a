/**
 * Whether the duration of a session is known. The difference between the charger's times and ours at start and stop shows whether its clock
 * jumped in between, and how far it is ahead.
 */

/** One message of a charger, ms epoch. */
export interface Heard {
  /** By the charger's clock, if that is believed. */
  readonly at: number
  /** By ours. */
  readonly heardAt: number
}

export interface ClockDoubt {
  /** The session's duration is not known. */
  readonly jumped: boolean
  /** How far the clock is ahead, which matters for prices by time of day; 0 if that is tolerated. */
  readonly aheadMillis: number
}

/** Clocks are set by hand, and messages take time. */
const toleratedMillis = 5 * 60_000

/**
 * Messages may arrive late, so a time in the past says nothing. A time ahead shows a wrong clock. If start and stop are ahead by different amounts,
 * the clock jumped between them. `mayHaveWaited`: the stop has no time of its own and the charger was offline since the start, so that the stop may
 * have happened days before it arrived.
 */
export const clockDoubt = (start: Heard, stop: Heard, mayHaveWaited: boolean): ClockDoubt | undefined => {
  const [atStart, atStop] = [start.at - start.heardAt, stop.at - stop.heardAt]
  const most = Math.max(atStart, atStop)
  const aheadMillis = most > toleratedMillis ? most : 0
  const jumped = mayHaveWaited || (aheadMillis > 0 && Math.abs(atStart - atStop) > toleratedMillis)
  return jumped || aheadMillis > 0 ? { jumped, aheadMillis } : undefined
}
