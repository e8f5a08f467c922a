/** The tables of OCPI 2.2's objects, for what a CPO sends. 2.2.1 replaces what it changed (`v221.ts`). */
import {
  bool,
  ci,
  type Check,
  decimal,
  type Fields,
  get,
  int,
  listOf,
  object,
  oneOf,
  partOf,
  type Schemas,
  tenths,
  text,
  time22 as time,
  url
} from "./Shape.ts"
import { connectorTypes211 } from "./v211.ts"
import {
  token,
  country,
  currency,
  language,
  hour,
  day,
  owned,
  displayText,
  price,
  image,
  businessDetails,
  geoLocation,
  additionalGeoLocation,
  hours,
  energyMix
} from "./v22Parts.ts"

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

export const capabilities22 = [
  "CHARGING_PROFILE_CAPABLE",
  "CHARGING_PREFERENCES_CAPABLE",
  "CHIP_CARD_SUPPORT",
  "CONTACTLESS_CARD_SUPPORT",
  "CREDIT_CARD_PAYABLE",
  "DEBIT_CARD_PAYABLE",
  "PED_TERMINAL",
  "REMOTE_START_STOP_CAPABLE",
  "RESERVABLE",
  "RFID_READER",
  "TOKEN_GROUP_CAPABLE",
  "UNLOCK_CAPABLE"
]
export const connectorTypes22 = [...connectorTypes211, "PANTOGRAPH_BOTTOM_UP", "PANTOGRAPH_TOP_DOWN"]
export const powerTypes22 = ["AC_1_PHASE", "AC_3_PHASE", "DC"]

export const connector22: Fields = {
  id: [ci(36), "1"],
  standard: [oneOf(...connectorTypes22), "1"],
  format: [oneOf("SOCKET", "CABLE"), "1"],
  power_type: [oneOf(...powerTypes22), "1"],
  max_voltage: [int, "1"],
  max_amperage: [int, "1"],
  max_electric_power: [int, "?"],
  tariff_ids: [ci(36), "*"],
  terms_and_conditions: [url, "?"],
  last_updated: [time, "1"]
}

export const evse22: Fields = {
  uid: [ci(36), "1"],
  evse_id: [ci(48), "?"],
  status: [status, "1"],
  status_schedule: [statusSchedule, "*"],
  capabilities: [oneOf(...capabilities22), "*"],
  connectors: [object(connector22), "+"],
  floor_level: [text(4), "?"],
  coordinates: [geoLocation, "?"],
  physical_reference: [text(16), "?"],
  directions: [displayText, "*"],
  parking_restrictions: [oneOf("EV_ONLY", "PLUGGED", "DISABLED", "CUSTOMERS", "MOTORCYCLES"), "*"],
  images: [image, "*"],
  last_updated: [time, "1"]
}

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
  "BIKE_SHARING",
  "BUS_STOP",
  "TAXI_STAND",
  "TRAM_STOP",
  "METRO_STATION",
  "TRAIN_STATION",
  "AIRPORT",
  "PARKING_LOT",
  "CARPOOL_PARKING",
  "FUEL_STATION",
  "WIFI"
)

const tokenType = oneOf("AD_HOC_USER", "APP_USER", "OTHER", "RFID")

/** A token is named by one of three fields. A uid needs a type, and a visual number needs an issuer (2.2.1 §8.4.20). */
const publishTokenType = object(
  {
    uid: [ci(36), "?"],
    type: [tokenType, "?"],
    visual_number: [text(64), "?"],
    issuer: [text(64), "?"],
    group_id: [ci(36), "?"]
  },
  (value, at) => {
    const has = (name: string) => typeof get(value, name) === "string"
    const names = has("uid") || has("visual_number") || has("group_id")
    const paired = (!has("uid") || has("type")) && (!has("visual_number") || has("issuer"))
    return names && paired ? [] : [`${at}: must name a token, with its type or issuer`]
  }
)

/** `publish_allowed_to` is allowed only if the location is not public. */
export const publication: Check = (value, at) => {
  const allowed = get(value, "publish_allowed_to")
  return get(value, "publish") === true && Array.isArray(allowed) && allowed.length > 0
    ? [`${at}.publish_allowed_to: is there though everybody may see it`]
    : []
}

export const location22: Fields = {
  ...owned,
  id: [ci(36), "1"],
  publish: [bool, "1"],
  publish_allowed_to: [publishTokenType, "*"],
  name: [text(255), "?"],
  address: [text(45), "1"],
  city: [text(45), "1"],
  postal_code: [text(10), "?"],
  state: [text(20), "?"],
  country: [country, "1"],
  coordinates: [geoLocation, "1"],
  related_locations: [additionalGeoLocation, "*"],
  parking_type: [
    oneOf("ALONG_MOTORWAY", "PARKING_GARAGE", "PARKING_LOT", "ON_DRIVEWAY", "ON_STREET", "UNDERGROUND_GARAGE"),
    "?"
  ],
  evses: [object(evse22), "*"],
  directions: [displayText, "*"],
  operator: [businessDetails, "?"],
  suboperator: [businessDetails, "?"],
  owner: [businessDetails, "?"],
  facilities: [facility, "*"],
  time_zone: [text(255), "1"],
  opening_times: [hours, "?"],
  charging_when_closed: [bool, "?"],
  images: [image, "*"],
  energy_mix: [energyMix, "?"],
  last_updated: [time, "1"]
}

const priceComponent = object({
  type: [oneOf("ENERGY", "FLAT", "PARKING_TIME", "TIME"), "1"],
  price: [decimal, "1"],
  vat: [decimal, "?"],
  step_size: [int, "1"]
})

const restrictions = object({
  start_time: [hour, "?"],
  end_time: [hour, "?"],
  start_date: [day, "?"],
  end_date: [day, "?"],
  min_kwh: [decimal, "?"],
  max_kwh: [decimal, "?"],
  min_current: [decimal, "?"],
  max_current: [decimal, "?"],
  min_power: [decimal, "?"],
  max_power: [decimal, "?"],
  min_duration: [int, "?"],
  max_duration: [int, "?"],
  day_of_week: [oneOf("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"), "*"],
  reservation: [oneOf("RESERVATION", "RESERVATION_EXPIRES"), "?"]
})

export const tariff22: Check = object({
  ...owned,
  id: [ci(36), "1"],
  currency: [currency, "1"],
  type: [oneOf("AD_HOC_PAYMENT", "PROFILE_CHEAP", "PROFILE_FAST", "PROFILE_GREEN", "REGULAR"), "?"],
  tariff_alt_text: [displayText, "*"],
  tariff_alt_url: [url, "?"],
  min_price: [price, "?"],
  max_price: [price, "?"],
  elements: [object({ price_components: [priceComponent, "+"], restrictions: [restrictions, "?"] }), "+"],
  start_date_time: [time, "?"],
  end_date_time: [time, "?"],
  energy_mix: [energyMix, "?"],
  last_updated: [time, "1"]
})

const authMethod = oneOf("AUTH_REQUEST", "COMMAND", "WHITELIST")

const dimensionType = oneOf(
  "CURRENT",
  "ENERGY",
  "ENERGY_EXPORT",
  "ENERGY_IMPORT",
  "MAX_CURRENT",
  "MIN_CURRENT",
  "MAX_POWER",
  "MIN_POWER",
  "PARKING_TIME",
  "POWER",
  "RESERVATION_TIME",
  "STATE_OF_CHARGE",
  "TIME"
)
const cdrDimensionType = oneOf(
  "ENERGY",
  "MAX_CURRENT",
  "MIN_CURRENT",
  "MAX_POWER",
  "MIN_POWER",
  "PARKING_TIME",
  "RESERVATION_TIME",
  "TIME"
)

const chargingPeriod = (type: Check) =>
  object({
    start_date_time: [time, "1"],
    dimensions: [object({ type: [type, "1"], volume: [decimal, "1"] }), "+"],
    tariff_id: [ci(36), "?"]
  })

export const cdrToken22: Fields = {
  uid: [ci(36), "1"],
  type: [tokenType, "1"],
  contract_id: [ci(36), "1"]
}

export const session22: Fields = {
  ...owned,
  id: [ci(36), "1"],
  start_date_time: [time, "1"],
  end_date_time: [time, "?"],
  kwh: [decimal, "1"],
  cdr_token: [object(cdrToken22), "1"],
  auth_method: [authMethod, "1"],
  authorization_reference: [ci(36), "?"],
  location_id: [ci(36), "1"],
  evse_uid: [ci(36), "1"],
  connector_id: [ci(36), "1"],
  meter_id: [text(255), "?"],
  currency: [currency, "1"],
  charging_periods: [chargingPeriod(dimensionType), "*"],
  total_cost: [price, "?"],
  status: [oneOf("ACTIVE", "COMPLETED", "INVALID", "PENDING", "RESERVATION"), "1"],
  last_updated: [time, "1"]
}

export const cdrLocation22: Fields = {
  id: [ci(36), "1"],
  name: [text(255), "?"],
  address: [text(45), "1"],
  city: [text(45), "1"],
  postal_code: [text(10), "1"],
  country: [country, "1"],
  coordinates: [geoLocation, "1"],
  evse_uid: [ci(36), "1"],
  evse_id: [ci(48), "1"],
  connector_id: [ci(36), "1"],
  connector_standard: [oneOf(...connectorTypes22), "1"],
  connector_format: [oneOf("SOCKET", "CABLE"), "1"],
  connector_power_type: [oneOf(...powerTypes22), "1"]
}

export const signedData = (data: Check, key: Check): Check =>
  object({
    encoding_method: [ci(36), "1"],
    encoding_method_version: [int, "?"],
    public_key: [key, "?"],
    signed_values: [object({ nature: [ci(32), "1"], plain_data: [data, "1"], signed_data: [data, "1"] }), "+"],
    url: [key, "?"]
  })

export const cdr22: Fields = {
  ...owned,
  id: [ci(39), "1"],
  start_date_time: [time, "1"],
  end_date_time: [time, "1"],
  session_id: [ci(36), "?"],
  cdr_token: [object(cdrToken22), "1"],
  auth_method: [authMethod, "1"],
  authorization_reference: [ci(36), "?"],
  cdr_location: [object(cdrLocation22), "1"],
  meter_id: [text(255), "?"],
  currency: [currency, "1"],
  tariffs: [tariff22, "*"],
  charging_periods: [chargingPeriod(cdrDimensionType), "+"],
  signed_data: [signedData(ci(512), ci(512)), "?"],
  total_cost: [price, "1"],
  total_fixed_cost: [price, "?"],
  total_energy: [decimal, "1"],
  total_energy_cost: [price, "?"],
  total_time: [decimal, "1"],
  total_time_cost: [price, "?"],
  total_parking_time: [decimal, "?"],
  total_parking_cost: [price, "?"],
  total_reservation_cost: [price, "?"],
  remark: [text(255), "?"],
  invoice_reference_id: [ci(39), "?"],
  credit: [bool, "?"],
  credit_reference_id: [ci(39), "?"],
  last_updated: [time, "1"]
}

/** A credit record has a reference to the credited one. Other records have none. */
export const creditNames: Check = (value, at) =>
  (get(value, "credit") === true) === (typeof get(value, "credit_reference_id") === "string")
    ? []
    : [`${at}: must have credit_reference_id where it is a credit, and there only`]

const role = oneOf("CPO", "EMSP", "HUB", "NAP", "NSP", "OTHER", "SCSP")

const chargingProfile = object({
  start_date_time: [time, "?"],
  duration: [int, "?"],
  charging_rate_unit: [oneOf("W", "A"), "1"],
  min_charging_rate: [tenths, "?"],
  charging_profile_period: [object({ start_period: [int, "1"], limit: [tenths, "1"] }), "*"]
})
const activeChargingProfile = object({ start_date_time: [time, "1"], charging_profile: [chargingProfile, "1"] })
const profileResult = oneOf("ACCEPTED", "REJECTED", "UNKNOWN")

export const versionDetails = (version: string): Check =>
  object({
    version: [oneOf(version), "1"],
    endpoints: [
      object({
        identifier: [
          oneOf(
            "cdrs",
            "chargingprofiles",
            "commands",
            "credentials",
            "hubclientinfo",
            "locations",
            "sessions",
            "tariffs",
            "tokens"
          ),
          "1"
        ],
        role: [oneOf("SENDER", "RECEIVER"), "1"],
        url: [url, "1"]
      }),
      "+"
    ]
  })

/** A PATCH has both the changed fields and the time of the change. */
const patch = (fields: Fields): Check => partOf(fields, "last_updated")

export const v22: Schemas = {
  Versions: listOf(object({ version: [text(10), "1"], url: [url, "1"] }), 1),
  VersionDetails: versionDetails("2.2"),
  Credentials: object({
    token: [token, "1"],
    url: [url, "1"],
    roles: [object({ role: [role, "1"], business_details: [businessDetails, "1"], ...owned }), "+"]
  }),
  Location: object(location22, publication),
  EVSE: object(evse22),
  Connector: object(connector22),
  Tariff: tariff22,
  Session: object(session22),
  CDR: object(cdr22, creditNames),
  Token: object({
    ...owned,
    uid: [ci(36), "1"],
    type: [tokenType, "1"],
    contract_id: [ci(36), "1"],
    visual_number: [text(64), "?"],
    issuer: [text(64), "1"],
    group_id: [ci(36), "?"],
    valid: [bool, "1"],
    whitelist: [oneOf("ALWAYS", "ALLOWED", "ALLOWED_OFFLINE", "NEVER"), "1"],
    language: [language, "?"],
    default_profile_type: [oneOf("CHEAP", "FAST", "GREEN", "REGULAR"), "?"],
    energy_contract: [object({ supplier_name: [text(64), "1"], contract_id: [text(64), "?"] }), "?"],
    last_updated: [time, "1"]
  }),
  LocationReferences: object({ location_id: [ci(36), "1"], evse_uids: [ci(36), "*"] }),
  CommandResponse: object({
    result: [oneOf("NOT_SUPPORTED", "REJECTED", "ACCEPTED", "UNKNOWN_SESSION"), "1"],
    timeout: [int, "1"],
    message: [displayText, "*"]
  }),
  CommandResult: object({
    result: [
      oneOf(
        "ACCEPTED",
        "CANCELED_RESERVATION",
        "EVSE_OCCUPIED",
        "EVSE_INOPERATIVE",
        "FAILED",
        "NOT_SUPPORTED",
        "REJECTED",
        "TIMEOUT",
        "UNKNOWN_RESERVATION"
      ),
      "1"
    ],
    message: [displayText, "*"]
  }),
  ChargingProfileResponse: object({
    result: [oneOf("ACCEPTED", "NOT_SUPPORTED", "REJECTED", "TOO_OFTEN", "UNKNOWN_SESSION"), "1"],
    timeout: [int, "1"]
  }),
  ChargingProfileResult: object({ result: [profileResult, "1"] }),
  ClearProfileResult: object({ result: [profileResult, "1"] }),
  ActiveChargingProfileResult: object({ result: [profileResult, "1"], profile: [activeChargingProfile, "?"] }),
  ActiveChargingProfile: activeChargingProfile,
  ChargingPreferencesResponse: oneOf(
    "ACCEPTED",
    "DEPARTURE_REQUIRED",
    "ENERGY_NEED_REQUIRED",
    "NOT_POSSIBLE",
    "PROFILE_TYPE_NOT_SUPPORTED"
  ),
  ClientInfo: object({
    ...owned,
    role: [role, "1"],
    status: [oneOf("CONNECTED", "OFFLINE", "PLANNED", "SUSPENDED"), "1"],
    last_updated: [time, "1"]
  }),
  patches: {
    Location: patch(location22),
    EVSE: patch(evse22),
    Connector: patch(connector22),
    Session: patch(session22)
  }
}
