/**
 * Locations in the form that they have since OCPI 2.2 (§8.3), with the enumerations of a version. Lengths follow the published schemas, by
 * which partners validate. Later texts of 2.2.1 allow 255 characters for an address and 45 for a state, but partners still refuse more than
 * 45 and 20.
 */
import type { Location, LocationConnector, LocationEvse } from "../../../domain/site/Location.ts"
import { printTimestamp } from "../../protocol/Timestamp.ts"
import { cutTo, field, list } from "../Strict.ts"
import { companyOf, coordinatesOf, publicationOf, siteParts, termsOf } from "./Details.ts"
import { countryOf, evseParts, evsesOf, hoursOf, powerTypeOf, type Vocabulary } from "./Parts.ts"

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
    ...termsOf(one.termsAndConditions),
    last_updated: printTimestamp(one.lastUpdated)
  })

  const evse = (one: LocationEvse) => evseParts(one, vocabulary, connector)

  const location = (one: Location) => ({
    country_code: one.party.countryCode,
    party_id: one.party.partyId,
    id: one.id,
    ...publicationOf(one.details),
    name: cutTo(one.name, 255),
    address: cutTo(one.address, 45),
    city: cutTo(one.city, 45),
    ...field("postal_code", postalCodeOf(one.postalCode)),
    ...field("state", cutTo(one.state ?? "", 20) || undefined),
    country: countryOf(one),
    coordinates: coordinatesOf(one),
    ...field("parking_type", one.details?.parkingType),
    ...evsesOf(one, evse),
    operator: companyOf(one.operator),
    time_zone: one.timeZone,
    ...field("opening_times", hoursOf(one.openingHours)),
    ...siteParts(one.details, vocabulary),
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
