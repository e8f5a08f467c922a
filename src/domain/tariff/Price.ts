/**
 * Computes the price of a session under a tariff; every view of a price uses this function. At each moment and for each dimension the first element
 * that matches and has a price for it applies. If there is none, that dimension is free (OCPI 2.2.1 `mod_tariffs` §11.3.1).
 */
import { type Price, sumOf } from "../values/Amount.ts"
import { type Compiled, compile, type Moment, type Phase } from "./Compiled.ts"
import { evidences } from "./Evidence.ts"
import { limited } from "./Limits.ts"
import { type Costs, costsOf, exactOf, type Line, linesOf } from "./Line.ts"
import type { Measured, Period } from "./Period.ts"
import { type Piece, piecesOf } from "./Pieces.ts"
import { type PricedReading, type PricedSession, tidyWh } from "./Stretches.ts"
import type { Dimension, Pricing } from "./Tariff.ts"
import { reservationInSeconds, sessionInSeconds } from "./WholeSeconds.ts"

/** A paid reservation, before the session or instead of it. */
export interface Reserved {
  readonly startedAt: number
  readonly endedAt: number
  readonly expired: boolean
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

/** Finds the elements that price a session. */
class Bill {
  private readonly flats = new Set<Phase>()
  private readonly compiled: Compiled

  constructor(compiled: Compiled) {
    this.compiled = compiled
  }

  /** The element that prices a dimension at a moment; undefined if it is free. */
  element(phase: Phase, dimension: Dimension, moment: Moment): number | undefined {
    return this.compiled.candidates(phase, dimension).find(({ matches }) => matches(moment))?.element
  }

  /** A flat fee is paid once per phase: the first one that matches at any time. */
  flat(phase: Phase, moment: Moment): number | undefined {
    if (this.flats.has(phase)) return undefined
    const element = this.element(phase, "FLAT", moment)
    if (element !== undefined) this.flats.add(phase)
    return element
  }
}

const withFlat = (flat: number | undefined) => (flat === undefined ? {} : { FLAT: flat })

const used = (bill: Bill, { charging, energyWh, from, moment, to }: Piece): Period["elements"] => {
  const elements: Partial<Record<Dimension, number>> = withFlat(bill.flat("session", moment))
  const add = (dimension: Dimension, volume: number): void => {
    const element = volume > 0 ? bill.element("session", dimension, moment) : undefined
    if (element !== undefined) elements[dimension] = element
  }
  add("ENERGY", energyWh)
  add(charging ? "TIME" : "PARKING_TIME", to - from)
  return elements
}

/**
 * Whether two periods have the same prices. A period without energy has no energy price, which does not count as a difference. Otherwise a register
 * that counts in steps would start a new period at each step.
 */
const samePrices = (one: Period, other: Period): boolean =>
  one.elements.TIME === other.elements.TIME &&
  one.elements.PARKING_TIME === other.elements.PARKING_TIME &&
  (one.elements.ENERGY === other.elements.ENERGY || one.energyWh === 0 || other.energyWh === 0)

/** The higher of two, rounded to a thousandth: sums over phases have no more decimals, and binary fractions would show. */
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

/** Joins consecutive periods with the same prices. A flat fee always begins a new period. */
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

/** The flat fee of a session or reservation without length, which has no pieces. */
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
      const time = bill.element(phase, "TIME", moment)
      const elements = { ...flat, ...(time === undefined ? {} : { TIME: time }) }
      return [{ startedAt: from, endedAt: to, energyWh: 0, charging: false, reserved: true, elements }, metered]
    })
  )
}

/** What is to be priced. */
export interface Chargeable {
  readonly session: PricedSession | undefined
  readonly reserved?: Reserved | undefined
  /** The site's time zone (IANA). */
  readonly timeZone: string
  /** False while it runs: nothing is rounded up to a step yet, so that the price never falls. */
  readonly ended: boolean
}

const isParking = ({ charging, reserved }: Period): boolean => !charging && reserved === undefined

/**
 * The price of a session and of the reservation before it. Each of the five costs is rounded once, half away from zero, to four decimals, without and
 * with VAT. The total is their sum, limited by the tariff's minimum and maximum.
 */
export const price = (tariff: Pricing, { ended, timeZone, ...exact }: Chargeable): PricedResult => {
  const session = exact.session === undefined ? undefined : sessionInSeconds(exact.session)
  const reserved = exact.reserved === undefined ? undefined : reservationInSeconds(exact.reserved)
  const compiled = compile(tariff)
  const bill = new Bill(compiled)
  const kept = reserved === undefined ? [] : ofReservation(bill, reserved, timeZone, compiled)
  const periods = [...kept, ...(session === undefined ? [] : ofSession(bill, session, compiled))]
  const lines = linesOf(tariff.elements, periods, ended)
  const costs = costsOf(lines)
  const unlimited = { sum: sumOf(Object.values(costs)), exact: exactOf(lines) }
  return {
    total: limited(tariff, unlimited, session !== undefined).total,
    costs,
    lines,
    periods,
    energyWh: tidyWh(periods.reduce((all, { energyWh }) => all + energyWh, 0)),
    durationMillis: session === undefined ? 0 : session.endedAt - session.startedAt,
    parkingMillis: periods.reduce((all, one) => all + (isParking(one) ? one.endedAt - one.startedAt : 0), 0)
  }
}
