/** Whom facts reach: which site, evse, tariff or partner stands behind the ids in them. Of all organisations at once, for those who tell partners. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Partner } from "../party/Partner.ts"

export interface ReachedCharger {
  readonly chargerId: string
  readonly organisationId: string
  readonly siteId: string
  /** Of the site where it stands, by the names that partners have for them. */
  readonly evses: ReadonlyArray<{ readonly evseId: number; readonly uid: string }>
}

/** A session or a record that a partner's driver caused. */
export interface Owned {
  readonly id: string
  readonly organisationId: string
  readonly partnerId: string
  /** Of a session, its own id. */
  readonly sessionId: string
}

export class Reach extends Context.Service<
  Reach,
  {
    readonly partners: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Partner>, StorageUnavailable>
    readonly chargers: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ReachedCharger>, StorageUnavailable>
    /** Sites, and those that partners still see as gone. */
    readonly sites: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** The newest change of a site that is not worked into its location; undefined where there is none. */
    readonly newestMark: (
      organisationId: string,
      siteId: string
    ) => Effect.Effect<string | undefined, StorageUnavailable>
    /** Whether that change, or one before it, still is not. */
    readonly isMarked: (
      organisationId: string,
      siteId: string,
      mark: string
    ) => Effect.Effect<boolean, StorageUnavailable>
    readonly tariffs: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Those alone that are a partner's. */
    readonly sessions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
    readonly cdrs: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
  }
>()("voltlane/Reach") {}
