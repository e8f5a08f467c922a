/**
 * A tariff prepared for pricing: restrictions as numbers, and for each dimension the elements that price it, in order. It is built once per tariff
 * and queried for each piece of a session.
 */
import { timeOfDay, weekdayOf } from "./LocalTime.ts"
import { type Dimension, type PriceComponent, type Pricing, type Restrictions, weekdays } from "./Tariff.ts"

const minuteMillis = 60_000
const dayMillis = 86_400_000

/** The state of a session at the beginning of a piece, against which restrictions are tested. */
export interface Moment {
  /** Local ms: UTC plus the offset of the site. */
  readonly local: number
  /** ms since the session began. */
  readonly elapsed: number
  /** Energy so far. */
  readonly energyWh: number
  readonly powerW: number
  readonly currentA: number
}

/** A component with the index of its element in the tariff. */
export interface Priced {
  readonly element: number
  readonly component: PriceComponent
  readonly matches: (moment: Moment) => boolean
}

/** Which elements price a part of a session: those for sessions or those for reservations. */
export type Phase = "session" | "RESERVATION" | "RESERVATION_EXPIRES"

export interface Compiled {
  /** The candidates of a dimension, in order: the first that matches applies. */
  readonly candidates: (phase: Phase, dimension: Dimension) => ReadonlyArray<Priced>
  /** Local times of day, ms, at which a restriction changes; empty if no restriction depends on the time. */
  readonly times: ReadonlyArray<number>
  /** ms since the session began. */
  readonly durations: ReadonlyArray<number>
  /** Wh. */
  readonly energies: ReadonlyArray<number>
  /** Whether a price of a session depends on power, and on current. */
  readonly dependsOn: { readonly power: boolean; readonly current: boolean }
}

/** "HH:MM" in ms. */
export const parseTime = (text: string): number => {
  const [hours, minutes] = text.split(":").map(Number)
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * minuteMillis
}

/** "YYYY-MM-DD" as local ms. */
const parseDate = (text: string): number => Date.parse(`${text}T00:00:00Z`)

export const toWh = (kwh: number): number => Math.round(kwh * 1000)

type Test = (moment: Moment) => boolean

const timeTest = ({ endTime, startTime }: Restrictions): Test | undefined => {
  if (startTime === undefined && endTime === undefined) return undefined
  const start = startTime === undefined ? 0 : parseTime(startTime)
  const end = endTime === undefined || parseTime(endTime) === 0 ? dayMillis : parseTime(endTime)
  if (start < end) return ({ local }) => timeOfDay(local) >= start && timeOfDay(local) < end
  return ({ local }) => timeOfDay(local) >= start || timeOfDay(local) < end
}

const within = (
  least: number | undefined,
  below: number | undefined,
  of: (moment: Moment) => number
): Test | undefined => {
  if (least === undefined && below === undefined) return undefined
  return (moment) => {
    const n = of(moment)
    return (least === undefined || n >= least) && (below === undefined || n < below)
  }
}

const times = (n: number | undefined, factor: number) => (n === undefined ? undefined : n * factor)
const rounded = (n: number | undefined) => (n === undefined ? undefined : Math.round(n))
/** kW as W. Rounded, because 16.1 × 1000 is not exactly 16100 in binary. */
const inWatts = (kW: number | undefined) => (kW === undefined ? undefined : Math.round(kW * 1e6) / 1e3)

const matcher = (given: Restrictions | undefined): Test => {
  if (given === undefined) return () => true
  const { dayOfWeek, endDate, startDate } = given
  const days =
    dayOfWeek === undefined || dayOfWeek.length === 0
      ? undefined
      : new Set(dayOfWeek.map((day) => weekdays.indexOf(day)))
  const dates = [startDate, endDate].map((date) => (date === undefined ? undefined : parseDate(date)))
  const tests = [
    timeTest(given),
    within(dates[0], dates[1], ({ local }) => local),
    within(rounded(times(given.minKwh, 1000)), rounded(times(given.maxKwh, 1000)), ({ energyWh }) => energyWh),
    within(given.minCurrent, given.maxCurrent, ({ currentA }) => currentA),
    within(inWatts(given.minPower), inWatts(given.maxPower), ({ powerW }) => powerW),
    within(times(given.minDuration, 1000), times(given.maxDuration, 1000), ({ elapsed }) => elapsed),
    days === undefined ? undefined : ({ local }: Moment) => days.has(weekdayOf(local))
  ].flatMap((test) => test ?? [])
  return (moment) => tests.every((test) => test(moment))
}

/** Expired reservations are priced by elements for expiry first, then by those for reservations (OCPI 2.2.1 §11.4.3). */
const order: Readonly<Record<Phase, ReadonlyArray<Restrictions["reservation"]>>> = {
  session: [undefined],
  RESERVATION: ["RESERVATION"],
  RESERVATION_EXPIRES: ["RESERVATION_EXPIRES", "RESERVATION"]
}

/** Whether any element for sessions, not for reservations, is restricted by power or by current. */
export const dependsOn = (elements: Pricing["elements"]): Compiled["dependsOn"] => {
  const given = elements.flatMap(({ restrictions }) =>
    restrictions === undefined || restrictions.reservation !== undefined ? [] : [restrictions]
  )
  return {
    power: given.some(({ maxPower, minPower }) => minPower !== undefined || maxPower !== undefined),
    current: given.some(({ maxCurrent, minCurrent }) => minCurrent !== undefined || maxCurrent !== undefined)
  }
}

const unique = (numbers: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(numbers)].sort((a, b) => a - b)

const daily = ({ dayOfWeek, endDate, endTime, startDate, startTime }: Restrictions): ReadonlyArray<number> =>
  [startTime, endTime, dayOfWeek, startDate, endDate].every((one) => one === undefined)
    ? []
    : [0, ...[startTime, endTime].flatMap((time) => (time === undefined ? [] : [parseTime(time)]))]

export const compile = ({ elements }: Pick<Pricing, "elements">): Compiled => {
  const all = elements.map(({ priceComponents, restrictions }, element) => {
    const matches = matcher(restrictions)
    return {
      reservation: restrictions?.reservation,
      components: priceComponents.map((component): Priced => ({ element, component, matches }))
    }
  })
  const known = new Map<string, ReadonlyArray<Priced>>()
  const candidates: Compiled["candidates"] = (phase, dimension) => {
    const key = `${phase} ${dimension}`
    const found =
      known.get(key) ??
      order[phase].flatMap((reservation) =>
        all
          .filter((one) => one.reservation === reservation)
          .flatMap(({ components }) => components.filter(({ component }) => component.type === dimension).slice(0, 1))
      )
    known.set(key, found)
    return found
  }
  const given = elements.flatMap(({ restrictions }) => restrictions ?? [])
  const some = (...numbers: ReadonlyArray<number | undefined>) => numbers.flatMap((n) => n ?? [])
  return {
    candidates,
    times: unique(given.flatMap(daily)),
    durations: unique(given.flatMap((one) => some(one.minDuration, one.maxDuration).map((n) => n * 1000))),
    energies: unique(given.flatMap((one) => some(one.minKwh, one.maxKwh).map(toWh))),
    dependsOn: dependsOn(elements)
  }
}
