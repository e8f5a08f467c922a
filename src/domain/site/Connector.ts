/** Connectors and EVSEs of a charger: their status, and the equipment that an operator has set. */
import type { EvseDetails } from "./Details.ts"

/** OCPP 1.6's nine statuses; the five of 2.x map to them. An unknown one is stored in `rawStatus` and treated as `Unavailable`. */
export const connectorStatuses = [
  "Available",
  "Preparing",
  "Charging",
  "SuspendedEVSE",
  "SuspendedEV",
  "Finishing",
  "Reserved",
  "Unavailable",
  "Faulted"
] as const
export type ConnectorStatus = (typeof connectorStatuses)[number]

/** Where on a charger something happened. `evseId` 0 is the whole charger. */
export interface Place {
  readonly evseId: number
  readonly connectorId: number
}

/** A connector's equipment, with OCPI's enumerations. The operator sets it, because OCPP does not report it. */
export interface ConnectorEquipment {
  readonly standard: string
  readonly format: "SOCKET" | "CABLE"
  readonly powerType: string
  readonly maxVoltage: number
  readonly maxAmperage: number
  readonly maxPowerW: number
  /** URL of the operator's terms; undefined if none is set. */
  readonly termsAndConditions?: string | undefined
}

/** What the operator has set for an EVSE, by its number within the charger. */
export type DescribedEvse = EvseDetails & { readonly evseId: number }

/** The equipment assumed for a connector until the operator sets it; marked `assumed` wherever it is shown. */
export const assumedEquipment: ConnectorEquipment = {
  standard: "IEC_62196_T2",
  format: "SOCKET",
  powerType: "AC_3_PHASE",
  maxVoltage: 230,
  maxAmperage: 32,
  maxPowerW: 22080
}

export interface Connector {
  readonly evseId: number
  readonly connectorId: number
  readonly status: ConnectorStatus
  readonly errorCode: string | undefined
  readonly info: string | undefined
  readonly vendorId: string | undefined
  readonly vendorErrorCode: string | undefined
  /** ms epoch of the report. */
  readonly statusAt: number
  /** Undefined until the operator has set it. */
  readonly equipment: ConnectorEquipment | undefined
}

/** OCPP 1.6 numbers connectors only: its connector n is connector 1 of EVSE n. */
export const placeOf = (given: { readonly connectorId: number; readonly evseId?: number }) =>
  given.evseId === undefined
    ? { evseId: given.connectorId, connectorId: 1 }
    : { evseId: given.evseId, connectorId: given.connectorId }
