/** Storage of chargers as operators see them, scoped by organisation. */
import { Context, type Effect } from "effect"
import type { Charger, ChargerPatch, ChargerRegistration } from "./Charger.ts"
import type { ChargerSummary, FleetCounts, OverallState } from "./ChargerRow.ts"
import type { ConnectorStatus } from "../site/Connector.ts"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { SeriesRange, SeriesScope, SessionWindow } from "./Series.ts"

export interface Statistics {
  readonly chargers: number
  readonly connected: number
  readonly connectors: {
    readonly available: number
    readonly occupied: number
    readonly faulted: number
    readonly unavailable: number
  }
  readonly activeSessions: number
  /** Since midnight in the organisation's time zone. */
  readonly energyWhToday: number
  readonly energyWhTotal: number
  readonly sessionsToday: number
}

export interface ChargerFilter {
  readonly siteId?: string | undefined
  /** Whether a connection is open. */
  readonly connected?: boolean | undefined
  /** The status of the charger as a whole or of one of its connectors. */
  readonly status?: ConnectorStatus | undefined
  readonly firmwareVersion?: string | undefined
  readonly model?: string | undefined
  /** Case-insensitive search in the id, name, serial number, manufacturer and model. */
  readonly text?: string | undefined
}

export interface FleetFilter {
  readonly siteId?: string | undefined
  /** Case-insensitive search in the id, name, site's name, manufacturer and model. */
  readonly text?: string | undefined
}

export interface SummaryFilter extends FleetFilter {
  /** Whether a connection is open. */
  readonly connected?: boolean | undefined
  readonly firmwareVersion?: string | undefined
  /** The charger is in one of these states, by the stored data. */
  readonly states?: ReadonlyArray<OverallState> | undefined
}

/** The maximum number of chargers in one page of summaries. */
export const maxSummaries = 1000

export class Chargers extends Context.Service<
  Chargers,
  {
    /**
     * `Conflict` `charger_id_in_use` if any organisation has this id, `site_required` if the organisation has no site, `password_required` for
     * security profile 1 or 2 without a password. `NotFound` for a site that does not belong to the organisation.
     */
    readonly register: (
      registration: ChargerRegistration,
      audit: AuditContext
    ) => Effect.Effect<Charger, NotFound | Conflict | InvalidInput | StorageUnavailable>
    /** Secrets in its configuration are masked, as in all chargers that this port returns. */
    readonly get: (organisationId: string, chargerId: string) => Effect.Effect<Charger, NotFound | StorageUnavailable>
    /** The charger with its configuration's secrets, to be compared or shown to those who may see them. */
    readonly withSecrets: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<Charger, NotFound | StorageUnavailable>
    readonly list: (
      organisationId: string,
      page: PageRequest & ChargerFilter
    ) => Effect.Effect<Page<Charger>, InvalidInput | StorageUnavailable>
    /** Summaries for rows, at most `maxSummaries`. */
    readonly summaries: (
      organisationId: string,
      page: PageRequest & SummaryFilter
    ) => Effect.Effect<Page<ChargerSummary>, InvalidInput | StorageUnavailable>
    readonly counts: (
      organisationId: string,
      filter: FleetFilter,
      now: number
    ) => Effect.Effect<FleetCounts, StorageUnavailable>
    /** The counts of each of these sites. A site without chargers is left out. */
    readonly countsOfSites: (
      organisationId: string,
      siteIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyMap<string, FleetCounts>, StorageUnavailable>
    /** `Conflict` `password_required` if the new security profile needs a password and none is set. */
    readonly update: (
      chargerId: string,
      patch: ChargerPatch,
      audit: AuditContext
    ) => Effect.Effect<Charger, NotFound | Conflict | InvalidInput | StorageUnavailable>
    /** `Conflict` `session_active` while a session runs. Ended sessions stay readable. */
    readonly remove: (
      chargerId: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
    readonly statistics: (organisationId: string, now: number) => Effect.Effect<Statistics, StorageUnavailable>
    /** Sessions that ran between two times; `InvalidInput` `/from` for more than `maxSeriesSessions`. */
    readonly sessionWindows: (
      organisationId: string,
      range: Pick<SeriesRange, "from" | "to"> & SeriesScope
    ) => Effect.Effect<ReadonlyArray<SessionWindow>, InvalidInput | StorageUnavailable>
  }
>()("voltlane/Chargers") {}
