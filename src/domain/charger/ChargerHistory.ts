/** The history of chargers, scoped by organisation: statuses of connectors, connections, and the uptime that follows from both. */
import { Context, type Effect } from "effect"
import type { ConnectorStatus, Place } from "../site/Connector.ts"
import type { NegligibleTransactions } from "./Fact.ts"
import type { SeriesFigures, SeriesRange, SeriesScope } from "./Series.ts"
import type { Uptime } from "./Uptime.ts"
import type { InvalidInput, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** A change of status of a connector, or of the charger as a whole (EVSE 0). */
export interface PastStatus extends Place {
  /** By the charger's clock if it was believed, but never later than `heardAt`; ms epoch. */
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
  /** Undefined while it is open. */
  readonly disconnectedAt: number | undefined
  readonly reason: string | undefined
  readonly ocppVersion: string
  readonly securityProfile: number
  readonly remoteAddress: string
}

/** A half-open time span, ms epoch: `from` is included, `to` is not. */
export interface TimeFilter {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface ConnectorUptime extends Place, Uptime {
  readonly chargerId: string
  readonly siteId: string
  /** `YYYY-MM` */
  readonly month: string
  /** IANA name of the site's time zone, which bounds the month. */
  readonly timeZone: string
}

export class ChargerHistory extends Context.Service<
  ChargerHistory,
  {
    /** Newest first by `at`; empty for a charger of another organisation. */
    readonly connectors: (
      organisationId: string,
      chargerId: string,
      page: PageRequest &
        TimeFilter & { readonly evseId?: number | undefined; readonly connectorId?: number | undefined }
    ) => Effect.Effect<Page<PastStatus>, InvalidInput | StorageUnavailable>
    /** Newest first by `connectedAt`. The time filter applies to `connectedAt`. */
    readonly connections: (
      organisationId: string,
      chargerId: string,
      page: PageRequest & TimeFilter
    ) => Effect.Effect<Page<PastConnection>, InvalidInput | StorageUnavailable>
    /** The newest day first; empty for a charger of another organisation. */
    readonly countedDays: (
      organisationId: string,
      chargerId: string,
      page: PageRequest
    ) => Effect.Effect<Page<NegligibleTransactions>, InvalidInput | StorageUnavailable>
    /**
     * The uptime of every connector in a month up to `now`, by charger, EVSE and connector. The month is `YYYY-MM`; by default the current one in
     * the organisation's time zone. InvalidInput for a month that has not begun anywhere, or with history that was deleted.
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
    /**
     * The availability of all connectors together in each step up to `now`. InvalidInput `/siteId` for more than `maxSeriesConnectors` connectors,
     * `/from` if more than `maxSeriesChanges` changes would be read.
     */
    readonly availability: (
      organisationId: string,
      range: SeriesRange & SeriesScope,
      now: number
    ) => Effect.Effect<SeriesFigures, InvalidInput | StorageUnavailable>
  }
>()("voltlane/ChargerHistory") {}
