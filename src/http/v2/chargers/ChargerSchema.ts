/** A charger as REST v2 shows it, built from the domain's charger. */
import { Schema } from "effect"
import type { Charger as DomainCharger } from "../../../domain/charger/Charger.ts"
import { assumedEquipment, type Connector as DomainConnector } from "../../../domain/site/Connector.ts"
import type { Seen } from "../../../domain/charger/Presence.ts"
import type { EvseDetails, Given } from "../../../domain/site/Details.ts"
import type { Site } from "../../../domain/site/Site.ts"
import { chargerStatus, chargerStatusFields, connectionOf } from "../../ChargerStatus.ts"
import { Time, whole } from "../../Fields.ts"
import { connectorStandards, powerTypes } from "./ConnectorStatus.ts"
import { evseDetails, termsAndConditions } from "../sites/LocationFields.ts"
import { registrations } from "../../../domain/values/Registration.ts"

/** A number of a connector or EVSE. OCPP's numbers are small, and PostgreSQL's integer can hold all of these. */
const PlaceNumber = whole(1, 9999)

/** A maximum that no charger exceeds, in volts or amperes: the megawatt charging system ends at 1,250 V and 3,000 A. */
const Electrical = whole(1, 10_000)

/** A maximum that no charger exceeds, in watts. Three phases at the limits above still fit the database's integer. */
const Watts = whole(1, 1_000_000_000)

/** The equipment of a connector, with OCPI's enumerations. */
const equipment = {
  standard: Schema.Literals(connectorStandards).annotate({ description: "OCPI ConnectorType" }),
  format: Schema.Literals(["SOCKET", "CABLE"]),
  powerType: Schema.Literals(powerTypes).annotate({ description: "OCPI PowerType" }),
  maxVoltage: Electrical.annotate({ description: "Line to neutral for alternating current" }),
  maxAmperage: Electrical,
  maxPowerW: Schema.optionalKey(Watts.annotate({ description: "Default: computed from volts, amperes and phases" }))
}

export const ConnectorChange = Schema.Struct({
  connectorId: PlaceNumber.annotate({
    description:
      "With evseId, the connector within that EVSE; without it, OCPP 1.6's connectorId, which is counted over the whole charger"
  }),
  evseId: Schema.optionalKey(PlaceNumber),
  ...equipment,
  termsAndConditions: Schema.optionalKey(Schema.NullOr(termsAndConditions))
}).annotate({ identifier: "ConnectorChange" })

const cleared = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A change of an EVSE's description. Fields that are left out stay unchanged. */
export const EvseChange = Schema.Struct({
  evseId: PlaceNumber.annotate({ description: "For an OCPP 1.6 charger, the connectorId: each connector is an EVSE" }),
  physicalReference: cleared(evseDetails.physicalReference),
  floorLevel: cleared(evseDetails.floorLevel),
  coordinates: cleared(evseDetails.coordinates),
  directions: cleared(evseDetails.directions),
  images: cleared(evseDetails.images),
  parkingRestrictions: cleared(evseDetails.parkingRestrictions)
}).annotate({ identifier: "EvseChange" })

const Connector = Schema.Struct({
  connectorId: Schema.Int,
  status: Schema.String,
  errorCode: Schema.NullOr(Schema.String),
  info: Schema.NullOr(Schema.String),
  vendorId: Schema.NullOr(Schema.String),
  vendorErrorCode: Schema.NullOr(Schema.String),
  statusAt: Time,
  standard: Schema.String,
  format: Schema.String,
  powerType: Schema.String,
  maxVoltage: Schema.Int,
  maxAmperage: Schema.Int,
  maxPowerW: Schema.Int,
  termsAndConditions: Schema.NullOr(Schema.String),
  assumed: Schema.Boolean.annotate({ description: "True until the operator has described the connector" })
}).annotate({ identifier: "Connector" })

const Evse = Schema.Struct({
  evseId: Schema.Int,
  connectors: Schema.Array(Connector),
  physicalReference: Schema.NullOr(evseDetails.physicalReference),
  floorLevel: Schema.NullOr(evseDetails.floorLevel),
  coordinates: Schema.NullOr(evseDetails.coordinates),
  directions: evseDetails.directions,
  images: evseDetails.images,
  parkingRestrictions: evseDetails.parkingRestrictions
}).annotate({ identifier: "Evse" })

export const Charger = Schema.Struct({
  ...chargerStatusFields,
  name: Schema.String,
  siteId: Schema.String,
  ocppVersion: Schema.NullOr(Schema.String).annotate({ description: "Null before the first connection" }),
  securityProfile: Schema.Int,
  registeredSerialNumber: Schema.NullOr(Schema.String).annotate({
    description:
      "The serial number that the operator registered, which a client certificate may carry as common name instead of the charger's id"
  }),
  registration: Schema.Literals(registrations),
  status: Schema.NullOr(Schema.String).annotate({
    description: "The status that the charger reported for itself as a whole (connector 0)"
  }),
  bootedAt: Schema.NullOr(Time),
  offlineSince: Schema.NullOr(Time).annotate({
    description: "When its last connection ended; null while it is connected, and if it has never connected"
  }),
  evses: Schema.Array(Evse),
  createdAt: Time,
  updatedAt: Time
}).annotate({ identifier: "Charger" })

/**
 * Fields that report the charger, its connection or its site. `If-Match` ignores them, since a change of the charger cannot overwrite them.
 */
export const reportedFields: ReadonlyArray<string> = [
  "firmwareVersion",
  "manufacturer",
  "serialNumber",
  "chargerModel",
  "amountOfSockets",
  "lastSeen",
  "lastMessage",
  "activeConnection",
  "locationInfo",
  "chargerConfigurations",
  "sockets",
  "ocppVersion",
  "bootedAt",
  "offlineSince",
  "status",
  "errorCode",
  "info",
  "vendorId",
  "vendorErrorCode",
  "statusAt"
]

const connector = (stored: DomainConnector): typeof Connector.Type => {
  const known = stored.equipment ?? assumedEquipment
  return {
    connectorId: stored.connectorId,
    status: stored.status,
    errorCode: stored.errorCode ?? null,
    info: stored.info ?? null,
    vendorId: stored.vendorId ?? null,
    vendorErrorCode: stored.vendorErrorCode ?? null,
    statusAt: stored.statusAt,
    standard: known.standard,
    format: known.format,
    powerType: known.powerType,
    maxVoltage: known.maxVoltage,
    maxAmperage: known.maxAmperage,
    maxPowerW: known.maxPowerW,
    termsAndConditions: known.termsAndConditions ?? null,
    assumed: stored.equipment === undefined
  }
}

const evses = ({ connectors, evses: described = [] }: DomainCharger): ReadonlyArray<typeof Evse.Type> =>
  [...new Set(connectors.map((one) => one.evseId))].map((evseId) => {
    const known: Given<EvseDetails> = described.find((one) => one.evseId === evseId) ?? {}
    return {
      evseId,
      connectors: connectors.filter((one) => one.evseId === evseId).map(connector),
      physicalReference: known.physicalReference ?? null,
      floorLevel: known.floorLevel ?? null,
      coordinates: known.coordinates ?? null,
      directions: known.directions ?? [],
      images: known.images ?? [],
      parkingRestrictions: known.parkingRestrictions ?? []
    }
  })

/** Builds the charger that REST v2 shows from the domain's charger, its site and what this process holds in memory. */
export const toCharger = (
  charger: DomainCharger,
  site: Site | undefined,
  seen: Seen | undefined
): typeof Charger.Type => ({
  ...chargerStatus(charger, site, seen),
  name: charger.name,
  siteId: charger.siteId,
  ocppVersion: charger.ocppVersion ?? null,
  securityProfile: charger.securityProfile,
  registeredSerialNumber: charger.registeredSerialNumber ?? null,
  registration: charger.registration,
  status: charger.wholeStatus ?? null,
  bootedAt: charger.bootedAt ?? null,
  offlineSince: connectionOf(charger, seen).offlineSince ?? null,
  evses: evses(charger),
  createdAt: charger.createdAt,
  updatedAt: charger.updatedAt
})
