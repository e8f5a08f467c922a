/**
 * The prices of a tariff over a week, for sessions that start at each time: the prices that apply first, which elements may apply later in that
 * session, and where nothing applies, so that it is free. It evaluates the same elements in the same order as pricing does. It uses local wall-clock
 * time and needs no time zone.
 */
import { compile, type Moment } from "./Compiled.ts"
import { timeOfDay, weekdayOf } from "./LocalTime.ts"
import { Dimension, type Pricing, type Restrictions, type TariffElement, weekdays } from "./Tariff.ts"

const dayMillis = 86_400_000
const minuteMillis = 60_000

/** The conditions at the first moment of a session. */
export interface WeekStart {
  /** YYYY-MM-DD, the first of seven local days. */
  readonly startDate: string
  /** The power (W) and current (A) that the vehicle takes, for elements that depend on them. */
  readonly powerW: number
  readonly currentA: number
}

/** Three phases of 16 A, as most vehicles take. */
export const usualStart = { powerW: 11_040, currentA: 48 }

/** The price of one dimension. Without an element it is free. */
export interface WeekPrice {
  readonly dimension: Dimension
  readonly element: number | undefined
  readonly price: number
  readonly vat: number | undefined
  /** Elements that may apply later in a session, by its time, energy, power or current. */
  readonly later: ReadonlyArray<number>
}

export interface WeekPeriod {
  readonly day: (typeof weekdays)[number]
  readonly date: string
  /** HH:MM; the end of a day is 24:00. */
  readonly startTime: string
  readonly endTime: string
  /** The index of its band. */
  readonly band: number
}

/** A time of day at which a dimension is free that has a price at other times. */
export interface WeekGap {
  readonly dimension: Dimension
  readonly days: ReadonlyArray<(typeof weekdays)[number]>
  readonly startTime: string
  readonly endTime: string
}

export interface Week {
  /** Each set of prices once, in the order of the week. */
  readonly bands: ReadonlyArray<ReadonlyArray<WeekPrice>>
  readonly periods: ReadonlyArray<WeekPeriod>
  readonly gaps: ReadonlyArray<WeekGap>
}

/** Restrictions that a session can begin or cease to meet while it runs. */
const courseKeys = [
  "minKwh",
  "maxKwh",
  "minCurrent",
  "maxCurrent",
  "minPower",
  "maxPower",
  "minDuration",
  "maxDuration"
] as const satisfies ReadonlyArray<keyof Restrictions>

const dependsOnCourse = ({ restrictions = {} }: TariffElement): boolean =>
  courseKeys.some((key) => restrictions[key] !== undefined)

/** The element with only its restrictions on day and time. */
const byTimeAlone = ({ priceComponents, restrictions = {} }: TariffElement): TariffElement => ({
  priceComponents,
  restrictions: Object.fromEntries(
    Object.entries(restrictions).filter(([key]) => !(courseKeys as ReadonlyArray<string>).includes(key))
  ) as Restrictions
})

const clock = (millis: number): string => {
  const minutes = Math.floor(millis / minuteMillis)
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
}

/** The gaps of one dimension over the week. Days with the same gap are combined. */
const gapsOf = (dimension: Dimension, free: ReadonlyArray<WeekPeriod>): ReadonlyArray<WeekGap> => {
  const joined: Array<WeekPeriod> = []
  for (const one of free) {
    const last = joined.at(-1)
    if (last?.date === one.date && last.endTime === one.startTime)
      joined[joined.length - 1] = { ...last, endTime: one.endTime }
    else joined.push(one)
  }
  const byTime = Map.groupBy(joined, ({ endTime, startTime }) => `${startTime} ${endTime}`)
  return [...byTime.values()].map((same) => ({
    dimension,
    days: weekdays.filter((day) => same.some((one) => one.day === day)),
    startTime: same[0]!.startTime,
    endTime: same[0]!.endTime
  }))
}

export const weekOf = ({ elements }: Pick<Pricing, "elements">, { currentA, powerW, startDate }: WeekStart): Week => {
  const compiled = compile({ elements })
  const timed = compile({ elements: elements.map(byTimeAlone) })
  const priced = Dimension.literals.filter((dimension) => compiled.candidates("session", dimension).length > 0)
  const pricesAt = (moment: Moment): ReadonlyArray<WeekPrice> =>
    priced.map((dimension) => {
      const first = compiled.candidates("session", dimension).find(({ matches }) => matches(moment))
      const fitting = timed.candidates("session", dimension).filter(({ matches }) => matches(moment))
      const last = fitting.findIndex(({ element }) => !dependsOnCourse(elements[element]!))
      const reachable = last < 0 ? fitting : fitting.slice(0, last + 1)
      return {
        dimension,
        element: first?.element,
        price: first?.component.price ?? 0,
        vat: first?.component.vat,
        later: reachable.map(({ element }) => element).filter((element) => element !== first?.element)
      }
    })
  const bands = new Map<string, readonly [index: number, prices: ReadonlyArray<WeekPrice>]>()
  const bandOf = (prices: ReadonlyArray<WeekPrice>): number => {
    const key = JSON.stringify(prices)
    const known = bands.get(key)
    if (known !== undefined) return known[0]
    bands.set(key, [bands.size, prices])
    return bands.size - 1
  }
  const times = [...new Set([0, ...compiled.times])].sort((a, b) => a - b)
  const first = Date.parse(`${startDate}T00:00:00Z`)
  const periods: Array<WeekPeriod> = []
  for (let day = first; day < first + weekdays.length * dayMillis; day += dayMillis) {
    for (const [index, time] of times.entries()) {
      const local = day + time
      const band = bandOf(pricesAt({ local, elapsed: 0, energyWh: 0, powerW, currentA }))
      const endTime = clock(times[index + 1] ?? dayMillis)
      const last = periods.at(-1)
      if (time > 0 && last?.band === band) periods[periods.length - 1] = { ...last, endTime }
      else {
        const date = new Date(day).toISOString().slice(0, 10)
        periods.push({ day: weekdays[weekdayOf(local)]!, date, startTime: clock(timeOfDay(local)), endTime, band })
      }
    }
  }
  const found = [...bands.values()].map(([, prices]) => prices)
  const costs = (dimension: Dimension) =>
    compiled.candidates("session", dimension).some(({ component }) => component.price > 0)
  const isFree = (band: number, dimension: Dimension) =>
    found[band]!.some((one) => one.dimension === dimension && one.element === undefined && one.later.length === 0)
  return {
    bands: found,
    periods,
    gaps: priced.filter(costs).flatMap((dimension) =>
      gapsOf(
        dimension,
        periods.filter(({ band }) => isFree(band, dimension))
      )
    )
  }
}
