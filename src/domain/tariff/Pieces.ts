/**
 * Cuts a session into pieces in which no tariff restriction can change: at readings, at local times and days, after certain durations, and where the
 * energy reaches a bound. The time of the latter is interpolated between readings (OCPI 2.2.1 `mod_cdrs` §10.3.1). Interpolated energy is in whole Wh
 * after the previous reading, and the energies of the pieces add up to the session's.
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
  /** False while the vehicle requests no power, which counts as parking. */
  readonly charging: boolean
  /** The evidence for `charging`. */
  readonly evidence: Evidence
  readonly moment: Moment
  /** What was measured at the end of the piece, or of the stretch that it belongs to. */
  readonly metered: PricedReading
}

/** The session's energy at a moment within a stretch, Wh. */
const energyAt = ({ after, before, from, to }: Stretch, at: number): number =>
  Math.min(before + Math.round(((after - before) * (at - from)) / (to - from)), after)

/** The moments within a stretch at which the session's energy reaches one of the bounds. */
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
