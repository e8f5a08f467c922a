/**
 * Errors in a tariff, and warnings about what its author may not have meant. A tariff with errors is not stored; warnings are returned. Each one says
 * where it is (a JSON pointer into the tariff) and what to do.
 */
import { hasFewDecimals } from "../values/Amount.ts"
import { isCurrency } from "../values/Currency.ts"
import { dayMillis } from "../values/Day.ts"
import { compile, parseTime } from "./Compiled.ts"
import { conclusiveHours, type Resolution } from "./Evidence.ts"
import {
  type Dimension,
  type PriceComponent,
  type PriceLimit,
  type Pricing,
  type Restrictions,
  type TariffElement,
  weekdays
} from "./Tariff.ts"

/** The most elements of a tariff. A week of hourly prices for three dimensions has 504, and no one can read that. */
export const elementsMax = 600

/** The highest price per unit, in any currency. It keeps sums within the precision of a double. */
export const priceMax = 1_000_000

/** The largest step: a week in seconds, or 604 kWh. */
export const stepSizeMax = 604_800

export interface Finding {
  readonly pointer: string
  readonly detail: string
}

const at = (pointer: string, detail: string, wrong: boolean): ReadonlyArray<Finding> =>
  wrong ? [{ pointer, detail }] : []

const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/

/** Rejects dates that do not exist, such as the 30th of February. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

const ofComponent = ({ price, stepSize, vat }: PriceComponent, path: string): ReadonlyArray<Finding> => [
  ...at(`${path}/price`, `Must be from 0 to ${priceMax}`, price < 0 || price > priceMax),
  ...at(`${path}/price`, "Must have at most four decimals", !hasFewDecimals(price)),
  ...at(
    `${path}/vat`,
    "Must be a percentage from 0 to 100 with at most four decimals",
    vat !== undefined && !(vat >= 0 && vat <= 100 && hasFewDecimals(vat))
  ),
  ...at(`${path}/stepSize`, `Must be from 0 to ${stepSizeMax}: Wh, or seconds`, stepSize < 0 || stepSize > stepSizeMax)
]

const ranges: ReadonlyArray<readonly [keyof Restrictions, keyof Restrictions]> = [
  ["minKwh", "maxKwh"],
  ["minCurrent", "maxCurrent"],
  ["minPower", "maxPower"],
  ["minDuration", "maxDuration"]
]

const ofRange = (
  given: Restrictions,
  [least, below]: (typeof ranges)[number],
  path: string
): ReadonlyArray<Finding> => {
  const [from, to] = [given[least], given[below]]
  const negative = (key: keyof Restrictions) => {
    const n = given[key]
    return at(
      `${path}/${key}`,
      "Must not be negative, with at most four decimals",
      typeof n === "number" && !(n >= 0 && hasFewDecimals(n))
    )
  }
  const empty = typeof from === "number" && typeof to === "number" && from >= to
  return [
    ...negative(least),
    ...negative(below),
    ...at(`${path}/${below}`, `Must be more than ${least}, otherwise the element never applies`, empty)
  ]
}

const ofRestrictions = (given: Restrictions, path: string): ReadonlyArray<Finding> => {
  const { dayOfWeek, endDate, startDate } = given
  const times = (["startTime", "endTime"] as const).flatMap((key) =>
    at(
      `${path}/${key}`,
      "Must be a time of day, such as 08:30",
      given[key] !== undefined && !timePattern.test(given[key])
    )
  )
  const dates = (["startDate", "endDate"] as const).flatMap((key) =>
    at(`${path}/${key}`, "Must be a date, such as 2026-11-20", given[key] !== undefined && !isDate(given[key]))
  )
  return [
    ...times,
    ...dates,
    ...at(
      `${path}/endDate`,
      "Must be later than startDate, otherwise the element never applies",
      startDate !== undefined && endDate !== undefined && startDate >= endDate
    ),
    ...ranges.flatMap((range) => ofRange(given, range, path)),
    ...at(`${path}/dayOfWeek`, "Must name a day, or be left out", dayOfWeek !== undefined && dayOfWeek.length === 0)
  ]
}

const ofElement = ({ priceComponents, restrictions }: TariffElement, path: string): ReadonlyArray<Finding> => {
  const types = priceComponents.map(({ type }) => type)
  const ofReservation = restrictions?.reservation !== undefined
  return [
    ...at(`${path}/priceComponents`, "Must not be empty", types.length === 0),
    ...priceComponents.flatMap((component, i) => {
      const here = `${path}/priceComponents/${i}`
      const fitting = !ofReservation || component.type === "FLAT" || component.type === "TIME"
      return [
        ...ofComponent(component, here),
        ...at(
          `${here}/type`,
          "Must be given only once in an element: only the first would apply",
          types.indexOf(component.type) < i
        ),
        ...at(`${here}/type`, "Must be FLAT or TIME for a reservation", !fitting)
      ]
    }),
    ...(restrictions === undefined ? [] : ofRestrictions(restrictions, `${path}/restrictions`))
  ]
}

const ofLimit = (limit: PriceLimit | undefined, path: string): ReadonlyArray<Finding> => {
  if (limit === undefined) return []
  const { exclVat, inclVat } = limit
  const fits = (n: number) => n >= 0 && n <= priceMax && hasFewDecimals(n)
  return [
    ...at(`${path}/exclVat`, `Must be from 0 to ${priceMax} with at most four decimals`, !fits(exclVat)),
    ...at(
      `${path}/inclVat`,
      `Must be from 0 to ${priceMax} with at most four decimals`,
      inclVat !== undefined && !fits(inclVat)
    ),
    ...at(`${path}/inclVat`, "Must not be less than exclVat", inclVat !== undefined && inclVat < exclVat)
  ]
}

/** The errors of a tariff. Empty if it may be stored. */
export const errorsOf = ({ currency, elements, maxPrice, minPrice }: Pricing): ReadonlyArray<Finding> => [
  ...at("/currency", "Must be an ISO 4217 code of a currency, in upper case, such as EUR", !isCurrency(currency)),
  ...at(
    "/elements",
    `Must have 1 to ${elementsMax} elements; a free tariff has one FLAT of 0`,
    elements.length === 0 || elements.length > elementsMax
  ),
  ...elements.slice(0, elementsMax).flatMap((element, i) => ofElement(element, `/elements/${i}`)),
  ...ofLimit(minPrice, "/minPrice"),
  ...ofLimit(maxPrice, "/maxPrice"),
  ...at(
    "/maxPrice/exclVat",
    "Must not be less than minPrice",
    minPrice !== undefined && maxPrice !== undefined && maxPrice.exclVat < minPrice.exclVat
  )
]

const timeOf = ({ endTime, startTime }: Restrictions) => `${startTime ?? "00:00"} ${endTime ?? "00:00"}`

/** True if `later` can apply only while `earlier` does. */
const covers = (earlier: Restrictions, later: Restrictions): boolean => {
  if (earlier.reservation !== later.reservation) return false
  const timed = earlier.startTime !== undefined || earlier.endTime !== undefined
  if (timed && timeOf(earlier) !== timeOf(later)) return false
  const { dayOfWeek } = earlier
  if (dayOfWeek !== undefined && !(later.dayOfWeek ?? [...weekLong]).every((day) => dayOfWeek.includes(day)))
    return false
  const from = (key: keyof Restrictions) =>
    earlier[key] === undefined || (later[key] !== undefined && later[key] >= earlier[key])
  const to = (key: keyof Restrictions) =>
    earlier[key] === undefined || (later[key] !== undefined && later[key] <= earlier[key])
  return from("startDate") && to("endDate") && ranges.every(([least, below]) => from(least) && to(below))
}

const weekLong = new Set(weekdays)

const shadowed = (elements: ReadonlyArray<TariffElement>): ReadonlyArray<Finding> =>
  elements.flatMap(({ priceComponents, restrictions = {} }, i) =>
    priceComponents.flatMap(({ type }, j) => {
      const by = elements.findIndex(
        (earlier, k) =>
          k < i &&
          earlier.priceComponents.some((one) => one.type === type) &&
          covers(earlier.restrictions ?? {}, restrictions)
      )
      return at(
        `/elements/${i}/priceComponents/${j}`,
        `Never applies: element ${by} comes first and matches whenever this one does. Put the more specific element first.`,
        by >= 0
      )
    })
  )

const names: Readonly<Record<Dimension, string>> = {
  ENERGY: "Energy",
  FLAT: "The flat fee",
  PARKING_TIME: "Parking",
  TIME: "Charging time"
}

const isOpen = ({ reservation, ...rest }: Restrictions = {}): boolean =>
  reservation === undefined && Object.values(rest).every((one) => one === undefined)

/** The local time of a Monday's beginning, ms. */
const monday = 4 * dayMillis

/** The restrictions that only depend on the hour and the weekday. */
const isOfWeek = ({ dayOfWeek: _, endTime: __, startTime: ___, ...rest }: Restrictions = {}): boolean => isOpen(rest)

/** Whether these elements together apply at any time of the week. */
const coverTheWeek = (elements: ReadonlyArray<TariffElement>, dimension: Dimension): boolean => {
  const { candidates, times } = compile({ elements: elements.filter(({ restrictions }) => isOfWeek(restrictions)) })
  const priced = candidates("session", dimension)
  return weekdays.every((_, day) =>
    [0, ...times].every((time) => {
      const moment = { local: monday + day * dayMillis + time, elapsed: 0, energyWh: 0, powerW: 0, currentA: 0 }
      return priced.some(({ matches }) => matches(moment))
    })
  )
}

/** Dimensions that are sometimes free: they have a price, but there are times for which no element applies, whatever else is the case. */
const sometimesFree = (elements: ReadonlyArray<TariffElement>): ReadonlyArray<Finding> =>
  (["ENERGY", "TIME", "PARKING_TIME"] as const).flatMap((dimension) => {
    const pricing = elements.filter(
      ({ priceComponents, restrictions }) =>
        restrictions?.reservation === undefined && priceComponents.some(({ type }) => type === dimension)
    )
    return at(
      "/elements",
      `${names[dimension]} is free whenever none of its restrictions match. If that is not intended, add an element without restrictions at the end.`,
      pricing.length > 0 && !coverTheWeek(pricing, dimension)
    )
  })

/** Elements that start and end at the same time of day and therefore apply all day. */
const wholeDay = (elements: ReadonlyArray<TariffElement>): ReadonlyArray<Finding> =>
  elements.flatMap(({ restrictions: { endTime, startTime } = {} }, i) =>
    at(
      `/elements/${i}/restrictions/endTime`,
      "Is the same as startTime: the element applies all day.",
      startTime !== undefined && endTime !== undefined && parseTime(startTime) === parseTime(endTime)
    )
  )

/** Elements that never apply, because a value would have to be below 0. */
const belowZero = (elements: ReadonlyArray<TariffElement>): ReadonlyArray<Finding> =>
  elements.flatMap(({ restrictions = {} }, i) =>
    ranges.flatMap(([, below]) =>
      at(
        `/elements/${i}/restrictions/${below}`,
        `Never applies: no value is below 0. Leave out ${below} if there is no upper bound.`,
        restrictions[below] === 0
      )
    )
  )

/** Prices without VAT in a tariff that has VAT on others. */
const withoutVat = (elements: ReadonlyArray<TariffElement>): ReadonlyArray<Finding> => {
  const prices = elements.flatMap(({ priceComponents }, i) =>
    priceComponents.flatMap(({ price, vat }, j) =>
      price > 0 ? [{ pointer: `/elements/${i}/priceComponents/${j}`, vat }] : []
    )
  )
  if (prices.every(({ vat }) => vat === undefined)) return []
  return prices.flatMap(({ pointer, vat }) =>
    at(
      pointer,
      "Has no VAT, but another price of this tariff has. If the rate is zero, set vat to 0.",
      vat === undefined
    )
  )
}

/** The observed step size of a meter that reports neither power nor current. */
export interface SeenMeter {
  /** The name of a real meter; missing for an example. */
  readonly name?: string
  readonly resolution: Resolution
  readonly standbyW: number
}

const isPaidParking = ({ price, type }: PriceComponent): boolean => type === "PARKING_TIME" && price > 0

export const pricesParking = ({ elements }: Pick<Pricing, "elements">): boolean =>
  elements.some(({ priceComponents }) => priceComponents.some(isPaidParking))

/** A warning for a meter that does not show short parking, which is then billed only if the charger's status shows it. */
const unstatedBy = ({ name, resolution, standbyW }: SeenMeter): string | undefined => {
  const hours = Math.round(conclusiveHours(resolution, standbyW) * 10) / 10
  if (!resolution.isProven || hours < 1) return undefined
  const where = name === undefined ? "The meter" : `The meter of ${name}`
  return `${where} counts in steps of ${resolution.wh} Wh: it shows no parking shorter than ${hours} hours, which is billed only if the charger reports SuspendedEV or Finishing. Configure the charger to send Power.Active.Import too.`
}

/** Warnings about paid parking at these meters, at most one for each. */
export const warningsAtMeters = (
  { elements }: Pick<Pricing, "elements">,
  meters: ReadonlyArray<SeenMeter>
): ReadonlyArray<Finding> => {
  const element = elements.findIndex(({ priceComponents }) => priceComponents.some(isPaidParking))
  const component = elements[element]?.priceComponents.findIndex(isPaidParking)
  if (component === undefined) return []
  return meters.flatMap((meter) => {
    const detail = unstatedBy(meter)
    return detail === undefined ? [] : [{ pointer: `/elements/${element}/priceComponents/${component}`, detail }]
  })
}

/** Warnings for a tariff without errors. */
export const warningsOf = ({ elements }: Pricing): ReadonlyArray<Finding> => {
  const paid = elements.some(({ priceComponents }) => priceComponents.some(({ price }) => price > 0))
  return [
    ...shadowed(elements),
    ...sometimesFree(elements),
    ...wholeDay(elements),
    ...belowZero(elements),
    ...withoutVat(elements),
    ...at("/elements", "Everything is free.", !paid)
  ]
}
