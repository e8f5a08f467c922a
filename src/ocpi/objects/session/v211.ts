/**
 * Sessions in OCPI 2.1.1 §9.3: the location is embedded, and money has no VAT. It has no status RESERVATION (PENDING is sent), no
 * authorization reference, and only the contract of the token's owner.
 */
import type { RoamingSession } from "../../../domain/session/RoamingSession.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { amount, kilo } from "../cdr/Figures.ts"
import { driverV211 } from "../cdr/Parties.ts"
import { periodsV211 } from "../cdr/Periods.ts"
import { locationV211 } from "../cdr/Places.ts"
import { decodePreferences, anyCurrency, type WireSessions } from "./Enums.ts"
import { field } from "../Strict.ts"

/** The status of the EVSE, as far as this session shows it. */
const evseStatus: Readonly<Partial<Record<RoamingSession["status"], string>>> = {
  ACTIVE: "CHARGING",
  RESERVATION: "RESERVED"
}

const encode: WireSessions["encode"] = (session) => {
  const { currency, endedAt, lastUpdated, price, roaming, status } = session
  return {
    id: session.id,
    start_datetime: printTimestamp(session.startedAt),
    ...field("end_datetime", endedAt === undefined ? undefined : printTimestamp(endedAt)),
    kwh: kilo(session.energyWh),
    ...driverV211(roaming),
    location: locationV211(session, evseStatus[status] ?? "UNKNOWN", lastUpdated),
    currency: price?.currency ?? currency ?? anyCurrency,
    charging_periods: periodsV211(session.startedAt, price?.periods ?? []),
    ...field("total_cost", price === undefined ? undefined : amount(price.exclVat)),
    status: status === "RESERVATION" ? "PENDING" : status,
    last_updated: printTimestamp(lastUpdated)
  }
}

/** 2.1.1 has no charging preferences and no endpoint for them, so the decoder is never used. */
export const sessionsV211: WireSessions = { encode, decodePreferences }
