/**
 * Locations in the shape that they have from OCPI 2.2 on (§8.3), in a version's words. Their lengths
 * are those of the published schemas, by which partners check.
 */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/location/Location.ts"
import { printTimestamp } from "../../Timestamp.ts"
import { cut } from "../credentials/BusinessDetails.ts"
import { cutTo, field, list } from "../Strict.ts"
import { coordinatesOf, countryOf, evseParts, evsesOf, hoursOf, powerTypeOf, type Vocabulary } from "./Parts.ts"

const postalCodeOf = (text: string | undefined): string | undefined => cutTo(text ?? "", 10) || undefined

export const locationEncoders = (vocabulary: Vocabulary) => {
  const connector = (one: LocationConnector) => ({
    id: one.id,
    standard: one.standard,
    format: one.format,
    power_type: powerTypeOf(one, vocabulary),
    max_voltage: one.maxVoltage,
    max_amperage: one.maxAmperage,
    max_electric_power: one.maxPowerW,
    ...list("tariff_ids", [...(one.tariffId === undefined ? [] : [one.tariffId]), ...one.laterTariffIds]),
    last_updated: printTimestamp(one.lastUpdated)
  })

  const evse = (one: LocationEvse) => evseParts(one, vocabulary, connector)

  const location = (one: Location) => ({
    country_code: one.party.countryCode,
    party_id: one.party.partyId,
    id: one.id,
    publish: true,
    name: cutTo(one.name, 255),
    address: cutTo(one.address, 45),
    city: cutTo(one.city, 45),
    ...field("postal_code", postalCodeOf(one.postalCode)),
    ...field("state", cutTo(one.state ?? "", 20) || undefined),
    country: countryOf(one),
    coordinates: coordinatesOf(one),
    ...evsesOf(one, evse),
    operator: cut(one.operator),
    time_zone: one.timeZone,
    ...field("opening_times", hoursOf(one.openingHours)),
    last_updated: printTimestamp(one.lastUpdated)
  })

  return {
    location: { encode: location },
    evse: { encode: evse },
    connector: {
      encode: (one: LocationConnector) => (vocabulary.standards.has(one.standard) ? connector(one) : undefined)
    }
  }
}
