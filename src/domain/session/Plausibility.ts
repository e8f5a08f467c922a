/**
 * Whether a session that has ended can be believed. What cannot is held: it is billed to no one until an operator has looked at it. Figures
 * are never put right here.
 */
import type { Pricing } from "../tariff/Tariff.ts"
import { isOnlyReserved } from "./ChargingSession.ts"
import { type Change, changesOf, jitterWh } from "./Counting.ts"
import { isPriced, type Observed, pricedReadings, priceOf } from "./Ledger.ts"

/** Why a session is held after a look at its ledger; its end itself can hold it too, see `Ending`. */
export type Doubt =
  /** Its card was refused, and energy flowed all the same. Said by the end itself (`Refused`), and here of one that was closed. */
  | "NotAuthorized"
  /** The start carried no register; 0 takes its place. Said by storage as the start comes in. */
  | "MeterStartMissing"
  /** More energy than the connector, or any connector, could have given in the time. */
  | "EnergyImplausible"
  /** The register fell between two readings: a meter was exchanged, rolled over, or two meters are mixed. */
  | "RegisterFell"
  /** The register stood higher before the session than its start says: the start lost it, and what was billed before would be again. */
  | "MeterStartImplausible"
  /** A power or current that the connector cannot have given, under a tariff whose price depends on it. */
  | "PowerImplausible"
  /** The charger's clock jumped within it, or is ahead and the price depends on that; or its stop has no time and may be of long before. */
  | "ClockImplausible"
  /** It lasted longer than any vehicle stays. */
  | "DurationImplausible"

/**
 * What a connector is believed to give of which the operator has not set the power: cars take 350 kW. An operator of chargers for trucks (MCS,
 * 3.75 MW) sets it; otherwise a lifetime's register, billed as an afternoon, would pass.
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

/**
 * True where the energy up to the first reading flowed more than twice as fast as what came after it, and brought the register to where it stood
 * before the session: the meter had counted on, and the start had not.
 */
const leapsAtFirst = ([first, ...rest]: ReadonlyArray<Change>, startWh: number, stoodWh: number): boolean => {
  if (first === undefined || rest.length === 0 || startWh + first.wh < stoodWh - jitterWh) return false
  const wh = rest.reduce((sum, change) => sum + change.wh, 0)
  const millis = rest.reduce((sum, change) => sum + change.millis, 0)
  return first.wh * millis > 2 * wh * first.millis
}

/**
 * True of a start below zero, and of one below what the session before it on the connector ended with: what was billed then would be billed
 * again. A counter that begins anew with each session began near 0 the last time too, or where it begins now; and a new meter does not reach the
 * old one's register.
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

/** Volts between a phase and neutral; a connector's current is a third of what its phases carry together, or all of it. */
const volts = 230

/** True where the price depends on a power or current that the connector cannot have given. */
const phantomPower = (ledger: Observed, powerW: number): boolean =>
  isPriced(ledger) &&
  asksForPower(ledger.tariff.body) &&
  pricedReadings(ledger).some(
    (reading) => Math.max(reading.powerW ?? 0, (reading.currentA ?? 0) * volts) > powerW * tolerance
  )

/** True where the charger's clock is ahead of ours, and the tariff asks for another price by ours: its hours are not those of the wall. */
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

/** The reason that weighs most, or undefined for a session that can be believed. Only of sessions that have ended. */
export const doubtOf = (ledger: Observed): Doubt | undefined => {
  const { maxPowerW } = ledger.surroundings
  const { endedAt, energyWh, startedAt } = ledger.session
  // A reservation that was not used has no register, and the one before it says nothing about it.
  if (endedAt === undefined || isOnlyReserved(ledger.session)) return undefined
  if (ledger.session.authorization.status !== "Accepted") return "NotAuthorized"
  const powerW = maxPowerW ?? anyPowerW
  const changes = changesOf(ledger)
  if (startLost(ledger, changes)) return "MeterStartImplausible"
  if (changes.some(({ mayFallWh, wh }) => wh < -mayFallWh)) return "RegisterFell"
  if (tooMuch(energyWh, endedAt - startedAt, powerW)) return "EnergyImplausible"
  // Between two readings only what no connector could give: samples of one moment come with clocks a little apart.
  if (changes.some(({ millis, wh }) => tooMuch(wh, Math.max(millis, 60_000), Math.max(powerW, anyPowerW)))) {
    return "EnergyImplausible"
  }
  if (phantomPower(ledger, powerW)) return "PowerImplausible"
  if (ledger.surroundings.clockJumped === true || mistimed(ledger)) return "ClockImplausible"
  return endedAt - startedAt > longestMillis ? "DurationImplausible" : undefined
}
