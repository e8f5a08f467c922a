/** Looks up which site, EVSE, tariff or partner the ids in facts belong to, across all organisations, for deliveries to partners. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Partner } from "../roaming/Partner.ts"
import type { ObjectRef } from "./Subscription.ts"

export interface FoundCharger {
  readonly chargerId: string
  readonly organisationId: string
  readonly siteId: string
  /** Its EVSEs at its site, with the uids that partners know. */
  readonly evses: ReadonlyArray<{ readonly evseId: number; readonly uid: string }>
}

/** A session or CDR of a partner's driver. */
export interface Owned {
  readonly id: string
  readonly organisationId: string
  readonly partnerId: string
  /** For a session, its own id. */
  readonly sessionId: string
}

/** A partner and the credentials token for calls to it, read at the same moment. */
export interface Addressee {
  readonly partner: Partner
  /** Sealed; undefined if the partner is not registered. */
  readonly sealedToken: string | undefined
}

export class SubscriberLookup extends Context.Service<
  SubscriberLookup,
  {
    readonly partners: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Partner>, StorageUnavailable>
    readonly addressees: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Addressee>, StorageUnavailable>
    readonly chargers: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FoundCharger>, StorageUnavailable>
    /** Sites, including removed ones that partners still see. */
    readonly sites: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** For each site, the id of its newest change that is not in its location yet. Sites without such a change are left out. */
    readonly newestMarks: (
      organisationId: string,
      siteIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /** Those of these marks for which that change, or an earlier one of the site, is still not in the location. */
    readonly stillMarked: (
      organisationId: string,
      marks: ReadonlyMap<string, string>
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageUnavailable>
    /** Including those with a total of zero. */
    readonly tariffs: (organisationId: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Only sessions that belong to a partner. */
    readonly sessions: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
    readonly cdrs: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, StorageUnavailable>
    /** Whether a partner was sent an object since its last registration. */
    readonly wasSent: (
      partnerId: string,
      object: Pick<ObjectRef, "kind" | "id">
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Whether a location that the partner has received names the tariff. A delivery with an unknown outcome counts as received. */
    readonly stillNames: (partnerId: string, tariffId: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("voltlane/SubscriberLookup") {}
