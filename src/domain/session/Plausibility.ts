/**
 * Checks whether an ended session is plausible. One that is not is held: it is not billed until an operator has reviewed it. No figure is ever
 * corrected here.
 */
import type { Pricing } from "../tariff/Tariff.ts"
import { isOnlyReserved } from "./ChargingSession.ts"
import { type Change, changesOf, jitterWh } from "./Counting.ts"
import { isPriced, type Observed, pricedReadings, priceOf } from "./Ledger.ts"

/** Why a session's ledger makes it held; its end can make it held too, see `Ending`. */
export type Doubt =
  /** Its token was refused, but energy flowed. Set by the end itself (`Refused`), and here for a closed session. */
  | "NotAuthorized"
  /** The start had no register, and 0 takes its place. Storage sets this when the start arrives. */
  | "MeterStartMissing"
  /** More energy than the connector, or any connector, could have given in the time. */
  | "EnergyImplausible"
  /** The register fell between two readings: a meter was exchanged, rolled over, or two meters are mixed. */
  | "RegisterFell"
  /** The register was higher before the session than its start reports: the start lost it, and energy would be billed twice. */
  | "MeterStartImplausible"
  /** A power or current that the connector cannot give, under a tariff that depends on it. */
  | "PowerImplausible"
  /** The charger's clock jumped during the session, or is ahead and the price depends on it; or its stop has no time and may be much older. */
  | "ClockImplausible"
  /** It lasted longer than any vehicle stays. */
  | "DurationImplausible"
  /** A partner's driver charged although no tariff applied. Without a record the partner is not billed, and nothing else would show it. */
  | "TariffMissing"

/**
 * The highest plausible power of a connector if the operator has not set it: cars take up to 350 kW. Operators of truck chargers (MCS, 3.75 MW) must
 * set it. With a higher default, a meter's lifetime total could pass as the energy of one session.
 */
export const anyPowerW = 500_000

/** Meters and clocks are inexact, and vehicles exceed their power for moments (T28). */
const tolerance = 1.1

/** Energy in Wh that is never doubted: over a short time, a reading's rounding looks like a high power. */
const neverDoubtedWh = 500

/** The longest plausible duration of a session: vehicles are parked for weeks at airports. */
export const longestMillis = 60 * 86_400_000

const hourMillis = 3_600_000

export const tooMuch = (energyWh: number, millis: number, powerW: number): boolean =>
  energyWh > neverDoubtedWh && energyWh > (powerW * tolerance * Math.max(millis, 1000)) / hourMillis

/** The least power in whole W at which this much energy is plausible; with less it may be too much. */
export const leastPowerOf = (energyWh: number, millis: number): number =>
  energyWh <= neverDoubtedWh ? 0 : Math.ceil((energyWh * hourMillis) / (tolerance * Math.max(millis, 1000))) + 1

/**
 * True if the energy up to the first reading flowed more than twice as fast as the rest, and took the register to at least its value before the
 * session: the meter had kept counting, but the start's register had not.
 */
const leapsAtFirst = ([first, ...rest]: ReadonlyArray<Change>, startWh: number, stoodWh: number): boolean => {
  if (first === undefined || rest.length === 0 || startWh + first.wh < stoodWh - jitterWh) return false
  const wh = rest.reduce((sum, change) => sum + change.wh, 0)
  const millis = rest.reduce((sum, change) => sum + change.millis, 0)
  return first.wh * millis > 2 * wh * first.millis
}

/**
 * Whether the start's register is wrong: negative, or below the stop of the previous session on the connector, so that energy would be billed twice.
 * Two cases are no error. A meter that restarts with each session began near 0 the last time too, or where it begins now. A new meter does not reach
 * the old one's register.
 */
const startLost = ({ session, surroundings: { before } }: Observed, changes: ReadonlyArray<Change>): boolean => {
  const { meterStartWh, meterStopWh } = session
  if (meterStartWh < 0) return true
  const overlaps =
    before !== undefined &&
    before.meterStartWh > jitterWh &&
    meterStartWh < before.meterStopWh - jitterWh &&
    meterStopWh !== undefined &&
    meterStopWh >= before.meterStopWh
  if (!overlaps) return false
  return meterStartWh !== before.meterStartWh || leapsAtFirst(changes, meterStartWh, before.meterStopWh)
}

const asksForPower = ({ elements }: Pricing): boolean =>
  elements.some(({ restrictions: asked = {} }) =>
    [asked.minPower, asked.maxPower, asked.minCurrent, asked.maxCurrent].some((bound) => bound !== undefined)
  )

/** Volts between a phase and neutral. A reported current may be that of one phase or the sum of three. */
const volts = 230

/** True if the price depends on a power or current that the connector cannot have given. */
const phantomPower = (ledger: Observed, powerW: number): boolean =>
  isPriced(ledger) &&
  asksForPower(ledger.tariff.body) &&
  pricedReadings(ledger).some(
    (reading) => Math.max(reading.powerW ?? 0, (reading.currentA ?? 0) * volts) > powerW * tolerance
  )

/** True if the charger's clock is ahead of ours and the tariff has another price at our time. */
const mistimed = (ledger: Observed): boolean => {
  const ahead = ledger.surroundings.clockAheadMillis ?? 0
  if (ahead === 0 || !isPriced(ledger)) return false
  const { readings, session } = ledger
  const { endedAt, startedAt } = session
  const byOurs = priceOf({
    ...ledger,
    session: { ...session, startedAt: startedAt - ahead, endedAt: endedAt === undefined ? undefined : endedAt - ahead },
    readings: readings.map((reading) => ({ ...reading, at: reading.at - ahead }))
  }).total
  const { exclVat, inclVat } = priceOf(ledger).total
  return byOurs.exclVat !== exclVat || byOurs.inclVat !== inclVat
}

/** The most important reason to doubt the session, or undefined if it is plausible. Only for sessions that have ended. */
export const doubtOf = (ledger: Observed): Doubt | undefined => {
  const { maxPowerW } = ledger.surroundings
  const { endedAt, energyWh, startedAt } = ledger.session
  // A reservation that was not used has no register, so the previous session's register says nothing about it.
  if (endedAt === undefined || isOnlyReserved(ledger.session)) return undefined
  if (ledger.session.authorization.status !== "Accepted") return "NotAuthorized"
  const powerW = maxPowerW ?? anyPowerW
  const changes = changesOf(ledger)
  if (startLost(ledger, changes)) return "MeterStartImplausible"
  if (changes.some(({ mayFallWh, wh }) => wh < -mayFallWh)) return "RegisterFell"
  if (tooMuch(energyWh, endedAt - startedAt, powerW)) return "EnergyImplausible"
  // Between two readings only more than any connector could give is an error: samples of one moment can have slightly different times.
  if (changes.some(({ millis, wh }) => tooMuch(wh, Math.max(millis, 60_000), Math.max(powerW, anyPowerW)))) {
    return "EnergyImplausible"
  }
  if (phantomPower(ledger, powerW)) return "PowerImplausible"
  if (ledger.surroundings.clockJumped === true || mistimed(ledger)) return "ClockImplausible"
  if (endedAt - startedAt > longestMillis) return "DurationImplausible"
  return ledger.session.roaming !== undefined && !isPriced(ledger) ? "TariffMissing" : undefined
}
