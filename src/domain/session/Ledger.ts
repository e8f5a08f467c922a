/**
 * Computes the price of a session from its ledger: the readings as they were stored, and the tariff version that applied when it began. All prices of
 * sessions are made here.
 */
import { type PricedResult, price, type Reserved } from "../tariff/Price.ts"
import { resolutionOf } from "../tariff/Evidence.ts"
import type { PricedReading, StatusChange } from "../tariff/Stretches.ts"
import type { Pricing, Tariff } from "../tariff/Tariff.ts"
import { type Occupancy, wasGivenAway } from "../reservation/NoShow.ts"
import type { Place } from "../site/CdrLocation.ts"
import type { TokenType } from "../token/Token.ts"
import { type ChargingSession, isOnlyReserved } from "./ChargingSession.ts"
import { jitterWh, offsetOf, soundReadings } from "./Counting.ts"
import { measuredOf, type Sample } from "../charger/MeterValue.ts"
import type { SessionPrice } from "./SessionPrice.ts"

export interface LedgerReading {
  /** The charger's time, ms epoch. */
  readonly at: number
  /** The register, Wh; undefined if the reading has none. */
  readonly registerWh: number | undefined
  /** The samples of power, current and state of charge. */
  readonly samples: ReadonlyArray<Sample> | undefined
}

/** What is known besides the readings and the tariff. */
export interface Surroundings {
  /** The connector's maximum power in W; undefined if the operator has not set it. */
  readonly maxPowerW: number | undefined
  /** Registers of the previous session on the same connector, Wh. */
  readonly before: { readonly meterStartWh: number; readonly meterStopWh: number } | undefined
  /** True if the charger's clock must have jumped, by a comparison of its times with ours. Undefined means false. */
  readonly clockJumped?: boolean | undefined
  /** For a reservation that was not used: the charger's other sessions in that time. */
  readonly occupancy?: Occupancy | undefined
  /** How far the charger's clock is known to be ahead of ours, ms; 0 if that is not known. */
  readonly clockAheadMillis?: number | undefined
  /** The power in W below which a vehicle counts as parked; undefined for the default. */
  readonly standbyPowerW?: number | undefined
}

/** All that is known of a session, whether or not it has a price. */
export interface Observed {
  readonly session: ChargingSession
  /** The site's time zone (IANA). */
  readonly timeZone: string
  readonly readings: ReadonlyArray<LedgerReading>
  /** The connector's statuses within the session, and the last one before it. Undefined if they were not read. */
  readonly statuses?: ReadonlyArray<StatusChange> | undefined
  readonly surroundings: Surroundings
  /** Its present location. */
  readonly place?: Place | undefined
  /** The token's OCPI type, if it is one of the organisation's own. */
  readonly tokenType?: TokenType | undefined
  /** The signed samples of its first and last readings that have any, in order of time; only for a session that has ended. */
  readonly signed?: ReadonlyArray<Sample> | undefined
  /** From the charger's configuration; only with `signed`. */
  readonly meterPublicKey?: string | undefined
}

export interface Ledger extends Observed {
  readonly tariff: Tariff
}

/**
 * A running session with at most this many readings is priced whenever its price is read or pushed to a partner, which takes five milliseconds. One
 * with more is pushed with its last stored price, and again when that has changed.
 */
export const readingsPricedAtOnce = 500

/** True if a tariff applied when the session began. */
export const isPriced = (observed: Observed | Ledger): observed is Ledger => "tariff" in observed

const stateOfChargeOf = (samples: ReadonlyArray<Sample>) => {
  const percent = measuredOf(samples, "SoC")
  return percent === undefined || percent > 100 ? undefined : percent
}

/** A session's registers from its start and stop, and the energy that is billed. */
interface Fitted {
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  readonly energyWh: number
}

/**
 * Makes readings fit an energy that an operator set in place of the meter's. They still show when the energy flowed; without this, the difference
 * would count as parking. `reported` is the energy of each reading within the session, in Wh since its start.
 *
 * - If all readings are between zero and the new energy, they stay as they are: the stop was wrong.
 * - If they fit when counted back from the stop, they are shifted: the start was wrong.
 * - Otherwise they are scaled.
 */
export const fitting = (
  { energyWh, meterStartWh, meterStopWh = meterStartWh }: Fitted,
  reported: ReadonlyArray<number>
): ((wh: number) => number) => {
  const measured = meterStopWh - meterStartWh
  const missing = energyWh - measured
  const fits = (shift: number) => reported.every((wh) => wh + shift >= -jitterWh && wh + shift <= energyWh + jitterWh)
  if (missing === 0 || measured <= 0 || fits(0)) return (wh) => wh
  return fits(missing) ? (wh) => wh + missing : (wh) => Math.round((wh * energyWh) / measured)
}

/**
 * Readings in the form that pricing needs. Registers count from the session's beginning and never exceed its total: a jump of the register in between
 * changes when energy flowed, never how much.
 */
export const pricedReadings = ({
  readings: stored,
  session
}: Pick<Ledger, "readings" | "session">): ReadonlyArray<PricedReading> => {
  const readings = soundReadings(stored, session)
  const { endedAt, energyWh, meterStartWh, startedAt } = session
  const offset = offsetOf({ readings, session }) - meterStartWh
  const within = readings.flatMap(({ at, registerWh }) =>
    registerWh === undefined || at < startedAt || at > (endedAt ?? 0) ? [] : [registerWh + offset]
  )
  const fit = fitting(session, within)
  // While the session runs the newest register applies, even if it jitters, so that the price never falls.
  const most = endedAt === undefined ? energyWh + jitterWh : energyWh
  const reported = readings.flatMap(({ at, registerWh, samples = [] }) =>
    registerWh === undefined
      ? []
      : [
          {
            at,
            energyWh: Math.min(
              Math.max(endedAt === undefined ? registerWh + offset : fit(registerWh + offset), 0),
              most
            ),
            powerW: measuredOf(samples, "Power.Active.Import"),
            currentA: measuredOf(samples, "Current.Import"),
            stateOfCharge: stateOfChargeOf(samples)
          }
        ]
  )
  if (endedAt === undefined) return reported
  // The stop's own register decides the energy; the other samples of that moment are kept.
  const last = reported.findLast(({ at }) => at === endedAt)
  return [...reported.filter(({ at }) => at < endedAt), { ...last, at: endedAt, energyWh }]
}

/** The latest known time of a session: its end, or its last reading. */
const until = ({ readings, session }: Ledger): number =>
  session.endedAt ?? readings.reduce((latest, { at }) => Math.max(latest, at), session.startedAt)

const free = { exclVat: 0, inclVat: 0 }

/** The price of an invalid session: zero, without even the tariff's minimum price. */
const unpaid: PricedResult = {
  total: free,
  costs: { fixed: free, energy: free, time: free, parking: free, reservation: free },
  lines: [],
  periods: [],
  energyWh: 0,
  durationMillis: 0,
  parkingMillis: 0
}

/**
 * The time for which a connector was reserved: from the charger's acceptance to the start, or to the expiry if no driver came. Without a driver,
 * an operator's correction replaces it.
 */
const reservedOf = ({
  endedAt,
  reservation,
  revision = 0,
  startedAt,
  status
}: ChargingSession): Reserved | undefined => {
  if (reservation?.acceptedAt === undefined || status === "RESERVATION") return undefined
  if (!reservation.used && revision > 0 && endedAt !== undefined) return { startedAt, endedAt, expired: true }
  const { acceptedAt, expiresAt, used } = reservation
  const until = used ? Math.min(startedAt, expiresAt) : expiresAt
  // A reservation that was used at once took no time but still has its flat fee, like a session without energy.
  return until >= acceptedAt ? { startedAt: acceptedAt, endedAt: until, expired: !used } : undefined
}

/** The tariff that applies: a driver who could not have used the reserved connector pays nothing for the reservation. */
const applying = ({ session, surroundings: { occupancy }, tariff }: Ledger): Pricing => {
  const { evseId, reservation } = session
  if (occupancy === undefined || reservation?.acceptedAt === undefined || reservation.used) return tariff.body
  const { acceptedAt, expiresAt } = reservation
  if (!wasGivenAway({ evseId, acceptedAt, expiresAt }, occupancy)) return tariff.body
  const elements = tariff.body.elements.filter(({ restrictions }) => restrictions?.reservation === undefined)
  return { ...tariff.body, elements }
}

/** The price of a session so far, or its final price once it has ended. */
export const priceOf = (ledger: Ledger): PricedResult => {
  const { readings, session, statuses, surroundings, timeZone } = ledger
  if (session.status === "INVALID") return unpaid
  const priced = {
    startedAt: session.startedAt,
    endedAt: until(ledger),
    timeZone,
    readings: pricedReadings(ledger),
    statuses,
    resolution: resolutionOf(readings.flatMap(({ registerWh }) => registerWh ?? [])),
    standbyPowerW: surroundings.standbyPowerW
  }
  return price(applying(ledger), {
    session: isOnlyReserved(session) ? undefined : priced,
    reserved: reservedOf(session),
    timeZone,
    ended: session.endedAt !== undefined
  })
}

export const toSessionPrice = ({ tariff }: Ledger, { periods, total }: PricedResult): SessionPrice => ({
  currency: tariff.body.currency,
  ...total,
  periods
})
