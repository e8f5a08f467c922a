/**
 * Locations in OCPI 2.1.1 §8.3. It loses the party (which the credentials have), the state, addresses beyond 45 characters, the power of
 * connectors, tariffs that are not valid yet, newer connector types, facilities and kinds of places, and the last minute of days that end
 * at 24:00. It cannot express that a location is not public. Such a location is not shown; if it was public before, its EVSEs are shown as
 * removed.
 */
import type { Location, LocationConnector, LocationDetails, LocationEvse } from "../../../domain/site/Location.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { cutTo, field, type WireEncoder } from "../Strict.ts"
import { companyOf, coordinatesOf, siteParts, termsOf } from "./Details.ts"
import { countryOf, evseParts, evsesOf, hoursOf, powerTypeOf } from "./Parts.ts"
import { enums211 } from "./Enums.ts"

/** 2.1.1 requires a postal code, and sites need none. Others send a dash. */
const noPostalCode = "-"

/** 2.1.1 has these types, OTHER, and UNKNOWN for a type that is not set. */
const types: ReadonlySet<string> = new Set(["ON_STREET", "PARKING_GARAGE", "PARKING_LOT", "UNDERGROUND_GARAGE"])

export const typeOf = (details: LocationDetails | undefined): string => {
  const parking = details?.parkingType
  if (parking === undefined) return "UNKNOWN"
  return types.has(parking) ? parking : "OTHER"
}

const connector = (one: LocationConnector) => ({
  id: one.id,
  standard: one.standard,
  format: one.format,
  power_type: powerTypeOf(one, enums211),
  voltage: one.maxVoltage,
  amperage: one.maxAmperage,
  ...field("tariff_id", one.tariffId),
  ...termsOf(one.termsAndConditions),
  last_updated: printTimestamp(one.lastUpdated)
})

const evse = (one: LocationEvse) => evseParts(one, enums211, connector)

const location = (one: Location) => ({
  id: one.id,
  type: typeOf(one.details),
  name: cutTo(one.name, 255),
  address: cutTo(one.address, 45),
  city: cutTo(one.city, 45),
  postal_code: cutTo(one.postalCode ?? "", 10) || noPostalCode,
  country: countryOf(one),
  coordinates: coordinatesOf(one),
  ...evsesOf(one, evse),
  operator: companyOf(one.operator),
  time_zone: one.timeZone,
  ...field("opening_times", hoursOf(one.openingHours)),
  ...siteParts(one.details, enums211),
  last_updated: printTimestamp(one.lastUpdated)
})

export const locationV211: WireEncoder<Location> = { encode: location }
export const evseV211: WireEncoder<LocationEvse> = { encode: evse }
export const connectorV211: WireEncoder<LocationConnector> = {
  encode: (one) => (enums211.standards.has(one.standard) ? connector(one) : undefined)
}
