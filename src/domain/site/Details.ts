/**
 * Optional details of a site and its EVSEs, set by an operator. They help drivers to find the place and show what is there (OCPI 2.2.1 §8.3 Location
 * and EVSE, §8.4). Missing details are neither stored nor sent.
 */
import { Schema } from "effect"
import { EnergyMix } from "../tariff/Tariff.ts"
import { tokenTypes } from "../token/Token.ts"

const optional = Schema.optionalKey

/** ISO 639-1, and the text in that language. */
export const DisplayText = Schema.Struct({ language: Schema.String, text: Schema.String })
export type DisplayText = typeof DisplayText.Type

export const imageCategories = ["CHARGER", "ENTRANCE", "LOCATION", "NETWORK", "OPERATOR", "OTHER", "OWNER"] as const

export const Image = Schema.Struct({
  url: Schema.String,
  thumbnail: optional(Schema.String),
  category: Schema.Literals(imageCategories),
  /** `jpeg`, `png` and the like. */
  type: Schema.String,
  /** Pixels. */
  width: optional(Schema.Int),
  height: optional(Schema.Int)
})
export type Image = typeof Image.Type

/** A company with its logo; the business details of parties have none. */
export const Company = Schema.Struct({
  name: Schema.String,
  website: optional(Schema.String),
  logo: optional(Image)
})
export type Company = typeof Company.Type

export const Coordinates = Schema.Struct({ latitude: Schema.Finite, longitude: Schema.Finite })
export type Coordinates = typeof Coordinates.Type

/** Another place of the site, for example its entrance. */
export const RelatedLocation = Schema.Struct({ ...Coordinates.fields, name: optional(DisplayText) })
export type RelatedLocation = typeof RelatedLocation.Type

/** In the order in which REST lists them. */
export const publishTokenTypes = tokenTypes.toSorted()

/** Selects the tokens whose owners may see a non-public location: those that have all of these values. */
export const PublishToken = Schema.Struct({
  uid: optional(Schema.String),
  type: optional(Schema.Literals(publishTokenTypes)),
  visualNumber: optional(Schema.String),
  issuer: optional(Schema.String),
  groupId: optional(Schema.String)
})
export type PublishToken = typeof PublishToken.Type

export const parkingTypes = [
  "ALONG_MOTORWAY",
  "ON_DRIVEWAY",
  "ON_STREET",
  "PARKING_GARAGE",
  "PARKING_LOT",
  "UNDERGROUND_GARAGE"
] as const

export const facilities = [
  "AIRPORT",
  "BIKE_SHARING",
  "BUS_STOP",
  "CAFE",
  "CARPOOL_PARKING",
  "FUEL_STATION",
  "HOTEL",
  "MALL",
  "METRO_STATION",
  "MUSEUM",
  "NATURE",
  "PARKING_LOT",
  "RECREATION_AREA",
  "RESTAURANT",
  "SPORT",
  "SUPERMARKET",
  "TAXI_STAND",
  "TRAIN_STATION",
  "TRAM_STOP",
  "WIFI"
] as const

export const parkingRestrictions = ["CUSTOMERS", "DISABLED", "EV_ONLY", "MOTORCYCLES", "PLUGGED"] as const

export const SiteDetails = Schema.Struct({
  /** False: shown only to the owners of tokens in `publishAllowedTo`. Missing means true. */
  publish: optional(Schema.Boolean),
  publishAllowedTo: optional(Schema.Array(PublishToken)),
  parkingType: optional(Schema.Literals(parkingTypes)),
  directions: optional(Schema.Array(DisplayText)),
  relatedLocations: optional(Schema.Array(RelatedLocation)),
  facilities: optional(Schema.Array(Schema.Literals(facilities))),
  /** By default the party to which the site belongs. */
  operator: optional(Company),
  suboperator: optional(Company),
  owner: optional(Company),
  chargingWhenClosed: optional(Schema.Boolean),
  images: optional(Schema.Array(Image)),
  energyMix: optional(EnergyMix)
})
export type SiteDetails = typeof SiteDetails.Type

export const EvseDetails = Schema.Struct({
  physicalReference: optional(Schema.String),
  floorLevel: optional(Schema.String),
  coordinates: optional(Coordinates),
  directions: optional(Schema.Array(DisplayText)),
  images: optional(Schema.Array(Image)),
  parkingRestrictions: optional(Schema.Array(Schema.Literals(parkingRestrictions)))
})
export type EvseDetails = typeof EvseDetails.Type

/** A value as it is published; undefined if there is nothing to publish. */
export type Given<A> = { readonly [K in keyof A]?: A[K] | undefined }

const siteKeys = Object.keys(SiteDetails.fields) as ReadonlyArray<keyof SiteDetails>
const evseKeys = Object.keys(EvseDetails.fields) as ReadonlyArray<keyof EvseDetails>

const says = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** The fields that have a value; undefined if none has. An empty list counts as none. */
const saying = <A extends object>(given: Given<A>, keys: ReadonlyArray<keyof A>): A | undefined => {
  const entries = keys.filter((key) => says(given[key])).map((key) => [key, given[key]] as const)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as A)
}

/** The details of a site that have no columns of their own. `publish: true` is the default and is not stored. */
export const siteDetailsOf = (given: Given<SiteDetails>): SiteDetails | undefined =>
  saying<SiteDetails>({ ...given, publish: given.publish === false ? false : undefined }, siteKeys)

export const evseDetailsOf = (given: Given<EvseDetails>): EvseDetails | undefined =>
  saying<EvseDetails>(given, evseKeys)

/** The most characters that the details of a site or an EVSE may have as JSON, since each change of the location sends them to every partner. */
export const siteDetailsMax = 65_536
export const evseDetailsMax = 16_384

export const isWithin = (details: SiteDetails | EvseDetails | undefined, max: number): boolean =>
  details === undefined || JSON.stringify(details).length <= max

/** Every field of a site's details, so that two sites are compared field by field. */
export const siteFieldsOf = (details: SiteDetails | undefined): Given<SiteDetails> =>
  Object.fromEntries(siteKeys.map((key) => [key, details?.[key]]))
