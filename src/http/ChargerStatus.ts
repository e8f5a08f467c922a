/**
 * The status of a charger with the field names of product.md. REST v1 answers exactly these fields; REST v2 answers them and more. One
 * function builds the status from the stored record, its site and what this process holds in memory, so that v1 and v2 never differ.
 */
import { Schema } from "effect"
import type { Charger } from "../domain/charger/Charger.ts"
import { type OverallState, overallStates } from "../domain/charger/ChargerRow.ts"
import { assumedEquipment, type Connector } from "../domain/site/Connector.ts"
import type { Seen } from "../domain/charger/Presence.ts"
import { listedMessageBytes } from "../domain/values/Page.ts"
import type { Site } from "../domain/site/Site.ts"
import { Time } from "./Fields.ts"

const LocationInfo = Schema.Struct({
  latitude: Schema.NullOr(Schema.Finite),
  longitude: Schema.NullOr(Schema.Finite),
  streetAddress: Schema.String,
  streetNumber: Schema.String,
  houseLetter: Schema.String,
  postalNumber: Schema.String,
  city: Schema.String,
  area: Schema.String,
  country: Schema.String
}).annotate({
  identifier: "LocationInfo",
  description: "The address of the charger's site; unknown fields are empty"
})

const ChargerConfiguration = Schema.Struct({
  configName: Schema.String,
  configValue: Schema.String,
  canBeChanged: Schema.Boolean
}).annotate({ identifier: "ChargerConfiguration" })

const Socket = Schema.Struct({
  type: Schema.String.annotate({ description: "OCPI's ConnectorType; IEC_62196_T2 until the operator has set it" }),
  maxPower: Schema.String.annotate({ description: "Watts, as text" }),
  status: Schema.String.annotate({ description: "OCPP 1.6's ChargePointStatus" }),
  id: Schema.Int
}).annotate({ identifier: "Socket" })

/** The fields of product.md's charger record. Fields that the charger reports are empty until it has reported them. */
export const chargerStatusFields = {
  chargerId: Schema.String,
  chargerName: Schema.String,
  firmwareVersion: Schema.String,
  manufacturer: Schema.String,
  serialNumber: Schema.String,
  chargerModel: Schema.String,
  amountOfSockets: Schema.Int,
  lastSeen: Schema.NullOr(Time).annotate({
    description: "When lastMessage was received; null before the first message"
  }),
  lastMessage: Schema.String.annotate({
    description:
      "The last raw OCPP message received from the charger; in a list its first 4 KiB, ending in … if it was cut"
  }),
  activeConnection: Schema.Boolean,
  locationInfo: LocationInfo,
  pushIntegrationEnabled: Schema.Boolean,
  chargerSpecificMessageStructure: Schema.Boolean,
  chargerConfigurations: Schema.Array(ChargerConfiguration),
  sockets: Schema.Array(Socket)
}

/** GET /api/charger/{chargerId}. */
export const ChargerStatus = Schema.Struct(chargerStatusFields).annotate({ identifier: "ChargerStatus" })

const ellipsis = Buffer.from("…")

type Connection = Pick<Charger, "connected" | "offlineSince">

/** The state of a charger's connection. What this process has in memory is used, unless the database knows of a newer connection. */
export const connectionOf = (charger: Connection & Pick<Charger, "epoch">, seen: Seen | undefined): Connection =>
  seen === undefined || charger.epoch === undefined || seen.epoch < charger.epoch
    ? charger
    : { connected: seen.ended === undefined, offlineSince: seen.ended?.at }

/** The last message of a charger and its time. What this process has in memory is used, if it is at least as recent as the database. */
const lastReport = (
  charger: Pick<Charger, "lastSeen" | "lastMessage">,
  seen: Seen | undefined
): Pick<Charger, "lastSeen" | "lastMessage"> =>
  seen?.lastSeen !== undefined && seen.lastSeen >= (charger.lastSeen ?? 0) ? seen : charger

/**
 * Numbers the connectors of a charger. If every EVSE has one connector, the number is that of the EVSE; this is always so in OCPP 1.6,
 * where it is the connectorId. Otherwise it is the connector's position when sorted by EVSE and connector.
 */
const socketIds = (connectors: ReadonlyArray<Connector>): ReadonlyArray<number> => {
  const evses = new Set(connectors.map((connector) => connector.evseId))
  return connectors.map((connector, i) => (evses.size === connectors.length ? connector.evseId : i + 1))
}

const locationInfo = (site: Site | undefined): (typeof LocationInfo)["Type"] => ({
  latitude: site?.latitude ?? null,
  longitude: site?.longitude ?? null,
  streetAddress: site?.streetAddress ?? "",
  streetNumber: site?.streetNumber ?? "",
  houseLetter: site?.houseLetter ?? "",
  postalNumber: site?.postalNumber ?? "",
  city: site?.city ?? "",
  area: site?.area ?? "",
  country: site?.country ?? ""
})

const sockets = (connectors: ReadonlyArray<Connector>): ReadonlyArray<(typeof Socket)["Type"]> => {
  const ids = socketIds(connectors)
  return connectors.map((connector, i) => {
    const equipment = connector.equipment ?? assumedEquipment
    return {
      type: equipment.standard,
      maxPower: String(equipment.maxPowerW),
      status: connector.status,
      id: ids[i] ?? i + 1
    }
  })
}

/** A message, cut to a length that suits a list. Full messages would make a page of many chargers large. */
export const listedMessage = (message: string): string => {
  const start = Buffer.from(message.slice(0, listedMessageBytes + 1))
  if (start.length <= listedMessageBytes) return message
  // If the cut goes through a character, that character is left out.
  const text = new TextDecoder().decode(start.subarray(0, listedMessageBytes - ellipsis.length), { stream: true })
  return `${text}…`
}

/** Builds the status of a charger as product.md defines it. */
export const chargerStatus = (
  charger: Charger,
  site: Site | undefined,
  seen: Seen | undefined
): typeof ChargerStatus.Type => {
  const { lastMessage, lastSeen } = lastReport(charger, seen)
  return {
    chargerId: charger.chargerId,
    chargerName: charger.name,
    firmwareVersion: charger.firmwareVersion,
    manufacturer: charger.manufacturer,
    serialNumber: charger.serialNumber,
    chargerModel: charger.model,
    amountOfSockets: charger.connectors.length,
    lastSeen: lastSeen ?? null,
    lastMessage,
    activeConnection: connectionOf(charger, seen).connected,
    locationInfo: locationInfo(site),
    pushIntegrationEnabled: charger.pushed,
    chargerSpecificMessageStructure: false,
    chargerConfigurations: charger.configuration.map(({ key, readonly, value }) => ({
      configName: key,
      configValue: value ?? "",
      canBeChanged: !readonly
    })),
    sockets: sockets(charger.connectors)
  }
}

/** GET /api/statistics and GET /v2/statistics. */
export const Statistics = Schema.Struct({
  chargers: Schema.Int,
  connected: Schema.Int,
  connectors: Schema.Struct({
    available: Schema.Int,
    occupied: Schema.Int,
    faulted: Schema.Int,
    unavailable: Schema.Int
  }),
  activeSessions: Schema.Int,
  energyWhToday: Schema.Int.annotate({
    description:
      "Since midnight in the organisation's time zone: of running sessions and of those that have ended since; after corrections, and without held sessions"
  }),
  energyWhTotal: Schema.Int.annotate({ description: "After corrections, and without held sessions" }),
  sessionsToday: Schema.Int.annotate({ description: "Started since midnight, without held sessions" })
}).annotate({ identifier: "Statistics" })

/** How many chargers are in each state. */
export const StateCounts = Schema.Struct(
  Object.fromEntries(overallStates.map((state) => [state, Schema.Int])) as Record<OverallState, typeof Schema.Int>
).annotate({ identifier: "ChargerStateCounts" })
