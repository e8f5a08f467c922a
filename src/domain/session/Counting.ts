/**
 * Reconciles readings whose register counts differently from the registers of start and stop: one of the two counts each session from 0, the other is
 * a running total. If the energies agree, the readings are shifted to the registers of start and stop. If they do not, the readings stay unchanged,
 * and the session will be held.
 */
import type { ChargingSession } from "./ChargingSession.ts"

/** A fall of up to this many Wh is jitter: some meters report from two registers that are read one after the other. */
export const jitterWh = 10

/** The coarsest unit in which meters report, in Wh. */
const coarsestWh = 1000

/** The registers and times of the readings and of the session itself. */
interface Observed {
  readonly session: Pick<ChargingSession, "startedAt" | "endedAt" | "meterStartWh" | "meterStopWh">
  readonly readings: ReadonlyArray<{ readonly at: number; readonly registerWh: number | undefined }>
}

/**
 * The readings of an ended session without single registers that no meter can have had between start and stop: a 0 now and then, or a value beyond
 * 2³². The readings around them must be sound, and so must most readings. Such a register is not used; whatever else was sampled with it is.
 */
export const soundReadings = <A extends Observed["readings"][number]>(
  readings: ReadonlyArray<A>,
  { endedAt, meterStartWh, meterStopWh, startedAt }: Observed["session"]
): ReadonlyArray<A> => {
  if (endedAt === undefined || meterStopWh === undefined || meterStopWh < meterStartWh) return readings
  const registered = readings
    .filter(({ at, registerWh }) => registerWh !== undefined && at >= startedAt && at <= endedAt)
    .toSorted((a, b) => a.at - b.at)
  const isSound = ({ registerWh = 0 }: A): boolean =>
    registerWh >= meterStartWh - coarsestWh && registerWh <= meterStopWh + coarsestWh
  const odd = new Set(registered.filter((reading) => !isSound(reading)))
  const isSingle = registered.every((reading, i) => !odd.has(reading) || i === 0 || !odd.has(registered[i - 1]!))
  if (odd.size === 0 || !isSingle || odd.size * 3 > registered.length) return readings
  return readings.map((reading) => (odd.has(reading) ? { ...reading, registerWh: undefined } : reading))
}

/**
 * The factor by which the power before the first reading and after the last may exceed the session's mean. Vehicles take more at the beginning than
 * at the end.
 */
const unevenness = 1.5

/** Wh that may be missing from the readings over any time, however short: a reading's rounding. */
const unseenWh = 100

/** True if the readings show most of the energy, and the rest could have flowed before the first and after the last. */
const bearsOut = (unseen: number, unseenMillis: number, energyWh: number, millis: number): boolean =>
  unseen >= -jitterWh && unseen <= unseenWh + Math.min(energyWh / 2, (unevenness * energyWh * unseenMillis) / millis)

/** The number of Wh to add to the readings' registers so that they count like start and stop. 0 if they do so already, and if it cannot be known. */
export const offsetOf = ({ readings, session }: Observed): number => {
  const { endedAt, meterStartWh, meterStopWh, startedAt } = session
  if (endedAt === undefined || meterStopWh === undefined || endedAt === startedAt) return 0
  const energyWh = meterStopWh - meterStartWh
  const reported = readings
    .flatMap(({ at, registerWh }) => (registerWh === undefined ? [] : [{ at, wh: registerWh }]))
    .filter(({ at }) => at >= startedAt && at <= endedAt)
    .toSorted((a, b) => a.at - b.at || a.wh - b.wh)
  const [first, last] = [reported[0], reported.at(-1)]
  // A single reading could belong to any session.
  if (energyWh <= 0 || first === undefined || last === undefined || reported.length < 2) return 0
  if (reported.some(({ wh }) => wh >= meterStartWh - jitterWh && wh <= meterStopWh + jitterWh)) return 0
  if (reported.slice(1).some(({ wh }, i) => wh < reported[i]!.wh - jitterWh)) return 0
  const [early, late, millis] = [first.at - startedAt, endedAt - last.at, endedAt - startedAt]
  // The readings count from 0, and start and stop are running totals.
  if (first.wh >= -jitterWh && last.wh < meterStartWh) {
    return bearsOut(energyWh - last.wh, late, energyWh, millis) ? meterStartWh : 0
  }
  // The readings are running totals, and start and stop count from 0.
  const unseen = energyWh - (last.wh - first.wh)
  if (meterStartWh !== 0 || !bearsOut(unseen, early + late, energyWh, millis)) return 0
  const before = early + late === 0 ? 0 : Math.round((unseen * early) / (early + late))
  return before - first.wh
}

interface Step {
  readonly at: number
  readonly wh: number
}

/** The registers of the readings within a session, in order of time, shifted to those of its start and stop. */
const reportedWithin = ({ readings, session }: Observed): ReadonlyArray<Step> => {
  const { endedAt = Infinity, startedAt } = session
  const offset = offsetOf({ readings, session })
  return readings
    .flatMap(({ at, registerWh }) => (registerWh === undefined ? [] : [{ at, wh: registerWh + offset }]))
    .filter(({ at }) => at >= startedAt && at <= endedAt)
    .toSorted((a, b) => a.at - b.at || a.wh - b.wh)
}

/** Step sizes in Wh of readings that are reported in kWh with few decimals. They may differ by that much from the registers of start and stop. */
const grids = [1000, 100]

const roundingOf = (reported: ReadonlyArray<Step>, { meterStartWh, meterStopWh = 0 }: Observed["session"]): number => {
  const grid = grids.find((wh) => reported.every((step) => step.wh % wh === 0)) ?? 0
  return grid > 0 && (meterStartWh % grid !== 0 || meterStopWh % grid !== 0) ? grid : 0
}

/** The change between two consecutive registers. A fall of up to `mayFallWh` is not treated as an error. */
export interface Change {
  readonly wh: number
  readonly millis: number
  readonly mayFallWh: number
}

/** The changes of a session's register from its start over its readings to its stop. */
export const changesOf = ({ readings, session }: Observed): ReadonlyArray<Change> => {
  const observed = { session, readings: soundReadings(readings, session) }
  const { endedAt, meterStartWh, meterStopWh, startedAt } = session
  const reported = reportedWithin(observed)
  const rounding = roundingOf(reported, observed.session)
  const stop = endedAt === undefined || meterStopWh === undefined ? [] : [{ at: endedAt, wh: meterStopWh }]
  const steps = [{ at: startedAt, wh: meterStartWh }, ...reported, ...stop]
  return steps.slice(1).map(({ at, wh }, i) => {
    const isBetweenReadings = i > 0 && i < reported.length
    const mayFallWh = jitterWh + (isBetweenReadings || reported.length === 0 ? 0 : rounding)
    return { wh: wh - steps[i]!.wh, millis: at - steps[i]!.at, mayFallWh }
  })
}
