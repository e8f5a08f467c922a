/** Figures over time, for charts: the energy, average power and starts of each step, out of the sessions that fall into it. */

export const seriesMetrics = ["power", "energy", "sessions"] as const
export type SeriesMetric = (typeof seriesMetrics)[number]

/** Steps by their ISO 8601 names, ms. A day is 24 hours from the beginning of the range. */
export const seriesSteps = { PT5M: 300_000, PT15M: 900_000, PT1H: 3_600_000, P1D: 86_400_000 } as const
export type SeriesStep = keyof typeof seriesSteps

export const maxSeriesPoints = 1_000
/** How far back a range may begin: what is read grows with it. */
export const maxSeriesMillis = 92 * 86_400_000
/** More than these are not read for one series. */
export const maxSeriesSessions = 50_000

/** A session as far as a series goes; times are ms epoch. */
export interface SessionWindow {
  readonly startedAt: number
  /** Undefined while it runs. */
  readonly endedAt: number | undefined
  readonly energyWh: number
}

export interface SeriesRange {
  readonly from: number
  readonly to: number
  readonly stepMillis: number
}

export interface SeriesPoint {
  /** When the step begins, ms epoch. */
  readonly at: number
  /** W, Wh or sessions. */
  readonly value: number
}

const hourMillis = 3_600_000

/**
 * A session's energy is spread evenly over its time, since that is all that its record says; power is the energy of a step by its hours. A session is
 * counted in the step in which it started. Steps that have not begun by `now` have no point, and the last one ends at `now`.
 */
export const seriesOf = (
  metric: SeriesMetric,
  { from, stepMillis, to }: SeriesRange,
  windows: ReadonlyArray<SessionWindow>,
  now: number
): ReadonlyArray<SeriesPoint> => {
  const end = Math.min(to, now)
  const count = Math.max(0, Math.ceil((end - from) / stepMillis))
  const sums = new Float64Array(count)
  const stepOf = (at: number) => Math.floor((at - from) / stepMillis)
  for (const { endedAt, energyWh, startedAt } of windows) {
    const until = Math.max(startedAt, Math.min(endedAt ?? now, now))
    if (metric === "sessions" || until === startedAt) {
      const step = stepOf(startedAt)
      if (step >= 0 && step < count) sums[step]! += metric === "sessions" ? 1 : energyWh
      continue
    }
    const perMilli = energyWh / (until - startedAt)
    const last = Math.min(count - 1, stepOf(until - 1))
    for (let step = Math.max(0, stepOf(startedAt)); step <= last; step++) {
      const begins = from + step * stepMillis
      const overlap = Math.min(until, begins + stepMillis, end) - Math.max(startedAt, begins)
      sums[step]! += Math.max(0, overlap) * perMilli
    }
  }
  return Array.from(sums, (sum, step) => {
    const at = from + step * stepMillis
    const hours = (Math.min(at + stepMillis, end) - at) / hourMillis
    return { at, value: metric === "sessions" ? sum : Math.round(metric === "power" ? sum / hours : sum) }
  })
}
