/** What CDRs of all versions have in common (OCPI 2.2.1 §10.3.1). A credit record differs in its total and its references. */
import type { RoamingCdr } from "../../../domain/cdr/RoamingCdr.ts"
import type { Price } from "../../../domain/values/Amount.ts"
import type { Tariff } from "../../../domain/tariff/Tariff.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { field } from "../Strict.ts"
import type { PartyTariff } from "../tariff/Parts.ts"
import { tariffV22 } from "../tariff/v22.ts"
import { amount, hours, kilo, priceOf } from "./Figures.ts"
import { ownerOf } from "./Parties.ts"
import { periodsV22 } from "./Periods.ts"
import type { Used } from "./Places.ts"

export interface WireCdrs {
  /** JSON of this version. */
  readonly encode: (cdr: RoamingCdr) => unknown
  /** Whether this version has credit records. */
  readonly hasCredits: boolean
}

export const usedOf = ({ body, siteId }: RoamingCdr): Used => ({
  siteId,
  evseId: body.evseId,
  connectorId: body.connectorId,
  place: body.place,
  tariffId: body.tariff.id
})

/**
 * The tariff that is stored in the record: as it was when the session began, and as partners received it. The oldest records have no time
 * of its last change; the session's start is used instead.
 */
export const tariffOf = ({ body, organisationId, startedAt }: RoamingCdr): PartyTariff | undefined => {
  const party = body.place?.party
  const { id, updatedAt = startedAt, version, ...rest } = body.tariff
  const tariff: Tariff = { id, organisationId, version, body: rest, createdAt: updatedAt, updatedAt }
  return party === undefined ? undefined : { party, tariff }
}

/** The start, including a preceding reservation if it is paid for (OCPI 2.2.1 §10.3.1, `start_date_time`). */
const beginOf = ({ body: { periods }, startedAt }: RoamingCdr): number =>
  Math.min(startedAt, ...periods.slice(0, 1).map((first) => first.startedAt))

/** The end in whole seconds of its length, as priced: the last period, counted from the session's start, ends there. */
export const endOf = ({ body: { periods }, endedAt }: RoamingCdr): number => periods.at(-1)?.endedAt ?? endedAt

/**
 * Quantities as measured, before any step size. They cover charging and parking; a reservation's time is only in its periods. Each kind of
 * time is rounded separately, as in the periods, which add up to both totals.
 */
export const totalsOf = ({ body: { durationMillis, energyWh, parkingMillis } }: RoamingCdr) => {
  const parking = hours(parkingMillis)
  return {
    total_energy: kilo(energyWh),
    total_time: amount(hours(durationMillis - parkingMillis) + parking),
    total_parking_time: parking
  }
}

/** A cost, left out if it is zero. */
const cost = <K extends string>(key: K, price: Price) =>
  field(key, price.exclVat === 0 && price.inclVat === 0 ? undefined : priceOf(price))

const costsOf = ({ body: { costs, total } }: RoamingCdr) => ({
  total_cost: priceOf(total),
  ...cost("total_fixed_cost", costs.fixed),
  ...cost("total_energy_cost", costs.energy),
  ...cost("total_time_cost", costs.time),
  ...cost("total_parking_cost", costs.parking),
  ...cost("total_reservation_cost", costs.reservation)
})

/** Where 2.2 and 2.2.1 differ. */
export interface Since22Parts {
  readonly driver: (roaming: RoamingCdr["body"]["roaming"]) => object
  readonly location: (used: Used) => object
  readonly signedData: (signed: RoamingCdr["body"]["signedData"]) => object | undefined
}

/** 2.2 and later. */
export const cdrV22 =
  ({ driver, location, signedData }: Since22Parts) =>
  (cdr: RoamingCdr): unknown => {
    const { body, creditReferenceId } = cdr
    const tariff = tariffOf(cdr)
    return {
      ...ownerOf(body.place),
      id: cdr.id,
      start_date_time: printTimestamp(beginOf(cdr)),
      end_date_time: printTimestamp(endOf(cdr)),
      session_id: cdr.sessionId,
      ...driver(body.roaming),
      cdr_location: location(usedOf(cdr)),
      currency: body.currency,
      ...field("tariffs", tariff === undefined ? undefined : [tariffV22.encode(tariff)]),
      charging_periods: periodsV22(body.tariff.id, body.periods),
      ...field("signed_data", signedData(body.signedData)),
      ...costsOf(cdr),
      ...totalsOf(cdr),
      ...(creditReferenceId === undefined ? {} : { credit: true, credit_reference_id: creditReferenceId }),
      last_updated: printTimestamp(cdr.lastUpdated)
    }
  }
