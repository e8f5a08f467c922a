/**
 * Whether a session that has ended can be believed. What cannot is held: nobody is billed for it until an operator has looked at it. Figures
 * are never put right here.
 */
import type { Observed } from "./Ledger.ts"

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
  /** The register stood higher before the session than its start says: the start lost it, and a lifetime would be billed. */
  | "MeterStartImplausible"
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

/** A fall of so many Wh is a meter's jitter, as some report from two registers that are read one after the other. */
const jitterWh = 10

const hourMillis = 3_600_000

const tooMuch = (energyWh: number, millis: number, powerW: number): boolean =>
  energyWh > neverDoubtedWh && energyWh > (powerW * tolerance * Math.max(millis, 1000)) / hourMillis

/** The registers of a session in order of time, its start and stop included. */
const registers = ({ readings, session }: Observed): ReadonlyArray<{ readonly at: number; readonly wh: number }> => {
  const { endedAt, meterStartWh, meterStopWh, startedAt } = session
  const told = readings
    .flatMap(({ at, registerWh }) => (registerWh === undefined ? [] : [{ at, wh: registerWh }]))
    .filter(({ at }) => at > startedAt && (endedAt === undefined || at < endedAt))
    .toSorted((a, b) => a.at - b.at)
  const stop = endedAt === undefined || meterStopWh === undefined ? [] : [{ at: endedAt, wh: meterStopWh }]
  return [{ at: startedAt, wh: meterStartWh }, ...told, ...stop]
}

/** The reason that weighs most, or undefined for a session that can be believed. Only of sessions that have ended. */
export const doubtOf = (ledger: Observed): Doubt | undefined => {
  const { before, maxPowerW } = ledger.surroundings
  const { endedAt, energyWh, meterStartWh, meterStopWh, startedAt } = ledger.session
  if (endedAt === undefined) return undefined
  if (ledger.session.authorization.status !== "Accepted") return "NotAuthorized"
  const powerW = maxPowerW ?? anyPowerW
  const steps = registers(ledger)
  const pairs = steps.slice(1).map((step, i) => ({ wh: step.wh - steps[i]!.wh, millis: step.at - steps[i]!.at }))
  // A counter that begins anew with each session began at 0 the last time too.
  const lostStart =
    before !== undefined &&
    meterStartWh === 0 &&
    before.meterStartWh > 0 &&
    meterStopWh !== undefined &&
    meterStopWh >= before.meterStopWh
  if (lostStart) return "MeterStartImplausible"
  if (pairs.some(({ wh }) => wh < -jitterWh)) return "RegisterFell"
  if (tooMuch(energyWh, endedAt - startedAt, powerW)) return "EnergyImplausible"
  // Between two readings only what no connector could give: samples of one moment come with clocks a little apart.
  if (pairs.some(({ millis, wh }) => tooMuch(wh, Math.max(millis, 60_000), Math.max(powerW, anyPowerW)))) {
    return "EnergyImplausible"
  }
  return endedAt - startedAt > longestMillis ? "DurationImplausible" : undefined
}
