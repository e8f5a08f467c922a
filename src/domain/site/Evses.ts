/** Finds the connectors that partners' commands address by OCPI ids, which differ from the charger's numbers. Scoped by organisation. */
import { Context, type Effect } from "effect"
import type { ConnectorStatus } from "./Connector.ts"
import type { StorageUnavailable } from "../Errors.ts"

export interface PlaceWanted {
  readonly locationId: string
  /** Undefined: all EVSEs of the location. */
  readonly evseUid?: string | undefined
  /** Undefined: all connectors of the EVSE. */
  readonly connectorId?: string | undefined
}

export interface ConnectorPlace {
  readonly chargerId: string
  readonly siteId: string
  readonly evseId: number
  readonly connectorId: number
  readonly status: ConnectorStatus
  readonly connected: boolean
}

export class Places extends Context.Service<
  Places,
  {
    /** The connectors that match, ordered by charger, EVSE and connector; none if the id is unknown or another organisation's. */
    readonly connectors: (
      organisationId: string,
      wanted: PlaceWanted
    ) => Effect.Effect<ReadonlyArray<ConnectorPlace>, StorageUnavailable>
  }
>()("voltlane/Places") {}
