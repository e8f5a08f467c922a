/** A charger as all parts of the service except its actor see it: what the operator registered, and what the charger reported. */
import type { Connector, ConnectorEquipment, ConnectorStatus, DescribedEvse } from "../site/Connector.ts"
import type { EvseDetails } from "../site/Details.ts"
import type { ConfigurationKey } from "../command/ChargerCommand.ts"
import type { Registration } from "../values/Registration.ts"

export interface Charger {
  readonly chargerId: string
  readonly organisationId: string
  readonly siteId: string
  readonly name: string
  readonly securityProfile: 0 | 1 | 2 | 3
  readonly registration: Registration
  /** `1.6`, `2.0.1`, `2.1`; undefined before the first connection. */
  readonly ocppVersion: string | undefined
  /** Empty before the charger's first boot. */
  readonly manufacturer: string
  readonly model: string
  /** As the charger reports it. It does not prove the charger's identity. */
  readonly serialNumber: string
  /** As the operator registered it; a client certificate may contain it. */
  readonly registeredSerialNumber?: string | undefined
  readonly firmwareVersion: string
  readonly bootedAt: number | undefined
  readonly configuration: ReadonlyArray<ConfigurationKey>
  /** Without the whole charger's pseudo-connector 0, ordered by evse and connector. */
  readonly connectors: ReadonlyArray<Connector>
  /** What the operator has set for its EVSEs, in their order, including EVSEs that were not reported yet. */
  readonly evses?: ReadonlyArray<DescribedEvse> | undefined
  /** What connector 0 reported, if anything. */
  readonly wholeStatus: ConnectorStatus | undefined
  readonly lastSeen: number | undefined
  /** The last raw frame received, heartbeats included. */
  readonly lastMessage: string
  /** The number of its newest connection; undefined if it has never connected. */
  readonly epoch: number | undefined
  /** True while a connection is open and the lease of its node is valid. */
  readonly connected: boolean
  /** ms epoch of the end of its last connection; undefined while it is connected and if it has never connected. */
  readonly offlineSince: number | undefined
  /** True if an active webhook covers its site. */
  readonly pushed: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ChargerRegistration {
  readonly chargerId: string
  readonly name: string
  /** Undefined: the organisation's oldest site. */
  readonly siteId: string | undefined
  readonly securityProfile: 0 | 1 | 2 | 3
  /** Verifier of the charger's password, see `values/Secrets`; undefined on profile 0 and 3. */
  readonly passwordVerifier: Uint8Array | undefined
  readonly registeredSerialNumber?: string | undefined
  /** The answer to its first boot; Accepted without it. */
  readonly registration?: Registration | undefined
}

/** Undefined `termsAndConditions` keep the stored terms; null removes them. */
export type GivenEquipment = Omit<ConnectorEquipment, "termsAndConditions"> & {
  readonly evseId: number
  readonly connectorId: number
  readonly termsAndConditions?: string | null | undefined
}

export type GivenEvse = { readonly evseId: number } & {
  readonly [K in keyof EvseDetails]?: EvseDetails[K] | null | undefined
}

export interface ChargerPatch {
  readonly name?: string
  readonly siteId?: string
  readonly securityProfile?: 0 | 1 | 2 | 3
  readonly passwordVerifier?: Uint8Array
  /** Null removes it. */
  readonly registeredSerialNumber?: string | null
  readonly registration?: Registration
  /** Equipment by EVSE and connector. Entries that are not listed stay as they are. */
  readonly equipment?: ReadonlyArray<GivenEquipment>
  /** EVSEs by their numbers. Entries and fields that are not listed stay as they are. */
  readonly evses?: ReadonlyArray<GivenEvse>
}
