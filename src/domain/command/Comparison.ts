/** Compares two schedules of an EVSE for operators: the one that the service computed and the one that the charger reported. */
import type { DatedSchedule } from "./Composite.ts"

/** A time span in which the schedules differ. Limits are in the schedules' unit; undefined if a schedule has none. */
export interface ScheduleDifference {
  /** ms epoch. */
  readonly from: number
  readonly to: number
  readonly ours: number | undefined
  readonly theirs: number | undefined
}

/** The maximum number of differences that are listed. With more, the schedules themselves are clearer. */
export const differencesMax = 100

/** Smaller differences are ignored, since chargers round to tenths or to whole amperes. */
const tolerance = { A: 0.15, W: 50 } as const

const limitAt = ({ duration, periods, startSchedule }: DatedSchedule, at: number): number | undefined => {
  const since = at - startSchedule
  if (since < 0 || (duration !== undefined && since >= duration * 1000)) return undefined
  return periods.findLast((period) => period.startPeriod * 1000 <= since)?.limit
}

const instantsOf = ({ duration, periods, startSchedule }: DatedSchedule): ReadonlyArray<number> => [
  ...periods.map((period) => startSchedule + period.startPeriod * 1000),
  ...(duration === undefined ? [] : [startSchedule + duration * 1000])
]

const same = (a: number | undefined, b: number | undefined, within: number): boolean =>
  a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= within)

/**
 * The differences over the time that both schedules cover, in order. Adjacent equal differences are joined. Both schedules must have the same unit,
 * so compute `ours` in the charger's unit.
 */
export const compare = (ours: DatedSchedule, theirs: DatedSchedule): ReadonlyArray<ScheduleDifference> => {
  const end = (one: DatedSchedule) => (one.duration === undefined ? Infinity : one.startSchedule + one.duration * 1000)
  const from = Math.max(ours.startSchedule, theirs.startSchedule)
  const last = Math.min(end(ours), end(theirs))
  // Neither has an end: the last periods last for ever, and one minute of them is enough.
  const to = Number.isFinite(last) ? last : Math.max(from, ...instantsOf(ours), ...instantsOf(theirs)) + 60_000
  const instants = [...new Set([from, ...instantsOf(ours), ...instantsOf(theirs), to])]
    .filter((at) => at >= from && at <= to)
    .toSorted((a, b) => a - b)
  const found: Array<ScheduleDifference> = []
  for (const [i, at] of instants.entries()) {
    const next = instants[i + 1]
    if (next === undefined) break
    const one = { ours: limitAt(ours, at), theirs: limitAt(theirs, at) }
    if (same(one.ours, one.theirs, tolerance[ours.chargingRateUnit])) continue
    const before = found.at(-1)
    if (before !== undefined && before.to === at && before.ours === one.ours && before.theirs === one.theirs) {
      found[found.length - 1] = { ...before, to: next }
    } else if (found.length < differencesMax) found.push({ from: at, to: next, ...one })
  }
  return found
}
