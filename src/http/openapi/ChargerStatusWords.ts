/** Words on the charger's status under product.md's names, which both generations of REST answer. */
import type { Words } from "./Words.ts"

export const chargerStatusWords: Words["properties"] = {
  chargerName: ["What operators call the charger", "P1 left"],
  manufacturer: ["Maker as its boot told it; empty before", "Aurora"],
  chargerModel: ["Model as its boot told it; empty before", "X22"],
  "Charger.firmwareVersion": ["Firmware version as its boot told it; empty before", "3.2.1"],
  "ChargerWithPassword.firmwareVersion": ["Firmware version as its boot told it; empty before", "3.2.1"],
  "ChargerStatus.firmwareVersion": ["Firmware version as its boot told it; empty before", "3.2.1"],
  "Charger.serialNumber": ["Serial number as its boot told it; empty before", "VX22-004711"],
  "ChargerWithPassword.serialNumber": ["Serial number as its boot told it; empty before", "VX22-004711"],
  "ChargerStatus.serialNumber": ["Serial number as its boot told it; empty before", "VX22-004711"],
  amountOfSockets: ["Connectors that it has reported so far", 2],
  lastSeen: ["When `lastMessage` was received; null before the first"],
  lastMessage: ["The last raw OCPP message received from it; empty before the first", '[2,"c1f4a2","Heartbeat",{}]'],
  activeConnection: ["Whether it is connected now", true],
  locationInfo: ["The address of its site; text that is not known is empty"],
  pushIntegrationEnabled: ["Whether an active webhook covers its site"],
  chargerSpecificMessageStructure: ["Always false: every charger speaks plain OCPP"],
  chargerConfigurations: ["The configuration keys that it reported"],
  configName: ["Name of the configuration key", "HeartbeatInterval"],
  configValue: ["What it reported; empty where it told no value", "300"],
  canBeChanged: ["Whether it takes another value"],
  sockets: ["Its connectors"],
  "Socket.type": ["OCPI's ConnectorType; IEC_62196_T2 until the operator has told", "IEC_62196_T2"],
  "Socket.maxPower": ["Watts, as text", "22080"],
  "Socket.status": ["OCPP 1.6's ChargePointStatus", "Available"],
  "Socket.id": ["Number of the connector among all of its charger", 1]
}
