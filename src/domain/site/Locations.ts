/**
 * Locations as partners see them, ready to be sent, scoped by organisation. A reader sees every change that was committed before: those that
 * are not worked in yet are first. Only a list may lag behind for some seconds, after thousands at once (a city's chargers that come back).
 */
import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { Location } from "./Location.ts"
import type { Missing } from "./Missing.ts"
import type { Window, Windowed } from "../values/Window.ts"

/** An EVSE by its ids, for sessions and CDRs. */
export interface NamedEvse {
  readonly locationId: string
  readonly uid: string
  /** ISO 15118's. */
  readonly evseId: string
}

/** Whether partners see a site, and which data it still needs for that. */
export interface Publication {
  readonly published: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** What is written before and after a page's items. */
export interface Around {
  readonly before: string
  readonly after: string
}

/** A page as JSON in UTF-8: what goes before, the items one behind the other with commas between them, what goes after. */
export interface JsonPage {
  readonly body: Uint8Array
  readonly count: number
  /** Of the filtered list. */
  readonly total: number
}

export class Locations extends Context.Service<
  Locations,
  {
    /** A page in order of creation. */
    readonly page: (organisationId: string, window: Window) => Effect.Effect<Windowed<Location>, StorageUnavailable>
    /**
     * The same as JSON in one of the formats in which they are kept, in one piece with what is `around` it, so that it is copied nowhere; a page
     * costs the same wherever it is.
     */
    readonly json: (
      organisationId: string,
      format: string,
      window: Window,
      around: Around
    ) => Effect.Effect<JsonPage, StorageUnavailable>
    /** By its id; upper and lower case are the same. */
    readonly get: (organisationId: string, id: string) => Effect.Effect<Location, NotFound | StorageUnavailable>
    /** Those of the sites that are locations, in no order. */
    readonly ofSites: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Location>, StorageUnavailable>
    /** An evse of a charger that was reported; undefined before. */
    readonly evseOf: (
      organisationId: string,
      chargerId: string,
      evseId: number
    ) => Effect.Effect<NamedEvse | undefined, StorageUnavailable>
    readonly publication: (
      organisationId: string,
      siteId: string
    ) => Effect.Effect<Publication, NotFound | StorageUnavailable>
    /** The same of each of the sites that are the organisation's. */
    readonly publications: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Publication>, StorageUnavailable>
    /** Works in what has changed anywhere, up to `limit` sites; true when there may be more. */
    readonly refresh: (limit: number) => Effect.Effect<boolean, StorageUnavailable>
    /** When the next one changes by time alone (ms epoch), or may since a process falls silent; undefined if none does. */
    readonly nextDue: Effect.Effect<number | undefined, StorageUnavailable>
  }
>()("voltlane/Locations") {}
