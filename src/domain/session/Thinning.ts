/**
 * Readings of a charger that has reported more in a day than its budget allows (`actors/Recording`): about one a minute is kept of each session, and
 * those with data that no other has. That is enough for prices that depend on the time or the power. The energy is that of the start and the stop.
 */
import { isSigned, type MeteredReading, type Reading } from "../charger/MeterValue.ts"

const apartMillis = 60_000

/** True for signed data, and for the registers of the transaction's beginning and end: a bill may consist of them. */
const isIrreplaceable = ({ samples }: Reading): boolean =>
  samples.some((sample) => isSigned(sample) || /^transaction\.(begin|end)$/i.test(sample.context))

export interface Thinned<R extends Reading> {
  readonly readings: ReadonlyArray<R>
  /** The time of the last reading that was kept, ms epoch. */
  readonly keptAt: number | undefined
}

/** The readings that are kept after one of `keptAt`. Of a stop's readings, which are the last of their session, the first and the last one are kept too. */
export const thinned = <R extends Reading = MeteredReading>(
  all: ReadonlyArray<R>,
  keptAt: number | undefined,
  fromStop: boolean
): Thinned<R> => {
  let last = keptAt
  const readings = all.filter((reading, n) => {
    const { at } = reading
    const isDue = at !== undefined && (last === undefined || Math.abs(at - last) >= apartMillis)
    const isEdge = fromStop && (n === 0 || n === all.length - 1)
    if (!isDue && !isEdge && !isIrreplaceable(reading)) return false
    last = at ?? last
    return true
  })
  return { readings, keptAt: last }
}

/** About how many bytes a reading takes in the database, with its index. */
export const storedBytes = ({ samples }: Reading): number =>
  samples.reduce(
    (sum, { context, format, location, measurand, phase = "", unit, value }) =>
      sum +
      90 +
      value.length +
      measurand.length +
      context.length +
      format.length +
      location.length +
      unit.length +
      phase.length,
    250
  )
