/** The data of a site with one charger and two EVSEs, and the location that is made from it. */
import { assumedEquipment } from "../../src/domain/site/Connector.ts"
import { type Location, locationOf } from "../../src/domain/site/Location.ts"
import type { LocationSources, SourceCharger } from "../../src/domain/site/LocationSources.ts"

export const now = Date.UTC(2026, 4, 20, 12)
export const minute = 60_000
export const day = 86_400_000

export const charger: SourceCharger = {
  chargerId: "SECRET-1",
  registration: "Accepted",
  connected: true,
  wholeStatus: undefined,
  featureProfiles: ["Core"],
  connectors: [
    { evseId: 1, connectorId: 1, status: "Available", equipment: assumedEquipment, assumed: true },
    { evseId: 2, connectorId: 1, status: "Charging", equipment: assumedEquipment, assumed: true }
  ]
}

const site: NonNullable<LocationSources["site"]> = {
  id: "01990000-0000-7000-8000-000000000001",
  organisationId: "01990000-0000-7000-8000-0000000000aa",
  name: "Harbour",
  timeZone: "Europe/Amsterdam",
  streetAddress: "Quay",
  streetNumber: "12",
  houseLetter: "b",
  postalNumber: undefined,
  city: "Lelystad",
  area: undefined,
  country: "NLD",
  latitude: 52.5,
  longitude: 5.25,
  openingHours: undefined
}

export const sources: LocationSources = {
  site,
  party: { countryCode: "NL", partyId: "ABC", businessDetails: { name: "Charge AG" } },
  chargers: [charger],
  evses: [
    { uid: "uid-1", publicId: "NL*ABC*E000001", chargerId: "SECRET-1", evseId: 1, removed: false, usedAgain: false },
    { uid: "uid-2", publicId: "NL*ABC*E000002", chargerId: "SECRET-1", evseId: 2, removed: false, usedAgain: false }
  ],
  tariffs: []
}

export const made = (given: LocationSources = sources, before?: Location, at = now): Location => {
  const location = locationOf(given, before, at)
  if (location === undefined) throw new Error("no location")
  return location
}

export const withCharger = (change: Partial<SourceCharger>): LocationSources => ({
  ...sources,
  chargers: [{ ...charger, ...change }]
})

export const withSite = (change: object): LocationSources => ({ ...sources, site: { ...site, ...change } })
