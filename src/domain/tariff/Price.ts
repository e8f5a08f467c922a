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
import { type PricedSession, tidyWh } from "./Stretches.ts"
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

type Elements = Period["elements"]

/** A period of a single piece, with what decides whether it continues the period before. */
interface Part {
  readonly period: Period
  /** The elements that apply, also to a dimension without volume. */
  readonly applying: Elements
}

const timeOf = ({ charging }: Piece): Dimension => (charging ? "TIME" : "PARKING_TIME")

const applyingTo = (bill: Bill, piece: Piece): Elements => {
  const elements: Partial<Record<Dimension, number>> = {}
  for (const dimension of ["FLAT", "ENERGY", timeOf(piece)] as const) {
    const element = bill.element("session", dimension, piece.moment)
    if (element !== undefined) elements[dimension] = element
  }
  return elements
}

const used = (bill: Bill, piece: Piece, applying: Elements): Elements => {
  const { energyWh, from, moment, to } = piece
  const elements: Partial<Record<Dimension, number>> = withFlat(bill.flat("session", moment))
  const add = (dimension: Dimension, volume: number): void => {
    const element = applying[dimension]
    if (volume > 0 && element !== undefined) elements[dimension] = element
  }
  add("ENERGY", energyWh)
  add(timeOf(piece), to - from)
  return elements
}

/**
 * Whether a piece has the same prices as the period before, for a reader who tests the restrictions once, at the period's start and with its least and
 * highest power. A piece without energy has no energy price, so another one does not count as a difference, unless its power would.
 */
const samePrices = (before: Part, next: Part, { current, power }: Compiled["dependsOn"]): boolean =>
  before.applying.TIME === next.applying.TIME &&
  before.applying.PARKING_TIME === next.applying.PARKING_TIME &&
  (before.period.elements.FLAT === undefined || before.applying.FLAT === next.applying.FLAT) &&
  (before.applying.ENERGY === next.applying.ENERGY || (next.period.energyWh === 0 && !power && !current))

/** One of two, rounded to a ten-thousandth: sums over phases have no more decimals, and binary fractions would show. */
const oneOf = (
  pick: (...numbers: ReadonlyArray<number>) => number,
  ...given: ReadonlyArray<number | undefined>
): number | undefined => {
  const known = given.flatMap((n) => n ?? [])
  return known.length === 0 ? undefined : Math.round(pick(...known) * 10_000) / 10_000
}

type MeasuredIn = { readonly [K in keyof Measured]?: Measured[K] | undefined }

/** What a piece adds to its period: what was measured, or what the tariff's restrictions were tested against. */
const measuredIn = ({ metered, moment }: Piece, { current, power }: Compiled["dependsOn"]): MeasuredIn => ({
  minPowerW: power ? moment.powerW : undefined,
  maxPowerW: power ? moment.powerW : metered.powerW,
  minCurrentA: current ? moment.currentA : undefined,
  maxCurrentA: current ? moment.currentA : metered.currentA,
  stateOfCharge: metered.stateOfCharge
})

const measured = (before: Measured, next: MeasuredIn): Measured => {
  const minPowerW = oneOf(Math.min, before.minPowerW, next.minPowerW)
  const maxPowerW = oneOf(Math.max, before.maxPowerW, next.maxPowerW)
  const minCurrentA = oneOf(Math.min, before.minCurrentA, next.minCurrentA)
  const maxCurrentA = oneOf(Math.max, before.maxCurrentA, next.maxCurrentA)
  const stateOfCharge = next.stateOfCharge ?? before.stateOfCharge
  return {
    ...(minPowerW === undefined ? {} : { minPowerW }),
    ...(maxPowerW === undefined ? {} : { maxPowerW }),
    ...(minCurrentA === undefined ? {} : { minCurrentA }),
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
const joined = (parts: ReadonlyArray<Part>, depends: Compiled["dependsOn"]): ReadonlyArray<Period> => {
  const result: Array<Part> = []
  for (const part of parts) {
    const before = result.at(-1)
    const { period } = part
    const goesOn =
      before !== undefined &&
      before.period.charging === period.charging &&
      before.period.reserved === period.reserved &&
      period.elements.FLAT === undefined &&
      samePrices(before, part, depends)
    if (!goesOn) result.push(part)
    else {
      const last = before.period
      const energyWh = tidyWh(last.energyWh + period.energyWh)
      const elements = { ...period.elements, ...last.elements }
      const both = { ...measured(last, period), ...bothOf(last, period), elements }
      result[result.length - 1] = { ...before, period: { ...last, ...both, endedAt: period.endedAt, energyWh } }
    }
  }
  return result.map(({ period }) => period)
}

/** A piece of a session or reservation without length, which has none; undefined if that moment is impossible. */
const pieceAt = ({ startedAt, timeZone }: Omit<PricedSession, "readings" | "endedAt">, compiled: Compiled) =>
  piecesOf({ startedAt, endedAt: startedAt + 1, timeZone, readings: [] }, compiled)[0]

const ofSession = (bill: Bill, session: PricedSession, compiled: Compiled): ReadonlyArray<Period> => {
  const pieces = piecesOf(session, compiled)
  const depends = compiled.dependsOn
  if (pieces.length === 0) {
    const { startedAt: at } = session
    const piece = pieceAt(session, compiled)
    const found = piece === undefined ? {} : measured({}, measuredIn(piece, depends))
    const elements = piece === undefined ? {} : withFlat(bill.flat("session", piece.moment))
    return [{ startedAt: at, endedAt: at, energyWh: 0, charging: false, ...found, elements }]
  }
  const parts = pieces.map((piece): Part => {
    const applying = applyingTo(bill, piece)
    const period = {
      startedAt: piece.from,
      endedAt: piece.to,
      energyWh: piece.energyWh,
      charging: piece.charging,
      evidence: [piece.evidence],
      ...measured({}, measuredIn(piece, depends)),
      elements: used(bill, piece, applying)
    }
    return { period, applying }
  })
  return joined(parts, depends)
}

const ofReservation = (
  bill: Bill,
  { endedAt, expired, startedAt }: Reserved,
  timeZone: string,
  compiled: Compiled
): ReadonlyArray<Period> => {
  const phase = expired ? "RESERVATION_EXPIRES" : "RESERVATION"
  const kept = { energyWh: 0, charging: false, reserved: true } as const
  const pieces = piecesOf({ startedAt, endedAt, timeZone, readings: [] }, compiled)
  if (pieces.length === 0) {
    const piece = pieceAt({ startedAt, timeZone }, compiled)
    const elements = piece === undefined ? {} : withFlat(bill.flat(phase, piece.moment))
    return elements.FLAT === undefined ? [] : [{ startedAt, endedAt, ...kept, elements }]
  }
  const parts = pieces.map(({ from, moment, to }): Part => {
    const flat = withFlat(bill.flat(phase, moment))
    const time = bill.element(phase, "TIME", moment)
    const applying = time === undefined ? {} : { TIME: time }
    return { period: { startedAt: from, endedAt: to, ...kept, elements: { ...flat, ...applying } }, applying }
  })
  return joined(parts, { power: false, current: false })
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
