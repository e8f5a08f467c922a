/** Descriptions of what both REST v1 and REST v2 answer: the charger's status under product.md's names, and the statistics. */
import type { Descriptions } from "./Descriptions.ts"

export const chargerStatusDescriptions: Descriptions["properties"] = {
  chargerName: ["The operators' name for the charger", "P1 left"],
  manufacturer: ["Maker, as reported at the last boot; empty before the first boot", "Aurora"],
  chargerModel: ["Model, as reported at the last boot; empty before the first boot", "X22"],
  "Charger.firmwareVersion": ["Firmware version, as reported at the last boot; empty before the first boot", "3.2.1"],
  "ChargerWithPassword.firmwareVersion": [
    "Firmware version, as reported at the last boot; empty before the first boot",
    "3.2.1"
  ],
  "ChargerStatus.firmwareVersion": [
    "Firmware version, as reported at the last boot; empty before the first boot",
    "3.2.1"
  ],
  "Charger.serialNumber": ["Serial number, as reported at the last boot; empty before the first boot", "VX22-004711"],
  "ChargerWithPassword.serialNumber": [
    "Serial number, as reported at the last boot; empty before the first boot",
    "VX22-004711"
  ],
  "ChargerStatus.serialNumber": [
    "Serial number, as reported at the last boot; empty before the first boot",
    "VX22-004711"
  ],
  amountOfSockets: ["Connectors that the charger has reported so far", 2],
  lastSeen: ["When `lastMessage` was received; null before the first"],
  lastMessage: [
    "The last raw OCPP message received from the charger, at most 64 KiB; empty before the first",
    '[2,"c1f4a2","Heartbeat",{}]'
  ],
  activeConnection: ["Whether it is connected now", true],
  locationInfo: ["The address of its site; unknown fields are empty"],
  pushIntegrationEnabled: ["Whether an active webhook covers its site"],
  chargerSpecificMessageStructure: ["Always false: every charger uses plain OCPP"],
  chargerConfigurations: ["The configuration keys that it reported"],
  configName: ["Name of the configuration key", "HeartbeatInterval"],
  configValue: ["The reported value; empty if the charger reported none", "300"],
  canBeChanged: ["Whether the value can be changed"],
  sockets: ["Its connectors"],
  "Socket.type": ["OCPI's ConnectorType; IEC_62196_T2 until the operator has set it", "IEC_62196_T2"],
  "Socket.maxPower": ["Watts, as text", "22080"],
  "Socket.status": ["OCPP 1.6's ChargePointStatus", "Available"],
  "Socket.id": ["The connector's number, counted over the whole charger", 1],

  // The address of the charger's site.
  "LocationInfo.latitude": ["Degrees north of the equator, WGS 84; null if unknown", 52.0894],
  "LocationInfo.longitude": ["Degrees east of Greenwich, WGS 84; null if unknown", 5.1101],
  "LocationInfo.streetAddress": ["Street without the number; empty if unknown", "Stationsplein"],
  "LocationInfo.streetNumber": ["House number without letters; empty if unknown", "14"],
  "LocationInfo.houseLetter": ["Addition to the house number; empty if there is none", "B"],
  "LocationInfo.postalNumber": ["Postal code as written in its country; empty if unknown", "3511 ED"],
  "LocationInfo.city": ["City or town; empty if unknown", "Utrecht"],
  "LocationInfo.area": ["Region, state or province; empty if unknown", "Utrecht"],
  "LocationInfo.country": ["ISO 3166-1 alpha-3; empty if unknown", "NLD"],

  // Statistics.
  "Statistics.chargers": ["Chargers of the organisation", 24],
  connected: ["Chargers that are connected now", 23],
  "Statistics.connectors": ["Connectors by reported status"],
  available: [
    "Connectors last reported as available, whether or not their charger is connected now; `GET /charger-rows/counts` counts only connected chargers",
    30
  ],
  occupied: ["Connectors with a vehicle or a reservation", 14],
  faulted: ["Connectors that report a fault", 1],
  unavailable: ["Connectors that cannot be used for another reason", 3],
  activeSessions: ["Sessions that are running now", 12],
  energyWhToday: [
    "Wh since midnight in the organisation's time zone, after corrections, without held sessions",
    412300
  ],
  energyWhTotal: ["Wh of all sessions, after corrections, without held sessions", 98112300],
  sessionsToday: ["Sessions that started since midnight, without held sessions", 31]
}
