/** What sessions of all versions have in common, and how charging preferences are decoded (OCPI 2.2.1 §9.3.2, §9.4.1). */
import { Effect, Schema } from "effect"
import type { ChargingPreferences } from "../../../domain/session/ChargingPreferences.ts"
import type { RoamingSession } from "../../../domain/session/RoamingSession.ts"
import { Timestamp, printTimestamp } from "../../protocol/Timestamp.ts"
import { kilo, priceOf } from "../cdr/Figures.ts"
import { ownerOf } from "../cdr/Parties.ts"
import { sessionPeriodsV22 } from "../cdr/Periods.ts"
import { connectorIdOf, evseUidOf } from "../cdr/Places.ts"
import { maybe, Text } from "../Liberal.ts"
import { field } from "../Strict.ts"

export interface WireSessions {
  /** JSON of this version. */
  readonly encode: (session: RoamingSession) => Readonly<Record<string, unknown>>
  readonly decodePreferences: (input: unknown) => Effect.Effect<ChargingPreferences, Schema.SchemaError>
}

/** The currency of a session without a cost, of an organisation without any tariff. OCPI requires one, and partners refuse the code for none. */
export const anyCurrency = "EUR"

/** Sessions in 2.2 and later, which differ only in `driver`. */
export const sessionV22 =
  (driver: (roaming: RoamingSession["roaming"]) => object) =>
  (session: RoamingSession): Readonly<Record<string, unknown>> => {
    const { currency, endedAt, place, price, roaming, siteId, status, tariffId } = session
    return {
      ...ownerOf(place),
      id: session.id,
      start_date_time: printTimestamp(session.startedAt),
      ...field("end_date_time", endedAt === undefined ? undefined : printTimestamp(endedAt)),
      kwh: kilo(session.energyWh),
      ...driver(roaming),
      location_id: siteId,
      evse_uid: evseUidOf(session),
      connector_id: connectorIdOf(session),
      currency: price?.currency ?? currency ?? anyCurrency,
      charging_periods: sessionPeriodsV22(tariffId, price?.periods ?? []),
      ...field("total_cost", price === undefined ? undefined : priceOf(price)),
      status,
      last_updated: printTimestamp(session.lastUpdated)
    }
  }

/** The largest energy need that is accepted, in kWh: that of a ship. */
const energyMost = 100_000

const Preferences = Schema.Struct({
  profile_type: Text,
  departure_time: maybe(Timestamp),
  energy_need: maybe(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: energyMost }))),
  discharge_allowed: maybe(Schema.Boolean)
})
const decode = Schema.decodeUnknownEffect(Preferences)

export const decodePreferences: WireSessions["decodePreferences"] = (input) =>
  Effect.map(decode(input), ({ departure_time, discharge_allowed, energy_need, profile_type }) => ({
    profileType: profile_type,
    departureAt: departure_time ?? undefined,
    energyNeedWh: typeof energy_need === "number" ? Math.round(energy_need * 1000) : undefined,
    dischargeAllowed: discharge_allowed ?? undefined
  }))
