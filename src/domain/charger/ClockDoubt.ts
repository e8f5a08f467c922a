/**
 * Whether the duration of a session is known. The difference between the charger's times and ours at start and stop shows whether its clock
 * jumped in between, and how far it is ahead.
 */

/** When a message of a charger was sent and received, ms epoch. */
export interface Heard {
  /** By the charger's clock if it is believed. */
  readonly at: number
  /** By the service's clock. */
  readonly heardAt: number
}

export interface ClockDoubt {
  /** True if the session's duration is not known. */
  readonly jumped: boolean
  /** How far the charger's clock is ahead, which matters for prices by time of day; 0 if the difference is tolerated. */
  readonly aheadMillis: number
}

/** The tolerated difference: clocks are set by hand, and messages take time. */
const toleratedMillis = 5 * 60_000

/** True if the charger's clock agreed with ours when a message arrived. */
export const agreesWithReceipt = ({ at, heardAt }: Heard): boolean => Math.abs(at - heardAt) <= toleratedMillis

/**
 * Messages may arrive late, so a time in the past proves nothing. A time in the future shows a wrong clock. If start and stop are ahead by different
 * amounts, the clock jumped between them. `mayHaveWaited`: the stop has no time of its own and the charger may have been offline since the start, so
 * the stop may have happened days before it arrived.
 */
export const clockDoubt = (start: Heard, stop: Heard, mayHaveWaited: boolean): ClockDoubt | undefined => {
  const [atStart, atStop] = [start.at - start.heardAt, stop.at - stop.heardAt]
  const most = Math.max(atStart, atStop)
  const aheadMillis = most > toleratedMillis ? most : 0
  const jumped = mayHaveWaited || (aheadMillis > 0 && Math.abs(atStart - atStop) > toleratedMillis)
  return jumped || aheadMillis > 0 ? { jumped, aheadMillis } : undefined
}
