/** The small types within objects of OCPI 2.2 and later, as in the standard's tables. */
import {
  bool,
  ci,
  type Check,
  decimal,
  digits,
  type Fields,
  get,
  matching,
  object,
  oneOf,
  text,
  time22 as time,
  url
} from "./Shape.ts"

export const token: Check = matching(/^[\u0021-\u007e]{1,64}$/, "a token of 1 to 64 printable characters")
export const country = matching(/^[A-Z]{3}$/, "an ISO 3166-1 alpha-3 code")
export const countryCode = matching(/^[A-Z]{2}$/, "an ISO 3166-1 alpha-2 code")
export const partyId = matching(/^[A-Z0-9]{3}$/, "three letters or digits")
export const currency = matching(/^[A-Z]{3}$/, "an ISO 4217 code")
export const language = matching(/^[a-z]{2}$/, "an ISO 639-1 code")
export const hour = matching(/^([01]\d|2[0-3]):[0-5]\d$/, "a time as HH:MM")
export const day = matching(/^\d{4}-\d{2}-\d{2}$/, "a day as YYYY-MM-DD")
const weekday: Check = (value, at) =>
  typeof value === "number" && [1, 2, 3, 4, 5, 6, 7].includes(value) ? [] : [`${at}: must be 1 to 7`]

export const owned: Fields = { country_code: [countryCode, "1"], party_id: [partyId, "1"] }

export const displayText = object({ language: [language, "1"], text: [text(512), "1"] })
export const price = object({ excl_vat: [decimal, "1"], incl_vat: [decimal, "?"] })

export const image = object({
  url: [url, "1"],
  thumbnail: [url, "?"],
  category: [oneOf("CHARGER", "ENTRANCE", "LOCATION", "NETWORK", "OPERATOR", "OTHER", "OWNER"), "1"],
  type: [ci(4), "1"],
  width: [digits(5), "?"],
  height: [digits(5), "?"]
})

export const businessDetails = object({ name: [text(100), "1"], website: [url, "?"], logo: [image, "?"] })

const latitude = matching(/^-?\d{1,2}\.\d{5,7}$/, "a latitude of five to seven decimals")
const longitude = matching(/^-?\d{1,3}\.\d{5,7}$/, "a longitude of five to seven decimals")
export const geoLocation = object({ latitude: [latitude, "1"], longitude: [longitude, "1"] })
export const additionalGeoLocation = object({
  latitude: [latitude, "1"],
  longitude: [longitude, "1"],
  name: [displayText, "?"]
})

const regularHours = object({ weekday: [weekday, "1"], period_begin: [hour, "1"], period_end: [hour, "1"] })
const exceptionalPeriod = object({ period_begin: [time, "1"], period_end: [time, "1"] })

/** Regular hours are present, with at least one entry, unless `twentyfourseven` is true. */
export const hours = object(
  {
    twentyfourseven: [bool, "1"],
    regular_hours: [regularHours, "*"],
    exceptional_openings: [exceptionalPeriod, "*"],
    exceptional_closings: [exceptionalPeriod, "*"]
  },
  (value, at) => {
    const regular = get(value, "regular_hours")
    const hasRegular = Array.isArray(regular) && regular.length > 0
    return hasRegular === (get(value, "twentyfourseven") === true)
      ? [`${at}: must have either regular_hours or twentyfourseven`]
      : []
  }
)

export const energyMix = object({
  is_green_energy: [bool, "1"],
  energy_sources: [
    object({
      source: [oneOf("NUCLEAR", "GENERAL_FOSSIL", "COAL", "GAS", "GENERAL_GREEN", "SOLAR", "WIND", "WATER"), "1"],
      percentage: [decimal, "1"]
    }),
    "*"
  ],
  environ_impact: [object({ category: [oneOf("NUCLEAR_WASTE", "CARBON_DIOXIDE"), "1"], amount: [decimal, "1"] }), "*"],
  supplier_name: [text(64), "?"],
  energy_product_name: [text(64), "?"]
})
