/**
 * Locations as partners see them, ready to be sent, scoped by organisation. A reader sees every change that was committed before its query: pending
 * changes are applied first. Only a list may lag by some seconds, after thousands of changes at once (for example when the chargers of a city
 * reconnect).
 */
import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Location } from "./Location.ts"
import type { Missing } from "./Missing.ts"
import type { Window, Windowed } from "../values/Window.ts"

/** An EVSE with its ids for partners, for sessions and CDRs. */
export interface NamedEvse {
  readonly locationId: string
  readonly uid: string
  /** The ISO 15118 id. */
  readonly evseId: string
}

/** Whether partners see a site, and which data it still needs for that. */
export interface Publication {
  readonly published: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** The text before and after a page's items. */
export interface Around {
  readonly before: string
  readonly after: string
}

/** A page as JSON in UTF-8: the text before, the items separated by commas, the text after. */
export interface JsonPage {
  readonly body: Uint8Array
  readonly count: number
  /** The number of items in the filtered list. */
  readonly total: number
}

export class Locations extends Context.Service<
  Locations,
  {
    /** A page in order of creation. */
    readonly page: (organisationId: string, window: Window) => Effect.Effect<Windowed<Location>, StorageUnavailable>
    /**
     * The same as JSON, in one of the formats in which locations are stored. The items and the text `around` them are built in one buffer, so that
     * nothing is copied. Every page costs the same.
     */
    readonly json: (
      organisationId: string,
      format: string,
      window: Window,
      around: Around
    ) => Effect.Effect<JsonPage, StorageUnavailable>
    /** By its id, case-insensitive. */
    readonly get: (organisationId: string, id: string) => Effect.Effect<Location, NotFound | StorageUnavailable>
    /** The locations of those sites that have one, in no particular order. */
    readonly ofSites: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Location>, StorageUnavailable>
    /** The ids of a charger's EVSE; undefined until it has been reported. */
    readonly evseOf: (
      organisationId: string,
      chargerId: string,
      evseId: number
    ) => Effect.Effect<NamedEvse | undefined, StorageUnavailable>
    readonly publication: (
      organisationId: string,
      siteId: string
    ) => Effect.Effect<Publication, NotFound | StorageUnavailable>
    /** The publication of each of these sites that belong to the organisation. */
    readonly publications: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Publication>, StorageUnavailable>
    /** Applies pending changes of all organisations, up to `limit` sites. Returns true if there may be more. */
    readonly refresh: (limit: number) => Effect.Effect<boolean, StorageUnavailable>
    /** When the next location changes without a fact (ms epoch), or may change because a node stops responding; undefined if none does. */
    readonly nextDue: Effect.Effect<number | undefined, StorageUnavailable>
  }
>()("voltlane/Locations") {}
