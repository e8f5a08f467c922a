/**
 * A session cut into pieces in which nothing changes that a tariff could ask for: at readings, at local times and days, after some time, and
 * where the energy passes a bound, which is interpolated between readings (OCPI 2.2.1 `mod_cdrs` §10.3.1). What is interpolated is whole Wh after
 * the reading before it, and the pieces' energies add up to the session's.
 */
import type { Compiled, Moment } from "./Compiled.ts"
import type { Evidence } from "./Evidence.ts"
import { localMoments, offsetSpans } from "./LocalTime.ts"
import { type PricedReading, type PricedSession, type Stretch, stretchesOf, tidyWh } from "./Stretches.ts"

export interface Piece {
  readonly from: number
  readonly to: number
  /** Wh of this piece. */
  readonly energyWh: number
  /** False while the vehicle requests nothing: that is parking. */
  readonly charging: boolean
  /** What that is known by. */
  readonly evidence: Evidence
  readonly moment: Moment
  /** What was measured at its end, or at the end of the stretch that it is a part of. */
  readonly metered: PricedReading
}

/** Energy of a stretch at a moment within it, Wh. */
const energyAt = ({ after, before, from, to }: Stretch, at: number): number =>
  Math.min(before + Math.round(((after - before) * (at - from)) / (to - from)), after)

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
      const { charging, currentA, evidence, powerW, metered } = stretch
      const moment = {
        local: from + spans[span]!.offset,
        elapsed: from - startedAt,
        energyWh: before,
        powerW,
        currentA
      }
      if (to > from || energyWh > before) {
        pieces.push({ from, to, energyWh: tidyWh(energyWh - before), charging, evidence, moment, metered })
      }
      from = to
      before = energyWh
    }
  }
  return pieces
}
