/** The data that a location is made from: what the operator has set, and what the chargers have reported. */
import type { ConnectorEquipment, ConnectorStatus, DescribedEvse } from "./Connector.ts"
import type { BusinessDetails } from "../roaming/Party.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { Site } from "./Site.ts"
import type { AssignedTariff } from "../tariff/Choice.ts"
import type { OpeningHours } from "./OpeningHours.ts"
import type { Registration } from "../values/Registration.ts"

export interface SourceConnector {
  readonly evseId: number
  readonly connectorId: number
  readonly status: ConnectorStatus
  readonly equipment: ConnectorEquipment
  /** True if the equipment is assumed because the operator has not set it. */
  readonly assumed: boolean
}

export interface SourceCharger {
  readonly chargerId: string
  readonly registration: Registration
  readonly connected: boolean
  /** What connector 0 reported, if anything. */
  readonly wholeStatus: ConnectorStatus | undefined
  /** OCPP 1.6 §9.1.24 SupportedFeatureProfiles, as far as it is known. */
  readonly featureProfiles: ReadonlyArray<string>
  readonly connectors: ReadonlyArray<SourceConnector>
  /** What the operator has set for its EVSEs. */
  readonly evses?: ReadonlyArray<DescribedEvse> | undefined
}

/** An EVSE with its ids for partners. */
export interface SourceEvse {
  readonly uid: string
  readonly publicId: string
  readonly chargerId: string
  readonly evseId: number
  readonly removed: boolean
  /** Whether its public id is in use at another site, because its charger is there now. */
  readonly usedAgain: boolean
}

type SourceSite = Omit<Site, "groupId" | "openingHours" | "createdAt" | "updatedAt"> & {
  readonly openingHours: OpeningHours | undefined
}

export interface LocationSources {
  /** Undefined if it was removed. */
  readonly site: SourceSite | undefined
  readonly party: PartyId & { readonly businessDetails: BusinessDetails }
  readonly chargers: ReadonlyArray<SourceCharger>
  /** In order of their numbers. */
  readonly evses: ReadonlyArray<SourceEvse>
  /** The tariffs assigned to the site, its chargers and connectors, and the organisation's default. */
  readonly tariffs: ReadonlyArray<AssignedTariff>
}
