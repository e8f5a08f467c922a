/**
 * Whether a session that has ended can be believed. What cannot is held: nobody is billed for it until an operator has looked at it. Figures
 * are never put right here.
 */
import type { Pricing } from "../tariff/Tariff.ts"
import { isPriced, type Observed, pricedReadings } from "./Ledger.ts"

/** Why a session is held after a look at its ledger; its end itself can hold it too, see `Ending`. */
export type Doubt =
  /** Its card was refused, and energy flowed all the same. Said by storage as it ends, and here of whatever ends otherwise. */
  | "NotAuthorized"
  /** The start carried no register; 0 stands in for it. Said by storage as the start comes in. */
  | "MeterStartMissing"
  /** More energy than the connector, or any connector, could have given in the time. */
  | "EnergyImplausible"
  /** The register fell between two readings: a meter was exchanged, rolled over, or two meters are mixed. */
  | "RegisterFell"
  /** The register stood higher before the session than its start says: the start lost it, and what was billed before would be again. */
  | "MeterStartImplausible"
  /** A power or current that the connector cannot have given, under a tariff whose price depends on it. */
  | "PowerImplausible"
  /** It lasted longer than any vehicle stays. */
  | "DurationImplausible"

/**
 * What a connector is believed to give of which the operator has not told the power: cars take 350 kW. Whoever has chargers for trucks (MCS,
 * 3.75 MW) tells it; otherwise a lifetime's register, billed as an afternoon, would pass.
 */
const anyPowerW = 500_000

/** Meters and clocks are not exact, and vehicles overshoot for moments (T28). */
const tolerance = 1.1

/** Wh that are never doubted for their power: a reading's rounding over a short time looks like a lot of it. */
const neverDoubtedWh = 500

/** Longest that a session is believed to last: vehicles stay for weeks at airports. */
const longestMillis = 60 * 86_400_000

const hourMillis = 3_600_000

const tooMuch = (energyWh: number, millis: number, powerW: number): boolean =>
  energyWh > neverDoubtedWh && energyWh > (powerW * tolerance * Math.max(millis, 1000)) / hourMillis

interface Step {
  readonly at: number
  readonly wh: number
}

/** The registers that readings told within a session, in order of time, as its start and stop count. */
const toldWithin = ({ readings, session }: Observed): ReadonlyArray<Step> => {
  const { endedAt = Infinity, startedAt } = session
  const offset = offsetOf(readings, session)
  return readings
    .flatMap(({ at, registerWh }) => (registerWh === undefined ? [] : [{ at, wh: registerWh + offset }]))
    .filter(({ at }) => at >= startedAt && at <= endedAt)
    .toSorted((a, b) => a.at - b.at || a.wh - b.wh)
}

/** Readings in kWh with few decimals are rounded: Wh by which they may lie beside the registers of start and stop. */
const grids = [1000, 100]

const roundingOf = (told: ReadonlyArray<Step>, { meterStartWh, meterStopWh = 0 }: Observed["session"]): number => {
  const grid = grids.find((wh) => told.every((step) => step.wh % wh === 0)) ?? 0
  return grid > 0 && (meterStartWh % grid !== 0 || meterStopWh % grid !== 0) ? grid : 0
}

/** What happened between two registers that follow one another. `mayFallWh` is what a fall is believed to be by accident. */
interface Change {
  readonly wh: number
  readonly millis: number
  readonly mayFallWh: number
}

/** The changes of a session's register from its start over its readings to its stop. */
const changesOf = (observed: Observed): ReadonlyArray<Change> => {
  const { endedAt, meterStartWh, meterStopWh, startedAt } = observed.session
  const told = toldWithin(observed)
  const rounding = roundingOf(told, observed.session)
  const stop = endedAt === undefined || meterStopWh === undefined ? [] : [{ at: endedAt, wh: meterStopWh }]
  const steps = [{ at: startedAt, wh: meterStartWh }, ...told, ...stop]
  return steps.slice(1).map(({ at, wh }, i) => {
    const isBetweenReadings = i > 0 && i < told.length
    const mayFallWh = jitterWh + (isBetweenReadings || told.length === 0 ? 0 : rounding)
    return { wh: wh - steps[i]!.wh, millis: at - steps[i]!.at, mayFallWh }
  })
}

/** The reason that weighs most, or undefined for a session that can be believed. Only of sessions that have ended. */
export const doubtOf = (ledger: Observed): Doubt | undefined => {
  const { maxPowerW } = ledger.surroundings
  const { endedAt, energyWh, startedAt } = ledger.session
  if (endedAt === undefined) return undefined
  if (ledger.session.authorization.status !== "Accepted") return "NotAuthorized"
  const powerW = maxPowerW ?? anyPowerW
  const changes = changesOf(ledger)
  if (startLost(ledger)) return "MeterStartImplausible"
  if (changes.some(({ mayFallWh, wh }) => wh < -mayFallWh)) return "RegisterFell"
  if (tooMuch(energyWh, endedAt - startedAt, powerW)) return "EnergyImplausible"
  // Between two readings only what no connector could give: samples of one moment come with clocks a little apart.
  if (changes.some(({ millis, wh }) => tooMuch(wh, Math.max(millis, 60_000), Math.max(powerW, anyPowerW)))) {
    return "EnergyImplausible"
  }
  if (phantomPower(ledger, powerW)) return "PowerImplausible"
  return endedAt - startedAt > longestMillis ? "DurationImplausible" : undefined
}
