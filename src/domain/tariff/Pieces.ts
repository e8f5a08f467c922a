/**
 * A session cut into pieces in which nothing changes that a tariff could ask for: at readings, at local times and days, after some time, and
 * where the energy passes a bound, which is interpolated between readings (OCPI 2.2.1 `mod_cdrs` §10.3.1). Energy stays whole Wh, and the
 * pieces' energies add up to the session's.
 */
import type { Compiled, Moment } from "./Compiled.ts"
import { localMoments, offsetSpans } from "./LocalTime.ts"

/** What a meter told. `energyWh` counts from the session's beginning. */
export interface PricedReading {
  /** ms epoch. */
  readonly at: number
  readonly energyWh: number
  readonly powerW?: number | undefined
  /** The sum over all phases. */
  readonly currentA?: number | undefined
  /** Of the vehicle's battery, in percent. */
  readonly stateOfCharge?: number | undefined
}

export interface PricedSession {
  /** ms epoch. */
  readonly startedAt: number
  readonly endedAt: number
  /** IANA; of the site. */
  readonly timeZone: string
  readonly readings: ReadonlyArray<PricedReading>
}

export interface Piece {
  readonly from: number
  readonly to: number
  /** Wh of this piece. */
  readonly energyWh: number
  /** False while the vehicle takes nothing: that is parking. */
  readonly charging: boolean
  readonly moment: Moment
  /** What was measured at its end, or at the end of the stretch that it is a part of. */
  readonly told: PricedReading
}

/** Between two readings. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly before: number
  readonly after: number
  readonly powerW: number
  readonly currentA: number
  readonly told: PricedReading
}

const hourMillis = 3_600_000

/** Volts between a phase and neutral, where only power was measured and a tariff asks for current. */
const volts = 230

/** In order, within the session, and never falling: whoever has doubts about a meter holds the session before it is priced. */
const inOrder = ({ endedAt, readings, startedAt }: PricedSession): ReadonlyArray<PricedReading> => {
  const sorted = readings.filter(({ at }) => at >= startedAt && at <= endedAt).toSorted((a, b) => a.at - b.at)
  const kept: Array<PricedReading> = [{ at: startedAt, energyWh: 0 }]
  for (const reading of sorted) {
    const last = kept.at(-1)!
    const energyWh = Math.max(last.energyWh, Math.round(reading.energyWh))
    if (reading.at === last.at && kept.length > 1) kept[kept.length - 1] = { ...reading, energyWh }
    else if (reading.at > last.at || energyWh > 0) kept.push({ ...reading, energyWh })
  }
  const last = kept.at(-1)!
  if (last.at < endedAt) kept.push({ at: endedAt, energyWh: last.energyWh })
  return kept
}

const stretchesOf = (session: PricedSession): ReadonlyArray<Stretch> => {
  const readings = inOrder(session)
  return readings.slice(1).map((reading, i) => {
    const last = readings[i]!
    const growth = reading.energyWh - last.energyWh
    const average = reading.at === last.at ? 0 : (growth * hourMillis) / (reading.at - last.at)
    const powerW = growth === 0 ? 0 : (reading.powerW ?? average)
    return {
      from: last.at,
      to: reading.at,
      before: last.energyWh,
      after: reading.energyWh,
      powerW,
      currentA: growth === 0 ? 0 : (reading.currentA ?? powerW / volts),
      told: reading
    }
  })
}

/** Energy of a stretch at a moment within it, Wh. */
const energyAt = ({ after, before, from, to }: Stretch, at: number): number =>
  before + Math.round(((after - before) * (at - from)) / (to - from))

/** Moments within a stretch at which its energy reaches one of the bounds. */
const crossings = (
  stretch: Stretch,
  bounds: ReadonlyArray<number>
): ReadonlyArray<readonly [at: number, energyWh: number]> =>
  bounds
    .filter((bound) => bound > stretch.before && bound < stretch.after)
    .map((bound) => {
      const share = (bound - stretch.before) / (stretch.after - stretch.before)
      return [stretch.from + Math.round(share * (stretch.to - stretch.from)), bound] as const
    })

/** The pieces of a session, in order, without gaps. */
export const piecesOf = (session: PricedSession, { durations, energies, times }: Compiled): ReadonlyArray<Piece> => {
  const { endedAt, startedAt, timeZone } = session
  const spans =
    times.length === 0 ? [{ from: startedAt, to: endedAt, offset: 0 }] : offsetSpans(startedAt, endedAt, timeZone)
  const cuts = [
    ...spans.flatMap((span) => [span.from, ...localMoments(span, times)]),
    ...durations.map((after) => startedAt + after)
  ].sort((a, b) => a - b)
  const pieces: Array<Piece> = []
  let span = 0
  let cut = 0
  for (const stretch of stretchesOf(session)) {
    while (cut < cuts.length && cuts[cut]! <= stretch.from) cut++
    const marks = new Map<number, number>()
    for (; cut < cuts.length && cuts[cut]! < stretch.to; cut++) marks.set(cuts[cut]!, energyAt(stretch, cuts[cut]!))
    for (const [at, energyWh] of crossings(stretch, energies)) marks.set(at, energyWh)
    marks.set(stretch.to, stretch.after)
    let from = stretch.from
    let before = stretch.before
    for (const [to, energyWh] of [...marks].sort(([a], [b]) => a - b)) {
      while (span < spans.length - 1 && spans[span + 1]!.from <= from) span++
      const { currentA, powerW, told } = stretch
      const moment = {
        local: from + spans[span]!.offset,
        elapsed: from - startedAt,
        energyWh: before,
        powerW,
        currentA
      }
      const charging = stretch.after > stretch.before
      if (to > from || energyWh > before) pieces.push({ from, to, energyWh: energyWh - before, charging, moment, told })
      from = to
      before = energyWh
    }
  }
  return pieces
}
