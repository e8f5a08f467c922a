/** Objects of our own that fit the tables of their version, from which the tests of the tables start. */
import type { Version } from "./Schemas.ts"

type Json = Readonly<Record<string, unknown>>

const at = "2026-11-20T08:30:00Z"
const coordinates = { latitude: "53.219383", longitude: "6.566502" }
const owned = { country_code: "NL", party_id: "VLT" }

const connector211 = {
  id: "1",
  standard: "IEC_62196_T2",
  format: "SOCKET",
  power_type: "AC_3_PHASE",
  voltage: 230,
  amperage: 16,
  tariff_id: "T-1",
  last_updated: at
}
const connector22 = {
  id: "1",
  standard: "IEC_62196_T2",
  format: "SOCKET",
  power_type: "AC_3_PHASE",
  max_voltage: 230,
  max_amperage: 16,
  tariff_ids: ["T-1"],
  last_updated: at
}
const evse = (connector: Json) => ({
  uid: "0f6ea4c2-7d0f-4b43-8b43-a0d6e3a5f001",
  evse_id: "NL*VLT*E1",
  status: "AVAILABLE",
  capabilities: ["RFID_READER", "REMOTE_START_STOP_CAPABLE"],
  connectors: [connector],
  last_updated: at
})
const place = {
  id: "L-1",
  name: "Harbour",
  address: "Quay 1",
  city: "Groningen",
  postal_code: "9711AA",
  country: "NLD",
  coordinates,
  time_zone: "Europe/Amsterdam",
  last_updated: at
}
const location211 = { ...place, type: "UNKNOWN", evses: [evse(connector211)] }
const location22 = { ...place, ...owned, publish: true, evses: [evse(connector22)] }

const period = { start_date_time: at, dimensions: [{ type: "ENERGY", volume: 1.5 }] }
const tariff = {
  id: "T-1",
  currency: "EUR",
  elements: [{ price_components: [{ type: "ENERGY", price: 0.25, step_size: 1 }] }],
  last_updated: at
}
const used22 = { location_id: "L-1", evse_uid: "E-1", connector_id: "1" }
const cdrToken = (version: Version) => ({
  ...(version === "2.2.1" ? { country_code: "DE", party_id: "ABC" } : {}),
  uid: "CARD",
  type: "RFID",
  contract_id: "DEABCC1"
})
const total = { excl_vat: 1, incl_vat: 1.21 }

const session = (version: Version): Json =>
  version === "2.1.1"
    ? {
        id: "S-1",
        start_datetime: at,
        kwh: 1.5,
        auth_id: "DEABCC1",
        auth_method: "WHITELIST",
        location: location211,
        currency: "EUR",
        charging_periods: [period],
        total_cost: 1,
        status: "ACTIVE",
        last_updated: at
      }
    : {
        ...owned,
        id: "S-1",
        start_date_time: at,
        kwh: 1.5,
        cdr_token: cdrToken(version),
        auth_method: "COMMAND",
        ...used22,
        currency: "EUR",
        charging_periods: [period],
        total_cost: total,
        status: "ACTIVE",
        last_updated: at
      }

const cdr = (version: Version): Json => {
  const both = {
    id: "C-1",
    start_date_time: at,
    auth_method: "WHITELIST",
    currency: "EUR",
    charging_periods: [period],
    total_energy: 1.5,
    total_time: 0.25,
    last_updated: at
  }
  if (version === "2.1.1") {
    return { ...both, stop_date_time: at, auth_id: "DEABCC1", location: location211, tariffs: [tariff], total_cost: 1 }
  }
  return {
    ...both,
    ...owned,
    end_date_time: at,
    session_id: "S-1",
    cdr_token: cdrToken(version),
    cdr_location: {
      id: "L-1",
      address: "Quay 1",
      city: "Groningen",
      postal_code: "9711AA",
      country: "NLD",
      coordinates,
      evse_uid: "E-1",
      evse_id: "NL*VLT*E1",
      connector_id: "1",
      connector_standard: "IEC_62196_T2",
      connector_format: "SOCKET",
      connector_power_type: "AC_3_PHASE"
    },
    tariffs: [{ ...owned, ...tariff }],
    total_cost: total
  }
}

export const samples = (version: Version): Readonly<Record<"CDR" | "Location" | "Session" | "Tariff", Json>> => ({
  CDR: cdr(version),
  Location: version === "2.1.1" ? location211 : location22,
  Session: session(version),
  Tariff: version === "2.1.1" ? tariff : { ...owned, ...tariff }
})
