/**
 * The lines of a bill: the used and the billed volume of each price component of a tariff. They follow from the priced periods alone, so that the
 * lines of a stored record can be computed again.
 */
import { type Amount, nothing, type Per, plus, type Price, priced, toPrice } from "../values/Amount.ts"
import type { Period } from "./Period.ts"
import { tidyWh } from "./Stretches.ts"
import type { Dimension, PriceComponent, TariffElement } from "./Tariff.ts"

/** Volumes are Wh for ENERGY, ms for times, and a count for FLAT. */
export interface Line {
  /** True for the reservation, false for the session. */
  readonly reserved: boolean
  /** The index of the element in the tariff. */
  readonly element: number
  readonly component: PriceComponent
  /** When it first and last priced something, ms epoch. */
  readonly from: number
  readonly to: number
  /** The number of separate stretches between the two. */
  readonly stretches: number
  readonly volume: number
  /** The volume that is paid for, after the step size. */
  readonly billed: number
}

export const perOf: Readonly<Record<Dimension, Per>> = {
  ENERGY: "kWh",
  TIME: "hour",
  PARKING_TIME: "hour",
  FLAT: "once"
}

export const amountOf = ({ billed, component }: Line): Amount =>
  priced(component.price, perOf[component.type], billed, component.vat)

/** The exact amount of some lines. */
export const exactOf = (lines: ReadonlyArray<Line>): Amount =>
  lines.reduce((all, line) => plus(all, amountOf(line)), nothing)

export interface Costs {
  readonly fixed: Price
  readonly energy: Price
  readonly time: Price
  readonly parking: Price
  readonly reservation: Price
}

/** Each of the five costs is rounded once, half away from zero, to four decimals, without and with VAT. */
export const costsOf = (lines: ReadonlyArray<Line>): Costs => {
  const sum = (wanted: (line: Line) => boolean) => toPrice(exactOf(lines.filter(wanted)))
  const ofDimension = (dimension: Dimension) =>
    sum(({ component, reserved }) => !reserved && component.type === dimension)
  return {
    fixed: ofDimension("FLAT"),
    energy: ofDimension("ENERGY"),
    time: ofDimension("TIME"),
    parking: ofDimension("PARKING_TIME"),
    reservation: sum(({ reserved }) => reserved)
  }
}

const secondMillis = 1000

type Used = Omit<Line, "billed">

/**
 * The volume that is missing to a whole number of steps, and the line to which it is added: the last one. Steps count whole Wh and seconds, so the total
 * is rounded to them first: a tenth of a second does not cost an hour. If it was rounded down, the volume is below zero.
 */
const missing = (lines: ReadonlyArray<Used>, unit: number): readonly [Used, number] | undefined => {
  const last = lines.at(-1)
  const step = (last?.component.stepSize ?? 0) * unit
  if (last === undefined || step === 0) return undefined
  const total = tidyWh(lines.reduce((sum, { volume }) => sum + volume, 0))
  const billed = Math.ceil(Math.round(total / unit) / last.component.stepSize) * step
  return [last, Math.max(tidyWh(billed - total), -last.volume)]
}

const isTimeOfSession = ({ component, reserved }: Used): boolean =>
  !reserved && (component.type === "TIME" || component.type === "PARKING_TIME")

/**
 * The lines with their billed volumes; `lines` are in the order in which their components were last used. Step sizes (OCPI 2.2.1 `mod_cdrs` §10.3.1)
 * round consumption up once per session: energy by its total, and of the times only the one that was billed last, so that a few seconds of parking
 * before the end do not cost a whole step. The step is that of the component used last, and the added volume is billed at that component's price.
 */
const billedVolumes = (lines: ReadonlyArray<Used>, ended: boolean): ReadonlyArray<Line> => {
  const of = (dimension: Dimension, reserved: boolean) =>
    lines.filter((line) => line.component.type === dimension && line.reserved === reserved)
  const endsParked = lines.findLast(isTimeOfSession)?.component.type === "PARKING_TIME"
  const added = new Map(
    [
      missing(of("ENERGY", false), 1),
      missing(of(endsParked ? "PARKING_TIME" : "TIME", false), secondMillis),
      missing(of("TIME", true), secondMillis)
    ].flatMap((one) => (one === undefined || !ended ? [] : [one]))
  )
  return lines.map((line) => ({ ...line, billed: tidyWh(line.volume + (added.get(line) ?? 0)) }))
}

/** The volume of each dimension in a period. */
export const volumesOf = (period: Period): ReadonlyArray<readonly [Dimension, number]> => [
  ["FLAT", 1],
  ["ENERGY", period.energyWh],
  [period.charging || period.reserved === true ? "TIME" : "PARKING_TIME", period.endedAt - period.startedAt]
]

/** The lines, in the order in which they were last used. */
export const linesOf = (
  elements: ReadonlyArray<TariffElement>,
  periods: ReadonlyArray<Period>,
  ended: boolean
): ReadonlyArray<Line> => {
  const byPlace = new Map<string, Used>()
  for (const period of periods) {
    const { endedAt: to, reserved = false, startedAt: from } = period
    for (const [dimension, volume] of volumesOf(period)) {
      const element = period.elements[dimension]
      const component = elements[element ?? -1]?.priceComponents.find(({ type }) => type === dimension)
      if (element === undefined || component === undefined) continue
      const place = `${reserved} ${dimension} ${element}`
      const before = byPlace.get(place)
      // Deleted and set again, it becomes the last entry of the map.
      byPlace.delete(place)
      const line = before ?? { reserved, element, component, from, to, stretches: 0, volume: 0 }
      const stretches = line.stretches + (line.stretches > 0 && line.to === from ? 0 : 1)
      byPlace.set(place, { ...line, to, stretches, volume: tidyWh(line.volume + volume) })
    }
  }
  return billedVolumes([...byPlace.values()], ended)
}
