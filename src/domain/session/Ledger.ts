/**
 * What a session costs, from its ledger: the readings as they were stored, the tariff as it stood when it began. Every view of a session's
 * price comes from here.
 */
import { type PricedResult, price, type Reserved } from "../tariff/Price.ts"
import { resolutionOf } from "../tariff/Evidence.ts"
import type { PricedReading, StatusChange } from "../tariff/Stretches.ts"
import type { Pricing, Tariff } from "../tariff/Tariff.ts"
import { type Occupancy, wasGivenAway } from "../reservation/NoShow.ts"
import type { Place } from "../site/CdrLocation.ts"
import type { TokenType } from "../token/Token.ts"
import { type ChargingSession, isOnlyReserved } from "./ChargingSession.ts"
import { jitterWh, offsetOf } from "./Counting.ts"
import { measuredOf, type Sample } from "../charger/MeterValue.ts"
import type { SessionPrice } from "./SessionPrice.ts"

export interface LedgerReading {
  /** The charger's time, ms epoch. */
  readonly at: number
  /** The register, Wh; undefined where the reading has none. */
  readonly registerWh: number | undefined
  /** Those of power, current and state of charge. */
  readonly samples: ReadonlyArray<Sample> | undefined
}

/** What is known beside the ledger. */
export interface Surroundings {
  /** W that the operator said the connector gives at most; undefined where he has said nothing. */
  readonly maxPowerW: number | undefined
  /** Registers of the session before on the same connector, Wh. */
  readonly before: { readonly meterStartWh: number; readonly meterStopWh: number } | undefined
  /** How its times and those at which they were heard lie to one another cannot be by one clock. Undefined means that it can. */
  readonly clockJumped?: boolean | undefined
  /** Of a reservation that was not used: who charged at the charger meanwhile. */
  readonly occupancy?: Occupancy | undefined
  /** By how much its charger's clock is known to be ahead of ours; 0 where it is not known to be. */
  readonly clockAheadMillis?: number | undefined
  /** W: a vehicle that takes less is parked. Undefined: the usual one. */
  readonly standbyPowerW?: number | undefined
}

/** All that is known of a session, whether or not it has a price. */
export interface Observed {
  readonly session: ChargingSession
  /** IANA; of the site. */
  readonly timeZone: string
  readonly readings: ReadonlyArray<LedgerReading>
  /** Of its connector: within the session, and the last one before it. Undefined: not looked for. */
  readonly statuses?: ReadonlyArray<StatusChange> | undefined
  readonly surroundings: Surroundings
  /** Where it is now. */
  readonly place?: Place | undefined
  /** OCPI's word for what the token is, where it is one of the organisation's own. */
  readonly tokenType?: TokenType | undefined
  /** Signed samples of its first and last readings that have some, in order of time; only of a session that has ended. */
  readonly signed?: ReadonlyArray<Sample> | undefined
  /** As the charger's configuration has it; with `signed`. */
  readonly meterPublicKey?: string | undefined
}

export interface Ledger extends Observed {
  readonly tariff: Tariff
}

/**
 * A running session with no more readings is priced whenever its price is asked for or pushed to a partner: five milliseconds. One with more is pushed with
 * the price that was made last, and anew when another was made.
 */
export const readingsPricedAtOnce = 500

/** True where there was a tariff when the session began. */
export const isPriced = (observed: Observed | Ledger): observed is Ledger => "tariff" in observed

const stateOfChargeOf = (samples: ReadonlyArray<Sample>) => {
  const percent = measuredOf(samples, "SoC")
  return percent === undefined || percent > 100 ? undefined : percent
}

/** Registers of a session as its start and stop have them, and the energy that counts. */
interface Fitted {
  readonly meterStartWh: number
  readonly meterStopWh: number | undefined
  readonly energyWh: number
}

/**
 * Makes readings fit an energy that an operator set in place of the meter's. They still show when the energy flowed; without this, all that
 * was corrected away would count as parking. `reported` is the energy of each reading within the session, in Wh since its start.
 *
 * - Readings between nothing and that energy stay as they are: the stop was wrong.
 * - Readings that fit when they are counted back from the stop are counted so: the start was wrong.
 * - All others are brought into proportion.
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
 * Readings as pricing takes them. Registers are brought to the session's beginning and kept within what the session has in all: one figure
 * that leaps up in the middle changes when energy flowed, and never how much.
 */
export const pricedReadings = ({
  readings,
  session
}: Pick<Ledger, "readings" | "session">): ReadonlyArray<PricedReading> => {
  const { endedAt, energyWh, meterStartWh, startedAt } = session
  const offset = offsetOf({ readings, session }) - meterStartWh
  const within = readings.flatMap(({ at, registerWh }) =>
    registerWh === undefined || at < startedAt || at > (endedAt ?? 0) ? [] : [registerWh + offset]
  )
  const fit = fitting(session, within)
  // While it runs the newest register counts, and where that jitters the one before it does: what it costs never falls.
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
  // The stop's own figure is the last word on energy; what else was measured in that moment counts.
  const last = reported.findLast(({ at }) => at === endedAt)
  return [...reported.filter(({ at }) => at < endedAt), { ...last, at: endedAt, energyWh }]
}

/** The newest moment that is known of a session: its end, or its last reading. */
const until = ({ readings, session }: Ledger): number =>
  session.endedAt ?? readings.reduce((latest, { at }) => Math.max(latest, at), session.startedAt)

const free = { exclVat: 0, inclVat: 0 }

/** Of what was declared invalid: no cost to anybody, not even the least that the tariff asks for. */
const unpaid: PricedResult = {
  total: free,
  costs: { fixed: free, energy: free, time: free, parking: free, reservation: free },
  lines: [],
  periods: [],
  energyWh: 0,
  durationMillis: 0,
  parkingMillis: 0
}

/** The time for which a connector was kept, from the charger's yes to the start, or to the end where no driver came. */
const reservedOf = ({ reservation, startedAt, status }: ChargingSession): Reserved | undefined => {
  if (reservation?.acceptedAt === undefined || status === "RESERVATION") return undefined
  const { acceptedAt, expiresAt, used } = reservation
  const until = used ? Math.min(startedAt, expiresAt) : expiresAt
  // Used in the moment of the yes it took no time, and has its flat fee all the same, as a session that takes none has.
  return until >= acceptedAt ? { startedAt: acceptedAt, endedAt: until, expired: !used } : undefined
}

/** The tariff as it applies: who could not have used what he reserved is asked nothing for the reservation. */
const applying = ({ session, surroundings: { occupancy }, tariff }: Ledger): Pricing => {
  const { evseId, reservation } = session
  if (occupancy === undefined || reservation?.acceptedAt === undefined || reservation.used) return tariff.body
  const { acceptedAt, expiresAt } = reservation
  if (!wasGivenAway({ evseId, acceptedAt, expiresAt }, occupancy)) return tariff.body
  const elements = tariff.body.elements.filter(({ restrictions }) => restrictions?.reservation === undefined)
  return { ...tariff.body, elements }
}

/** What a session costs so far, or in all once it has ended. */
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
