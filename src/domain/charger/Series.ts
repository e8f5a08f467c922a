/**
 * Time series for charts. For each step: the energy, average power and number of starts, computed from sessions, and the availability of connectors.
 */
import { type AvailabilityHistory, percentUp, spellsOf } from "./Uptime.ts"

/** The metrics that are computed from sessions. */
export const sessionMetrics = ["power", "energy", "sessions"] as const
export type SessionMetric = (typeof sessionMetrics)[number]

export const seriesMetrics = [...sessionMetrics, "availability"] as const
export type SeriesMetric = (typeof seriesMetrics)[number]

/** Steps by their ISO 8601 names, in ms. A day is 24 hours, counted from the beginning of the range. */
export const seriesSteps = { PT5M: 300_000, PT15M: 900_000, PT1H: 3_600_000, P1D: 86_400_000 } as const
export type SeriesStep = keyof typeof seriesSteps

export const maxSeriesPoints = 1_000
/** How long ago a range may begin, in ms: the amount of data to read grows with it. */
export const maxSeriesMillis = 92 * 86_400_000
/** The maximum number of sessions for one series. */
export const maxSeriesSessions = 50_000
/** The maximum number of connectors for one series of availability. */
export const maxSeriesConnectors = 25_000
/** The maximum number of statuses, connections and availability orders for one series of availability. */
export const maxSeriesChanges = 500_000

/** The part of a session that a series needs; times are ms epoch. */
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

/** The chargers that a series covers. With both fields, a charger at a site. */
export interface SeriesScope {
  readonly siteId?: string | undefined
  readonly chargerId?: string | undefined
}

export interface SeriesPoint<Value = number> {
  /** When the step begins, ms epoch. */
  readonly at: number
  /** W, Wh, sessions or percent. */
  readonly value: Value
}

/**
 * The points, and the same figure for the part of the range that has passed. That is the sum; for power the average, for availability the share of
 * the whole.
 */
export interface SeriesFigures {
  readonly points: ReadonlyArray<SeriesPoint<number | null>>
  readonly overall: number | null
}

const stepCount = ({ from, stepMillis, to }: SeriesRange, now: number): number =>
  Math.max(0, Math.ceil((Math.min(to, now) - from) / stepMillis))

const hourMillis = 3_600_000

/**
 * Computes the points of a series. A session's energy is spread evenly over its duration, since its record contains no more detail. Power is the
 * energy of a step divided by its hours. A session is counted in the step in which it started. Steps that have not begun by `now` have no point, and
 * the last step ends at `now` at the latest.
 */
export const seriesOf = (
  metric: SessionMetric,
  range: SeriesRange,
  windows: ReadonlyArray<SessionWindow>,
  now: number
): ReadonlyArray<SeriesPoint> => {
  const { from, stepMillis, to } = range
  const end = Math.min(to, now)
  const count = stepCount(range, now)
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

/** The points, and the figure for the whole range; null for power if the range has not begun. */
export const figuresOf = (
  metric: SessionMetric,
  range: SeriesRange,
  windows: ReadonlyArray<SessionWindow>,
  now: number
): SeriesFigures => {
  const points = seriesOf(metric, range, windows, now)
  const sum = seriesOf(metric === "power" ? "energy" : metric, range, windows, now).reduce(
    (all, { value }) => all + value,
    0
  )
  const hours = (Math.min(range.to, now) - range.from) / hourMillis
  return { points, overall: metric !== "power" ? sum : hours <= 0 ? null : Math.round(sum / hours) }
}

/** Seconds of all connectors together, for each step. */
export interface AvailabilitySums {
  readonly total: Float64Array
  readonly down: Float64Array
}

export const noAvailability = (range: SeriesRange, now: number): AvailabilitySums => {
  const count = stepCount(range, now)
  return { total: new Float64Array(count), down: new Float64Array(count) }
}

/** Adds a connector's seconds to the sums, by the same conditions as in its uptime. */
export const addAvailability = (
  { down, total }: AvailabilitySums,
  history: AvailabilityHistory,
  range: SeriesRange,
  now: number
): void => {
  const begin = Math.floor(range.from / 1000)
  const step = range.stepMillis / 1000
  for (const { condition, from, to } of spellsOf(history, range, now)) {
    const isDown = condition === "offline" || condition === "faulted" || condition === "unavailable"
    for (let at = from; at < to;) {
      const index = Math.floor((at - begin) / step)
      const end = Math.min(to, begin + (index + 1) * step)
      total[index]! += end - at
      if (isDown) down[index]! += end - at
      at = end
    }
  }
}

/** The share of the connectors' time in which they were not down; null for a step in which no connector was known. */
export const availabilityOf = ({ down, total }: AvailabilitySums, { from, stepMillis }: SeriesRange): SeriesFigures => {
  const points = Array.from(total, (seconds, index) => ({
    at: from + index * stepMillis,
    value: percentUp(seconds, down[index]!)
  }))
  const sum = (seconds: Float64Array): number => seconds.reduce((all, one) => all + one, 0)
  return { points, overall: percentUp(sum(total), sum(down)) }
}
