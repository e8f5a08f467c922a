/**
 * A price computed the slow way, minute by minute in whole numbers. It shares nothing with the engine: no splitting, no interpolation. So its input
 * must consist of whole minutes and whole Wh per minute, and amounts of energy that matter must be reached at the end of a minute.
 */
import type { Pricing } from "../../src/domain/tariff/Tariff.ts"
import type { Money } from "./Story.ts"

type Element = Pricing["elements"][number]
type Component = Element["priceComponents"][number]
type Dimension = Component["type"]

/** The true flow of energy. */
export interface Flow {
  readonly startedAt: number
  /** Wh in each minute. */
  readonly perMinute: ReadonlyArray<number>
  readonly timeZone: string
}

export interface Bill {
  readonly energyWh: number
  readonly minutes: number
  readonly parkingMinutes: number
  readonly total: Money
  readonly fixed: Money
  readonly energy: Money
  readonly time: Money
  readonly parking: Money
}

interface Wall {
  readonly date: string
  readonly time: string
  readonly weekday: string
}

const walls = new Map<string, Intl.DateTimeFormat>()

/** The local time and date. */
const wallAt = (at: number, timeZone: string): Wall => {
  const format =
    walls.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" })
  walls.set(timeZone, format)
  const [date = "", time = ""] = format.format(at).split(" ")
  const weekday = new Date(`${date}T12:00:00Z`).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" })
  return { date, time, weekday: weekday.toUpperCase() }
}

const onTheClock = (time: string, from = "00:00", to = "00:00"): boolean => {
  if (to === "00:00") return time >= from
  return from < to ? from <= time && time < to : time >= from || time < to
}

const bounds = (n: number, least: number | undefined, below: number | undefined): boolean =>
  (least === undefined || n >= least) && (below === undefined || n < below)

/** Whether an element applies in a minute, by the number of minutes before it and the energy so far. */
const holds = ({ restrictions: r = {} }: Element, wall: Wall, minute: number, beforeWh: number, wh: number): boolean =>
  onTheClock(wall.time, r.startTime, r.endTime) &&
  (r.startDate === undefined || wall.date >= r.startDate) &&
  (r.endDate === undefined || wall.date < r.endDate) &&
  (r.dayOfWeek === undefined || r.dayOfWeek.some((name) => name === wall.weekday)) &&
  bounds(beforeWh / 1000, r.minKwh, r.maxKwh) &&
  bounds(minute * 60, r.minDuration, r.maxDuration) &&
  bounds((wh * 60) / 1000, r.minPower, r.maxPower)

/** Wh, seconds or counts by component, in the order of their last use. */
class Uses {
  private readonly all: Array<{ readonly component: Component; amount: number }> = []

  add(component: Component | undefined, amount: number): void {
    if (component === undefined) return
    const known = this.all.findIndex((one) => one.component === component)
    const use = known < 0 ? { component, amount: 0 } : this.all.splice(known, 1)[0]!
    use.amount += amount
    this.all.push(use)
  }

  of(type: Dimension) {
    return this.all.filter(({ component }) => component.type === type)
  }

  /** Charging or parking, whichever was billed last. */
  get lastTime(): Dimension {
    const times = this.all.filter(({ component }) => component.type === "TIME" || component.type === "PARKING_TIME")
    return times.at(-1)?.component.type ?? "TIME"
  }

  /** Rounds the sum of a dimension up to the step of the component that was used last; that component is billed for the rest. */
  roundUp(type: Dimension): void {
    const uses = this.of(type)
    const last = uses.at(-1)
    if (last === undefined || last.component.stepSize === 0) return
    const over = uses.reduce((sum, { amount }) => sum + amount, 0) % last.component.stepSize
    if (over > 0) last.amount += last.component.stepSize - over
  }
}

/** The unit of each price: Wh in a kWh, seconds in an hour, once. */
const units: Readonly<Record<Dimension, bigint>> = { ENERGY: 1000n, TIME: 3600n, PARKING_TIME: 3600n, FLAT: 1n }

const hundred = 10_000n
const common = 3_600_000n

/** Rounds half away from zero; no value here is negative. */
const rounded = (exact: bigint, by: bigint): number => Number((exact + by / 2n) / by) / 1e4

/** Before rounding: without VAT in units of 1 / `common`, with VAT also by `hundred`. */
type Exact = readonly [exclVat: bigint, inclVat: bigint]

const exactOf = (uses: Uses, type: Dimension): Exact => {
  let exclVat = 0n
  let inclVat = 0n
  for (const { amount, component } of uses.of(type)) {
    const price = BigInt(Math.round(component.price * 1e4))
    const part = price * BigInt(amount) * (common / units[type])
    exclVat += part
    inclVat += part * (hundred + BigInt(Math.round((component.vat ?? 0) * 100)))
  }
  return [exclVat, inclVat]
}

const costOf = (uses: Uses, type: Dimension): Money => {
  const [exclVat, inclVat] = exactOf(uses, type)
  return [rounded(exclVat, common), rounded(inclVat, common * hundred)]
}

const dimensions = ["FLAT", "ENERGY", "TIME", "PARKING_TIME"] as const

const sum = (costs: ReadonlyArray<Money>, which: 0 | 1): number =>
  costs.reduce((all, cost) => all + Math.round(cost[which] * 1e4), 0) / 1e4

/** A limit in place of a price. Without a figure with VAT, it has the VAT of the costs. */
const limitOf = (uses: Uses, { exclVat, inclVat }: NonNullable<Pricing["minPrice"]>): Money => {
  if (inclVat !== undefined) return [exclVat, inclVat]
  const all = dimensions.map((type) => exactOf(uses, type))
  const without = all.reduce((sum, [part]) => sum + part, 0n)
  const withVat = all.reduce((sum, [, part]) => sum + part, 0n)
  if (without === 0n) return [exclVat, exclVat]
  return [exclVat, rounded(BigInt(Math.round(exclVat * 1e4)) * withVat, without * hundred)]
}

const limited = (uses: Uses, costs: ReadonlyArray<Money>, { maxPrice, minPrice }: Pricing): Money => {
  let total: Money = [sum(costs, 0), sum(costs, 1)]
  const apply = (limit: Pricing["minPrice"], pick: (a: number, b: number) => number) => {
    if (limit === undefined) return
    const [exclVat, inclVat] = limitOf(uses, limit)
    const applies = pick(total[0], exclVat) !== total[0]
    if (limit.inclVat === undefined) total = applies ? [exclVat, inclVat] : total
    else total = [pick(total[0], exclVat), pick(total[1], inclVat)]
  }
  apply(minPrice, Math.max)
  apply(maxPrice, Math.min)
  return total
}

export const slowBill = (pricing: Pricing, { perMinute, startedAt, timeZone }: Flow): Bill => {
  const uses = new Uses()
  let energyWh = 0
  let flatPaid = false
  let parkingMinutes = 0
  for (const [minute, wh] of perMinute.entries()) {
    const wall = wallAt(startedAt + minute * 60_000, timeZone)
    const find = (type: Dimension): Component | undefined => {
      for (const element of pricing.elements) {
        const component = element.priceComponents.find((one) => one.type === type)
        if (component !== undefined && holds(element, wall, minute, energyWh, wh)) return component
      }
      return undefined
    }
    const flat = flatPaid ? undefined : find("FLAT")
    if (flat !== undefined) flatPaid = true
    uses.add(flat, 1)
    if (wh > 0) uses.add(find("ENERGY"), wh)
    uses.add(find(wh > 0 ? "TIME" : "PARKING_TIME"), 60)
    if (wh === 0) parkingMinutes++
    energyWh += wh
  }
  uses.roundUp("ENERGY")
  uses.roundUp(uses.lastTime)
  const [fixed, energy, time, parking] = [
    costOf(uses, "FLAT"),
    costOf(uses, "ENERGY"),
    costOf(uses, "TIME"),
    costOf(uses, "PARKING_TIME")
  ]
  const total = limited(uses, [fixed, energy, time, parking], pricing)
  return { energyWh, minutes: perMinute.length, parkingMinutes, total, fixed, energy, time, parking }
}
