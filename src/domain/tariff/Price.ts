/**
 * What a session costs by a tariff: the one function that every view of a price comes from. At each moment and for each dimension the first
 * element that matches and has a price for it counts; where there is none, that dimension is free (OCPI 2.2.1 `mod_tariffs` §11.3.1).
 */
import { nothing, plus, type Price, sumOf, toPrice } from "../values/Amount.ts"
import { type Compiled, compile, type Moment, type Phase, type Priced } from "./Compiled.ts"
import { amountOf, type Line } from "./Line.ts"
import { type Evidence, evidences } from "./Evidence.ts"
import { type Piece, piecesOf } from "./Pieces.ts"
import { type PricedReading, type PricedSession, tidyWh } from "./Stretches.ts"
import type { Dimension, PriceLimit, Pricing } from "./Tariff.ts"

/** What was measured in a stretch; missing where nothing was. */
export interface Measured {
  /** The highest, W. */
  readonly maxPowerW?: number
  /** The highest sum over all phases, A. */
  readonly maxCurrentA?: number
  /** The last one, percent. */
  readonly stateOfCharge?: number
}

/** A stretch in which nothing changed that matters for the price. */
export interface Period extends Measured {
  readonly startedAt: number
  readonly endedAt: number
  readonly energyWh: number
  /** True while the vehicle charged or the charger kept it waiting; otherwise the time is parking. */
  readonly charging: boolean
  /** What that is known by, the best first. Missing of a reservation, and in what was stored by older versions. */
  readonly evidence?: ReadonlyArray<Evidence>
  /** The connector was kept for the driver: neither charging nor parking. */
  readonly reserved?: true
  /** The element that prices each dimension, by its place in the tariff; missing where it is free. */
  readonly elements: Readonly<Partial<Record<Dimension, number>>>
}

/** A reservation that is paid for, before the session or instead of it. */
export interface Reserved {
  readonly startedAt: number
  readonly endedAt: number
  readonly expired: boolean
}

export interface Costs {
  readonly fixed: Price
  readonly energy: Price
  readonly time: Price
  readonly parking: Price
  readonly reservation: Price
}

export interface PricedResult {
  /** The sum of the costs, within the tariff's limits. */
  readonly total: Price
  readonly costs: Costs
  readonly lines: ReadonlyArray<Line>
  readonly periods: ReadonlyArray<Period>
  readonly energyWh: number
  readonly durationMillis: number
  readonly parkingMillis: number
}

const fourDecimals = (n: number): number => Math.round(n * 1e4) / 1e4

const bounded = (price: Price, limit: PriceLimit | undefined, pick: (a: number, b: number) => number): Price => {
  if (limit === undefined) return price
  const exclVat = pick(price.exclVat, limit.exclVat)
  if (limit.inclVat !== undefined) return { exclVat, inclVat: pick(price.inclVat, limit.inclVat) }
  if (exclVat === price.exclVat) return price
  return { exclVat, inclVat: price.exclVat === 0 ? exclVat : fourDecimals((exclVat * price.inclVat) / price.exclVat) }
}

/**
 * A price within the least and the most that a session may cost. Each of a limit's two figures applies by itself (OCPI 2.2.1 §11.3.1). If a
 * limit has no figure with VAT, the price with VAT keeps its share of VAT.
 */
const limited = ({ maxPrice, minPrice }: Pick<Pricing, "minPrice" | "maxPrice">, price: Price): Price =>
  bounded(bounded(price, minPrice, Math.max), maxPrice, Math.min)

const secondMillis = 1000

type Used = Omit<Line, "billed">

/** What is missing to a whole number of steps, and the line that takes it: the last one. */
const missing = (lines: ReadonlyArray<Used>, unit: number): readonly [Used, number] | undefined => {
  const last = lines.at(-1)
  const step = (last?.priced.component.stepSize ?? 0) * unit
  if (last === undefined || step === 0) return undefined
  const total = tidyWh(lines.reduce((sum, { volume }) => sum + volume, 0))
  return [last, tidyWh(Math.ceil(total / step) * step - total)]
}

const isTimeOfSession = ({ phase, priced: { component } }: Used): boolean =>
  phase === "session" && (component.type === "TIME" || component.type === "PARKING_TIME")

/**
 * The lines with the volume that is billed for each; `lines` are in the order in which their components were used last. Step sizes (OCPI 2.2.1
 * `mod_cdrs` §10.3.1) round consumption up once per session: energy by its total, and of the times only the one that was billed last, so
 * that a few seconds of parking before the end do not cost a whole step. The step is that of the component used last, and the added volume
 * is billed at that component's price.
 */
const billedVolumes = (lines: ReadonlyArray<Used>, ended: boolean): ReadonlyArray<Line> => {
  const of = (dimension: Dimension, reserved: boolean) =>
    lines.filter((line) => line.priced.component.type === dimension && (line.phase !== "session") === reserved)
  const endsParked = lines.findLast(isTimeOfSession)?.priced.component.type === "PARKING_TIME"
  const added = new Map(
    [
      missing(of("ENERGY", false), 1),
      missing(of(endsParked ? "PARKING_TIME" : "TIME", false), secondMillis),
      missing(of("TIME", true), secondMillis)
    ].flatMap((one) => (one === undefined || !ended ? [] : [one]))
  )
  return lines.map((line) => ({ ...line, billed: tidyWh(line.volume + (added.get(line) ?? 0)) }))
}

/** The volumes of a session, by the components that price them. */
class Bill {
  private readonly byPlace = new Map<
    string,
    { readonly phase: Phase; readonly priced: Priced; volume: number; lastUse: number }
  >()
  private readonly flats = new Set<Phase>()
  private readonly compiled: Compiled
  private uses = 0

  constructor(compiled: Compiled) {
    this.compiled = compiled
  }

  /** Adds what was used, and answers the element that prices it; undefined where it is free. */
  use(phase: Phase, dimension: Dimension, volume: number, moment: Moment): number | undefined {
    const found = this.compiled.candidates(phase, dimension).find(({ matches }) => matches(moment))
    if (found === undefined) return undefined
    const place = `${phase} ${dimension} ${found.element}`
    const line = this.byPlace.get(place) ?? { phase, priced: found, volume: 0, lastUse: 0 }
    line.volume += volume
    line.lastUse = ++this.uses
    this.byPlace.set(place, line)
    return found.element
  }

  /** In the order in which they were used last. */
  get lines(): ReadonlyArray<Omit<Line, "billed">> {
    return [...this.byPlace.values()].sort((a, b) => a.lastUse - b.lastUse)
  }

  /** A flat fee is paid once: the first one that ever matches. */
  flat(phase: Phase, moment: Moment): number | undefined {
    if (this.flats.has(phase)) return undefined
    const element = this.use(phase, "FLAT", 1, moment)
    if (element !== undefined) this.flats.add(phase)
    return element
  }
}

const withFlat = (flat: number | undefined) => (flat === undefined ? {} : { FLAT: flat })

const used = (bill: Bill, { charging, energyWh, from, moment, to }: Piece): Period["elements"] => {
  const elements: Partial<Record<Dimension, number>> = withFlat(bill.flat("session", moment))
  const add = (dimension: Dimension, volume: number): void => {
    const element = volume > 0 ? bill.use("session", dimension, volume, moment) : undefined
    if (element !== undefined) elements[dimension] = element
  }
  add("ENERGY", energyWh)
  add(charging ? "TIME" : "PARKING_TIME", to - from)
  return elements
}

/** Where no energy flowed none was priced, which is no difference: a register that counts in steps would make a period of each. */
const samePrices = (one: Period, other: Period): boolean =>
  one.elements.TIME === other.elements.TIME &&
  one.elements.PARKING_TIME === other.elements.PARKING_TIME &&
  (one.elements.ENERGY === other.elements.ENERGY || one.energyWh === 0 || other.energyWh === 0)

/** The higher of two, to a thousandth: sums over phases have no more, and binary fractions would show. */
const highest = (one: number | undefined, other: number | undefined): number | undefined => {
  const most = Math.max(one ?? Number.NEGATIVE_INFINITY, other ?? Number.NEGATIVE_INFINITY)
  return Number.isFinite(most) ? Math.round(most * 1000) / 1000 : undefined
}

const measured = (before: Measured, metered: PricedReading): Measured => {
  const maxPowerW = highest(before.maxPowerW, metered.powerW)
  const maxCurrentA = highest(before.maxCurrentA, metered.currentA)
  const stateOfCharge = metered.stateOfCharge ?? before.stateOfCharge
  return {
    ...(maxPowerW === undefined ? {} : { maxPowerW }),
    ...(maxCurrentA === undefined ? {} : { maxCurrentA }),
    ...(stateOfCharge === undefined ? {} : { stateOfCharge })
  }
}

const bothOf = (one: Period, other: Period): Pick<Period, "evidence"> => {
  if (one.evidence === undefined || other.evidence === undefined) return {}
  if (other.evidence.every((evidence) => one.evidence?.includes(evidence))) return { evidence: one.evidence }
  return {
    evidence: evidences.filter((evidence) => one.evidence?.includes(evidence) || other.evidence?.includes(evidence))
  }
}

/** Joins what follows without a change; a flat fee falls into the period in which it came. */
const joined = (periods: ReadonlyArray<readonly [Period, PricedReading]>): ReadonlyArray<Period> => {
  const result: Array<Period> = []
  for (const [period, metered] of periods) {
    const last = result.at(-1)
    const goesOn =
      last !== undefined &&
      last.charging === period.charging &&
      last.reserved === period.reserved &&
      period.elements.FLAT === undefined &&
      samePrices(last, period)
    if (!goesOn) result.push({ ...period, ...measured({}, metered) })
    else {
      const energyWh = tidyWh(last.energyWh + period.energyWh)
      const elements = { ...period.elements, ...last.elements }
      const both = { ...measured(last, metered), ...bothOf(last, period), elements }
      result[result.length - 1] = { ...last, ...both, endedAt: period.endedAt, energyWh }
    }
  }
  return result
}

/** A flat fee is paid of what has no length, too. */
const flatAt = (
  bill: Bill,
  phase: Phase,
  { startedAt, timeZone }: Omit<PricedSession, "readings">,
  compiled: Compiled
) => {
  const [first] = piecesOf({ startedAt, endedAt: startedAt + 1, timeZone, readings: [] }, compiled)
  return first === undefined ? {} : withFlat(bill.flat(phase, first.moment))
}

const ofSession = (bill: Bill, session: PricedSession, compiled: Compiled): ReadonlyArray<Period> => {
  const pieces = piecesOf(session, compiled)
  if (pieces.length === 0) {
    const { startedAt: at } = session
    const elements = flatAt(bill, "session", session, compiled)
    return [{ startedAt: at, endedAt: at, energyWh: 0, charging: false, elements }]
  }
  return joined(
    pieces.map((piece) => [
      {
        startedAt: piece.from,
        endedAt: piece.to,
        energyWh: piece.energyWh,
        charging: piece.charging,
        evidence: [piece.evidence],
        elements: used(bill, piece)
      },
      piece.metered
    ])
  )
}

const ofReservation = (
  bill: Bill,
  { endedAt, expired, startedAt }: Reserved,
  timeZone: string,
  compiled: Compiled
): ReadonlyArray<Period> => {
  const phase = expired ? "RESERVATION_EXPIRES" : "RESERVATION"
  const pieces = piecesOf({ startedAt, endedAt, timeZone, readings: [] }, compiled)
  if (pieces.length === 0) {
    const elements = flatAt(bill, phase, { startedAt, endedAt, timeZone }, compiled)
    if (elements.FLAT === undefined) return []
    return [{ startedAt, endedAt, energyWh: 0, charging: false, reserved: true, elements }]
  }
  return joined(
    pieces.map(({ from, moment, to, metered }) => {
      const flat = withFlat(bill.flat(phase, moment))
      const time = bill.use(phase, "TIME", to - from, moment)
      const elements = { ...flat, ...(time === undefined ? {} : { TIME: time }) }
      return [{ startedAt: from, endedAt: to, energyWh: 0, charging: false, reserved: true, elements }, metered]
    })
  )
}

const costsOf = (lines: ReadonlyArray<Line>): Costs => {
  const sum = (wanted: (line: Line) => boolean) =>
    toPrice(lines.filter(wanted).reduce((all, line) => plus(all, amountOf(line)), nothing))
  const ofDimension = (dimension: Dimension) =>
    sum(({ phase, priced: { component } }) => phase === "session" && component.type === dimension)
  return {
    fixed: ofDimension("FLAT"),
    energy: ofDimension("ENERGY"),
    time: ofDimension("TIME"),
    parking: ofDimension("PARKING_TIME"),
    reservation: sum(({ phase }) => phase !== "session")
  }
}

/** What there is to price. */
export interface Chargeable {
  readonly session: PricedSession | undefined
  readonly reserved?: Reserved | undefined
  /** IANA; of the site. */
  readonly timeZone: string
  /** False while it runs: nothing is rounded up to a step yet, so that the price never falls. */
  readonly ended: boolean
}

const isParking = ({ charging, reserved }: Period): boolean => !charging && reserved === undefined

/** The least that is paid is that of a charging session (OCPI 2.2.1 §11.3.1): a reservation that was not used is none. */
const withoutLeast = ({ maxPrice }: Pricing): Pick<Pricing, "maxPrice"> => (maxPrice === undefined ? {} : { maxPrice })

/**
 * The price of a session and of the reservation before it. Each of the five costs is rounded once, half away from zero, to four decimals,
 * without and with VAT; the total is their sum, held within the tariff's limits.
 */
export const price = (tariff: Pricing, { ended, reserved, session, timeZone }: Chargeable): PricedResult => {
  const compiled = compile(tariff)
  const bill = new Bill(compiled)
  const kept = reserved === undefined ? [] : ofReservation(bill, reserved, timeZone, compiled)
  const periods = [...kept, ...(session === undefined ? [] : ofSession(bill, session, compiled))]
  const lines = billedVolumes(bill.lines, ended)
  const costs = costsOf(lines)
  return {
    total: limited(session === undefined ? withoutLeast(tariff) : tariff, sumOf(Object.values(costs))),
    costs,
    lines,
    periods,
    energyWh: tidyWh(periods.reduce((all, { energyWh }) => all + energyWh, 0)),
    durationMillis: session === undefined ? 0 : session.endedAt - session.startedAt,
    parkingMillis: periods.reduce((all, one) => all + (isParking(one) ? one.endedAt - one.startedAt : 0), 0)
  }
}
