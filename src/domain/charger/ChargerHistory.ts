/** How chargers were in the past, scoped by organisation: statuses of connectors, connections, and the uptime that follows from both. */
import { Context, type Effect } from "effect"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { Uptime } from "./Uptime.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** A status that a connector, or the charger as a whole (evse 0), took on. */
export interface PastStatus extends Place {
  /** By the charger's clock where it was believed, and never after `heardAt`; ms epoch. */
  readonly at: number
  readonly heardAt: number
  readonly status: ConnectorStatus
  readonly errorCode: string | undefined
  readonly info: string | undefined
  readonly vendorId: string | undefined
  readonly vendorErrorCode: string | undefined
}

export interface PastConnection {
  /** ms epoch. */
  readonly connectedAt: number
  /** Undefined while it lasts. */
  readonly disconnectedAt: number | undefined
  readonly reason: string | undefined
  readonly ocppVersion: string
  readonly securityProfile: number
  readonly remoteAddress: string
}

/** Half-open, ms epoch: `from` is in it, `to` is not. */
export interface TimeFilter {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface ConnectorUptime extends Place, Uptime {
  readonly chargerId: string
  readonly siteId: string
  /** `YYYY-MM` */
  readonly month: string
  /** IANA name of the site's zone, in which the month is meant. */
  readonly timeZone: string
}

export class ChargerHistory extends Context.Service<
  ChargerHistory,
  {
    /** Newest first by `at`. A charger that is not the organisation's has none. */
    readonly connectors: (
      organisationId: string,
      chargerId: string,
      page: PageRequest &
        TimeFilter & { readonly evseId?: number | undefined; readonly connectorId?: number | undefined }
    ) => Effect.Effect<Page<PastStatus>, InvalidInput | StorageUnavailable>
    /** Newest first by `connectedAt`, which the filter is about too. */
    readonly connections: (
      organisationId: string,
      chargerId: string,
      page: PageRequest & TimeFilter
    ) => Effect.Effect<Page<PastConnection>, InvalidInput | StorageUnavailable>
    /**
     * Uptime of every connector in a month (`YYYY-MM`; without one, the current month of the organisation's zone) as far as it has passed at
     * `now`, by charger, EVSE and connector. InvalidInput for a month that has begun nowhere yet, or of which not all is kept.
     */
    readonly uptime: (
      organisationId: string,
      page: PageRequest & {
        readonly month?: string | undefined
        readonly siteId?: string | undefined
        readonly chargerId?: string | undefined
      },
      now: number
    ) => Effect.Effect<Page<ConnectorUptime>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/ChargerHistory") {}
