/**
 * CDRs in OCPI 2.1.1 §10.3: the location is embedded, the end is `stop_date_time`, and money has no VAT. It has no session id, no parts of
 * the total and no signed data, so these are lost. It has no credit records, so those are never sent. The tariff is included if those of
 * its elements that the version has come to the same total.
 */
import { isPricedPlainly, type RoamingCdr } from "../../../domain/cdr/RoamingCdr.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { field } from "../Strict.ts"
import { tariffV211 } from "../tariff/v211.ts"
import { amount } from "./Figures.ts"
import { driverV211 } from "./Parties.ts"
import { periodsV211 } from "./Periods.ts"
import { locationV211 } from "./Places.ts"
import { endOf, tariffOf, totalsOf, usedOf, type WireCdrs } from "./Enums.ts"

const encode = (cdr: RoamingCdr): unknown => {
  const { body, lastUpdated } = cdr
  const tariff = isPricedPlainly(body) ? tariffOf(cdr) : undefined
  return {
    id: cdr.id,
    start_date_time: printTimestamp(cdr.startedAt),
    stop_date_time: printTimestamp(endOf(cdr)),
    ...driverV211(body.roaming),
    location: locationV211(usedOf(cdr), "UNKNOWN", lastUpdated),
    currency: body.currency,
    ...field("tariffs", tariff === undefined ? undefined : [tariffV211.encode(tariff)]),
    charging_periods: periodsV211(cdr.startedAt, body.periods),
    total_cost: amount(body.total.exclVat),
    ...totalsOf(cdr),
    last_updated: printTimestamp(lastUpdated)
  }
}

export const cdrsV211: WireCdrs = { encode, hasCredits: false }
