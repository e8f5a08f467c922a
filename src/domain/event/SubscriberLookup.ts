/** Whom facts concern: which site, evse, tariff or partner belongs to the ids in them. Of all organisations at once, for deliveries to partners. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Partner } from "../roaming/Partner.ts"
import type { ObjectRef } from "./Subscription.ts"

export interface FoundCharger {
  readonly chargerId: string
  readonly organisationId: string
  readonly siteId: string
  /** Of the site that it is at, by the names that partners have for them. */
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

/** A partner and the token by which it is called, as they were at one moment. */
export interface Addressee {
  readonly partner: Partner
  /** Sealed; undefined where it is not registered. */
  readonly sealedToken: string | undefined
}

export class SubscriberLookup extends Context.Service<
  SubscriberLookup,
  {
    readonly partners: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Partner>, StorageUnavailable>
    readonly addressees: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Addressee>, StorageUnavailable>
    readonly chargers: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FoundCharger>, StorageUnavailable>
    /** Sites, and those that partners still see as gone. */
    readonly sites: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** The newest change of each site that is not worked into its location; sites that have none are left out. */
    readonly newestMarks: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /** Of such changes those that still are not, or of which one before is not. */
    readonly stillMarked: (
      organisationId: string,
      marks: ReadonlyMap<string, string>
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /** Also those that are for nothing. */
    readonly tariffs: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Those alone that are a partner's. */
    readonly sessions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
    readonly cdrs: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
    /** Whether a partner was sent an object since it registered last. */
    readonly wasSent: (
      partnerId: string,
      object: Pick<ObjectRef, "kind" | "id">
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Whether some location names a tariff by what a partner was sent last, or may do so by what it was sent since. */
    readonly stillNames: (partnerId: string, tariffId: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/SubscriberLookup") {}
