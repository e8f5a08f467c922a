/** Descriptions of what both REST v1 and REST v2 answer: the charger's status under product.md's names, and the statistics. */
import type { Descriptions } from "./Descriptions.ts"

export const chargerStatusDescriptions: Descriptions["properties"] = {
  chargerName: ["What operators call the charger", "P1 left"],
  manufacturer: ["Maker as its last boot reported it; empty before the first", "Aurora"],
  chargerModel: ["Model as its last boot reported it; empty before the first", "X22"],
  "Charger.firmwareVersion": ["Firmware version as its last boot reported it; empty before the first", "3.2.1"],
  "ChargerWithPassword.firmwareVersion": [
    "Firmware version as its last boot reported it; empty before the first",
    "3.2.1"
  ],
  "ChargerStatus.firmwareVersion": ["Firmware version as its last boot reported it; empty before the first", "3.2.1"],
  "Charger.serialNumber": ["Serial number as its last boot reported it; empty before the first", "VX22-004711"],
  "ChargerWithPassword.serialNumber": [
    "Serial number as its last boot reported it; empty before the first",
    "VX22-004711"
  ],
  "ChargerStatus.serialNumber": ["Serial number as its last boot reported it; empty before the first", "VX22-004711"],
  amountOfSockets: ["Connectors that it has reported so far", 2],
  lastSeen: ["When `lastMessage` was received; null before the first"],
  lastMessage: [
    "The last raw OCPP message received from it, of at most 64 KiB; empty before the first",
    '[2,"c1f4a2","Heartbeat",{}]'
  ],
  activeConnection: ["Whether it is connected now", true],
  locationInfo: ["The address of its site; text that is not known is empty"],
  pushIntegrationEnabled: ["Whether an active webhook covers its site"],
  chargerSpecificMessageStructure: ["Always false: every charger speaks plain OCPP"],
  chargerConfigurations: ["The configuration keys that it reported"],
  configName: ["Name of the configuration key", "HeartbeatInterval"],
  configValue: ["What it reported; empty where it reported no value", "300"],
  canBeChanged: ["Whether it takes another value"],
  sockets: ["Its connectors"],
  "Socket.type": ["OCPI's ConnectorType; IEC_62196_T2 until the operator has set it", "IEC_62196_T2"],
  "Socket.maxPower": ["Watts, as text", "22080"],
  "Socket.status": ["OCPP 1.6's ChargePointStatus", "Available"],
  "Socket.id": ["Number of the connector among all of its charger", 1],

  // The address of the charger's site.
  "LocationInfo.latitude": ["Degrees north of the equator, WGS 84; null where it is not known", 52.0894],
  "LocationInfo.longitude": ["Degrees east of Greenwich, WGS 84; null where it is not known", 5.1101],
  "LocationInfo.streetAddress": ["Street without the number; empty where it is not known", "Stationsplein"],
  "LocationInfo.streetNumber": ["House number without letters; empty where it is not known", "14"],
  "LocationInfo.houseLetter": ["What follows the number; empty where there is nothing", "B"],
  "LocationInfo.postalNumber": ["Postal code as it is written in its country; empty where it is not known", "3511 ED"],
  "LocationInfo.city": ["City or town; empty where it is not known", "Utrecht"],
  "LocationInfo.area": ["Region, state or province; empty where it is not known", "Utrecht"],
  "LocationInfo.country": ["ISO 3166-1 alpha-3; empty where it is not known", "NLD"],

  // Statistics.
  "Statistics.chargers": ["Chargers of the organisation", 24],
  connected: ["Chargers that are connected now", 23],
  "Statistics.connectors": ["Connectors by what they report"],
  available: [
    "Connectors whose charger last reported them available, whether or not it is connected now: `GET /charger-rows/counts` counts those that are",
    30
  ],
  occupied: ["Connectors with a vehicle or a reservation", 14],
  faulted: ["Connectors that report a fault", 1],
  unavailable: ["Connectors that cannot be used for another reason", 3],
  activeSessions: ["Sessions that go on now", 12],
  energyWhToday: ["Wh since midnight in the organisation's time zone, as corrected, without what is held", 412300],
  energyWhTotal: ["Wh of all sessions, as corrected, without what is held", 98112300],
  sessionsToday: ["Sessions that started since midnight, without those that are held", 31]
}
