/** The tables of OCPI 2.1.1's objects, for what a CPO sends. */
import {
  bool,
  ci,
  type Check,
  decimal,
  digits,
  type Fields,
  get,
  id,
  int,
  listOf,
  matching,
  object,
  oneOf,
  partOf,
  type Schemas,
  text,
  time211 as time,
  url
} from "./Shape.ts"

const token: Check = matching(/^[\u0021-\u007e]{1,64}$/, "a token of 1 to 64 printable characters")
const country = matching(/^[A-Z]{3}$/, "an ISO 3166-1 alpha-3 code")
const countryCode = matching(/^[A-Z]{2}$/, "an ISO 3166-1 alpha-2 code")
const partyId = matching(/^[A-Z0-9]{3}$/, "three letters or digits")
const currency = matching(/^[A-Z]{3}$/, "an ISO 4217 code")
const language = matching(/^[a-z]{2}$/, "an ISO 639-1 code")
const hour = matching(/^([01]\d|2[0-3]):[0-5]\d$/, "a time as HH:MM")
const day = matching(/^\d{4}-\d{2}-\d{2}$/, "a day as YYYY-MM-DD")

const displayText = object({ language: [language, "1"], text: [text(512), "1"] })

const image = object({
  url: [url, "1"],
  thumbnail: [url, "?"],
  category: [oneOf("CHARGER", "ENTRANCE", "LOCATION", "NETWORK", "OPERATOR", "OTHER", "OWNER"), "1"],
  type: [text(4), "1"],
  width: [digits(5), "?"],
  height: [digits(5), "?"]
})

const businessDetails = object({ name: [text(100), "1"], website: [url, "?"], logo: [image, "?"] })

const latitude = matching(/^-?\d{1,2}\.\d{6}$/, "a latitude of six decimals")
const longitude = matching(/^-?\d{1,3}\.\d{6}$/, "a longitude of six decimals")
const geoLocation = object({ latitude: [latitude, "1"], longitude: [longitude, "1"] })
const additionalGeoLocation = object({
  latitude: [latitude, "1"],
  longitude: [longitude, "1"],
  name: [displayText, "?"]
})

const status = oneOf(
  "AVAILABLE",
  "BLOCKED",
  "CHARGING",
  "INOPERATIVE",
  "OUTOFORDER",
  "PLANNED",
  "REMOVED",
  "RESERVED",
  "UNKNOWN"
)
const statusSchedule = object({ period_begin: [time, "1"], period_end: [time, "?"], status: [status, "1"] })

const capability = oneOf(
  "CHARGING_PROFILE_CAPABLE",
  "CREDIT_CARD_PAYABLE",
  "REMOTE_START_STOP_CAPABLE",
  "RESERVABLE",
  "RFID_READER",
  "UNLOCK_CAPABLE"
)

export const connectorTypes211 = [
  "CHADEMO",
  ...[..."ABCDEFGHIJKL"].map((letter) => `DOMESTIC_${letter}`),
  "IEC_60309_2_single_16",
  "IEC_60309_2_three_16",
  "IEC_60309_2_three_32",
  "IEC_60309_2_three_64",
  "IEC_62196_T1",
  "IEC_62196_T1_COMBO",
  "IEC_62196_T2",
  "IEC_62196_T2_COMBO",
  "IEC_62196_T3A",
  "IEC_62196_T3C",
  "TESLA_R",
  "TESLA_S"
]

const connector: Fields = {
  id: [id(36), "1"],
  standard: [oneOf(...connectorTypes211), "1"],
  format: [oneOf("SOCKET", "CABLE"), "1"],
  power_type: [oneOf("AC_1_PHASE", "AC_3_PHASE", "DC"), "1"],
  voltage: [int, "1"],
  amperage: [int, "1"],
  tariff_id: [id(36), "?"],
  terms_and_conditions: [url, "?"],
  last_updated: [time, "1"]
}
const Connector = object(connector)

const evse: Fields = {
  uid: [id(39), "1"],
  evse_id: [text(48), "?"],
  status: [status, "1"],
  status_schedule: [statusSchedule, "*"],
  capabilities: [capability, "*"],
  connectors: [Connector, "+"],
  floor_level: [text(4), "?"],
  coordinates: [geoLocation, "?"],
  physical_reference: [text(16), "?"],
  directions: [displayText, "*"],
  parking_restrictions: [oneOf("EV_ONLY", "PLUGGED", "DISABLED", "CUSTOMERS", "MOTORCYCLES"), "*"],
  images: [image, "*"],
  last_updated: [time, "1"]
}
const EVSE = object(evse)

const weekday: Check = (value, at) =>
  [1, 2, 3, 4, 5, 6, 7].includes(Number(value)) && typeof value === "number" ? [] : [`${at}: must be 1 to 7`]
const regularHours = object({
  weekday: [weekday, "1"],
  period_begin: [hour, "1"],
  period_end: [hour, "1"]
})
const exceptionalPeriod = object({ period_begin: [time, "1"], period_end: [time, "1"] })

/** Either regular hours or `twentyfourseven`. */
const hours = object(
  {
    regular_hours: [regularHours, "*"],
    twentyfourseven: [bool, "?"],
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

const energyMix = object({
  is_green_energy: [bool, "1"],
  energy_sources: [
    object({
      source: [oneOf("NUCLEAR", "GENERAL_FOSSIL", "COAL", "GAS", "GENERAL_GREEN", "SOLAR", "WIND", "WATER"), "1"],
      percentage: [decimal, "1"]
    }),
    "*"
  ],
  environ_impact: [object({ source: [oneOf("NUCLEAR_WASTE", "CARBON_DIOXIDE"), "1"], amount: [decimal, "1"] }), "*"],
  supplier_name: [text(64), "?"],
  energy_product_name: [text(64), "?"]
})

const facility = oneOf(
  "HOTEL",
  "RESTAURANT",
  "CAFE",
  "MALL",
  "SUPERMARKET",
  "SPORT",
  "RECREATION_AREA",
  "NATURE",
  "MUSEUM",
  "BUS_STOP",
  "TAXI_STAND",
  "TRAIN_STATION",
  "AIRPORT",
  "CARPOOL_PARKING",
  "FUEL_STATION",
  "WIFI"
)

const location: Fields = {
  id: [id(39), "1"],
  type: [oneOf("ON_STREET", "PARKING_GARAGE", "UNDERGROUND_GARAGE", "PARKING_LOT", "OTHER", "UNKNOWN"), "1"],
  name: [text(255), "?"],
  address: [text(45), "1"],
  city: [text(45), "1"],
  postal_code: [text(10), "1"],
  country: [country, "1"],
  coordinates: [geoLocation, "1"],
  related_locations: [additionalGeoLocation, "*"],
  evses: [EVSE, "*"],
  directions: [displayText, "*"],
  operator: [businessDetails, "?"],
  suboperator: [businessDetails, "?"],
  owner: [businessDetails, "?"],
  facilities: [facility, "*"],
  time_zone: [text(255), "?"],
  opening_times: [hours, "?"],
  charging_when_closed: [bool, "?"],
  images: [image, "*"],
  energy_mix: [energyMix, "?"],
  last_updated: [time, "1"]
}
const Location = object(location)

const priceComponent = object({
  type: [oneOf("ENERGY", "FLAT", "PARKING_TIME", "TIME"), "1"],
  price: [decimal, "1"],
  step_size: [int, "1"]
})

const restrictions = object({
  start_time: [hour, "?"],
  end_time: [hour, "?"],
  start_date: [day, "?"],
  end_date: [day, "?"],
  min_kwh: [decimal, "?"],
  max_kwh: [decimal, "?"],
  min_power: [decimal, "?"],
  max_power: [decimal, "?"],
  min_duration: [int, "?"],
  max_duration: [int, "?"],
  day_of_week: [oneOf("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"), "*"]
})

const Tariff = object({
  id: [id(36), "1"],
  currency: [currency, "1"],
  tariff_alt_text: [displayText, "*"],
  tariff_alt_url: [url, "?"],
  elements: [object({ price_components: [priceComponent, "+"], restrictions: [restrictions, "?"] }), "+"],
  energy_mix: [energyMix, "?"],
  last_updated: [time, "1"]
})

const authMethod = oneOf("AUTH_REQUEST", "WHITELIST")

const chargingPeriod = object({
  start_date_time: [time, "1"],
  dimensions: [
    object({
      type: [oneOf("ENERGY", "FLAT", "MAX_CURRENT", "MIN_CURRENT", "PARKING_TIME", "TIME"), "1"],
      volume: [decimal, "1"]
    }),
    "+"
  ]
})

/** A session and a CDR have the EVSE and the connector that were used, and no others. */
const usedOnly: Check = (value, at) => {
  const evses = get(value, "evses")
  if (!Array.isArray(evses) || evses.length !== 1) return [`${at}.evses: must be the one that was used`]
  const connectors = get(evses[0], "connectors")
  return Array.isArray(connectors) && connectors.length === 1
    ? []
    : [`${at}.evses[0].connectors: must be the one that was used`]
}
const usedLocation = object(location, usedOnly)

const session: Fields = {
  id: [id(36), "1"],
  start_datetime: [time, "1"],
  end_datetime: [time, "?"],
  kwh: [decimal, "1"],
  auth_id: [id(36), "1"],
  auth_method: [authMethod, "1"],
  location: [usedLocation, "1"],
  meter_id: [text(255), "?"],
  currency: [currency, "1"],
  charging_periods: [chargingPeriod, "*"],
  total_cost: [decimal, "?"],
  status: [oneOf("ACTIVE", "COMPLETED", "INVALID", "PENDING"), "1"],
  last_updated: [time, "1"]
}

const CDR = object({
  id: [ci(36), "1"],
  start_date_time: [time, "1"],
  stop_date_time: [time, "1"],
  auth_id: [id(36), "1"],
  auth_method: [authMethod, "1"],
  location: [usedLocation, "1"],
  meter_id: [text(255), "?"],
  currency: [currency, "1"],
  tariffs: [Tariff, "*"],
  charging_periods: [chargingPeriod, "+"],
  total_cost: [decimal, "1"],
  total_energy: [decimal, "1"],
  total_time: [decimal, "1"],
  total_parking_time: [decimal, "?"],
  remark: [text(255), "?"],
  last_updated: [time, "1"]
})

const commandResponse = object({
  result: [oneOf("NOT_SUPPORTED", "REJECTED", "ACCEPTED", "TIMEOUT", "UNKNOWN_SESSION"), "1"]
})

export const v211: Schemas = {
  Versions: listOf(object({ version: [text(10), "1"], url: [url, "1"] }), 1),
  VersionDetails: object({
    version: [oneOf("2.1.1"), "1"],
    endpoints: [
      object({
        identifier: [oneOf("cdrs", "commands", "credentials", "locations", "sessions", "tariffs", "tokens"), "1"],
        url: [url, "1"]
      }),
      "+"
    ]
  }),
  Credentials: object({
    token: [token, "1"],
    url: [url, "1"],
    business_details: [businessDetails, "1"],
    party_id: [partyId, "1"],
    country_code: [countryCode, "1"]
  }),
  Location,
  EVSE,
  Connector,
  Tariff,
  Session: object(session),
  CDR,
  Token: object({
    uid: [id(36), "1"],
    type: [oneOf("OTHER", "RFID"), "1"],
    auth_id: [id(36), "1"],
    visual_number: [text(64), "?"],
    issuer: [text(64), "1"],
    valid: [bool, "1"],
    whitelist: [oneOf("ALWAYS", "ALLOWED", "ALLOWED_OFFLINE", "NEVER"), "1"],
    language: [language, "?"],
    last_updated: [time, "1"]
  }),
  LocationReferences: object({
    location_id: [id(39), "1"],
    evse_uids: [id(39), "*"],
    connector_ids: [id(36), "*"]
  }),
  CommandResponse: commandResponse,
  CommandResult: commandResponse,
  patches: {
    Location: partOf(location),
    EVSE: partOf(evse),
    Connector: partOf(connector),
    Session: partOf(session)
  }
}
