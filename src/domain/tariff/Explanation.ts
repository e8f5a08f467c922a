/**
 * Explains a price: one line for each price of the tariff that was used, then what the tariff's limits and rounding add. The lines add up to the
 * price exactly.
 */
import { negativeOf, type Per, type Price, sumOf, toPrice } from "../values/Amount.ts"
import { limited } from "./Limits.ts"
import { amountOf, costsOf, exactOf, type Line, linesOf, perOf, volumesOf } from "./Line.ts"
import type { Period } from "./Period.ts"
import { restrictionText } from "./RestrictionText.ts"
import type { Dimension, Pricing } from "./Tariff.ts"

export const lineKinds = [
  "energy",
  "time",
  "parking",
  "session",
  "reservation",
  "minimum",
  "maximum",
  "rounding"
] as const
export type LineKind = (typeof lineKinds)[number]

export interface ExplainedLine extends Price {
  readonly kind: LineKind
  readonly dimension: Dimension | undefined
  /** The index of the element in the tariff; undefined for lines that no element prices. */
  readonly element: number | undefined
  readonly reserved: boolean
  readonly from: number | undefined
  readonly to: number | undefined
  readonly unit: Per | undefined
  /** Per unit, without VAT. */
  readonly price: number | undefined
  /** Percent. */
  readonly vat: number | undefined
  /** kWh, hours, or once. */
  readonly volume: number | undefined
  readonly billed: number | undefined
  /** When the element applies; undefined: always. */
  readonly restrictions: string | undefined
  readonly note: string | undefined
}

/** What was priced. A CDR stores no more than this. */
export interface ToExplain {
  readonly periods: ReadonlyArray<Period>
  readonly total: Price
  readonly ended: boolean
}

const kindOf: Readonly<Record<Dimension, LineKind>> = {
  ENERGY: "energy",
  TIME: "time",
  PARKING_TIME: "parking",
  FLAT: "session"
}

const hourMillis = 3_600_000
const minuteMillis = 60_000

/** Wh as kWh, ms as hours, and once as it is. */
const inUnits = (volume: number, dimension: Dimension): number =>
  dimension === "FLAT" ? volume : dimension === "ENERGY" ? volume / 1000 : volume / hourMillis

/** A volume in Wh or ms as text for people. */
const textOf = (volume: number, dimension: Dimension): string => {
  if (dimension === "ENERGY") return `${Number((volume / 1000).toFixed(6))} kWh`
  return volume % minuteMillis === 0 ? `${volume / minuteMillis} min` : `${Number((volume / 1000).toFixed(3))} s`
}

const stepNote = ({ billed, component: { stepSize, type }, volume }: Line): ReadonlyArray<string> => {
  if (billed <= volume) return []
  const step = textOf(type === "ENERGY" ? stepSize : stepSize * 1000, type)
  return [`a step of ${step} adds ${textOf(billed - volume, type)}`]
}

const sentence = (notes: ReadonlyArray<string>): string | undefined => {
  const text = notes.join("; ")
  return text === "" ? undefined : `${text[0]?.toUpperCase()}${text.slice(1)}`
}

const priced = (line: Line, { elements }: Pricing): ExplainedLine => {
  const { billed, component, element, from, reserved, stretches, to, volume } = line
  const { price, type, vat } = component
  const restrictions = elements[element]?.restrictions
  return {
    kind: reserved ? "reservation" : kindOf[type],
    dimension: type,
    element,
    reserved,
    from,
    to,
    unit: perOf[type],
    price,
    vat,
    volume: inUnits(volume, type),
    billed: inUnits(billed, type),
    ...toPrice(amountOf(line)),
    restrictions: restrictions === undefined ? undefined : restrictionText(restrictions),
    note: sentence([...(stretches > 1 ? [`in ${stretches} stretches`] : []), ...stepNote(line)])
  }
}

interface Free {
  readonly from: number
  readonly to: number
  readonly stretches: number
  readonly volume: number
}

/** Lines for volumes that were free but have a price at other times. A dimension that the tariff never prices needs no line. */
const freeLines = ({ elements }: Pricing, periods: ReadonlyArray<Period>): ReadonlyArray<ExplainedLine> => {
  const sometimes = new Set(
    elements
      .filter(({ restrictions }) => restrictions?.reservation === undefined)
      .flatMap(({ priceComponents }) => priceComponents.map(({ type }) => type))
  )
  const free = new Map<Dimension, Free>()
  for (const period of periods) {
    const { endedAt: to, startedAt: from } = period
    if (period.reserved === true) continue
    for (const [dimension, volume] of volumesOf(period)) {
      const isFree = dimension !== "FLAT" && volume > 0 && period.elements[dimension] === undefined
      if (!isFree || !sometimes.has(dimension)) continue
      const before = free.get(dimension) ?? { from, to: from, stretches: 0, volume: 0 }
      const stretches = before.stretches + (before.stretches > 0 && before.to === from ? 0 : 1)
      free.set(dimension, { from: before.from, to, stretches, volume: before.volume + volume })
    }
  }
  return [...free].map(([dimension, { from, stretches, to, volume }]) => ({
    kind: kindOf[dimension],
    dimension,
    element: undefined,
    reserved: false,
    from,
    to,
    unit: perOf[dimension],
    price: 0,
    vat: undefined,
    volume: inUnits(volume, dimension),
    billed: inUnits(volume, dimension),
    exclVat: 0,
    inclVat: 0,
    restrictions: undefined,
    note: sentence([...(stretches > 1 ? [`in ${stretches} stretches`] : []), "free: no element of the tariff applies"])
  }))
}

/** A line for the difference between `from` and `to`; none if they are equal. */
const added = (kind: LineKind, note: string, from: Price, to: Price): ReadonlyArray<ExplainedLine> => {
  const amount = sumOf([to, negativeOf(from)])
  if (amount.exclVat === 0 && amount.inclVat === 0) return []
  const nothing = { dimension: undefined, element: undefined, from: undefined, to: undefined, unit: undefined }
  const volumes = { price: undefined, vat: undefined, volume: undefined, billed: undefined, restrictions: undefined }
  return [{ kind, ...nothing, ...volumes, reserved: false, ...amount, note }]
}

/** The lines of a price in order of time; limits and rounding come last. */
export const explained = (tariff: Pricing, { ended, periods, total }: ToExplain): ReadonlyArray<ExplainedLine> => {
  const lines = linesOf(tariff.elements, periods, ended)
  const inMoney = [...lines.map((line) => priced(line, tariff)), ...freeLines(tariff, periods)]
  const inOrder = inMoney.toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0))
  const costs = sumOf(Object.values(costsOf(lines)))
  const { raised, total: computed } = limited(
    tariff,
    { sum: costs, exact: exactOf(lines) },
    periods.some(({ reserved }) => reserved !== true)
  )
  return [
    ...inOrder,
    ...added("rounding", "Costs are rounded as sums, not line by line", sumOf(inOrder), costs),
    ...added("minimum", "The tariff's minimum price of a session", costs, raised),
    ...added("maximum", "The tariff's maximum price of a session", raised, computed),
    // A price of zero, for example of an invalid session, has no lines.
    ...(periods.length === 0 ? [] : added("rounding", "Difference to the stored amount", computed, total))
  ]
}
