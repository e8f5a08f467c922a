/** Storage of chargers' local authorisation lists, for the loop that keeps them up to date and for operators. */
import { Context, type Effect } from "effect"
import type { ConfigurationKey } from "./ChargerCommand.ts"
import type { NotFound, StorageUnavailable } from "../Errors.ts"
import type { KnownList, Listable, TokenChange } from "./LocalList.ts"

/** The stored state of a list that the service manages. */
export const keptListStates = [
  "Unknown",
  "InStep",
  "Sending",
  /** The charger has switched it off. */
  "Disabled",
  /** The charger has none. */
  "Unsupported",
  "Failed"
] as const

/** `Manual`: the organisation's lists are sent by hand. It is never stored. */
export const localListStates = ["Manual", ...keptListStates] as const
export type LocalListState = (typeof localListStates)[number]

/** A charger with a list to be checked, leased by one process. */
export interface ClaimedList {
  readonly chargerId: string
  readonly organisationId: string
  readonly configuration: ReadonlyArray<ConfigurationKey>
  readonly list: KnownList
  readonly listable: Listable
}

export interface ListClaim {
  /** ms epoch. */
  readonly now: number
  /** Chargers at most. */
  readonly limit: number
  /** For how long no other process gets them. */
  readonly leaseMillis: number
  /** How long a charger must have been connected. */
  readonly settleMillis: number
}

/** Which changes of an organisation's tokens to read: after one and up to another, in order. */
export interface ChangesWanted {
  readonly after: number
  readonly upTo: number
  readonly limit: number
  /** Only those of this many of the newest existing tokens. */
  readonly newest: number | undefined
  /** Whether removed tokens are included. */
  readonly removed: boolean
}

/** The state of a list once the charger accepts the message that is about to be sent. */
export interface PendingList {
  readonly version: number
  readonly seq: number
  readonly fillTo: number
  readonly full: boolean
}

/** A list that is not managed because the charger reports that it has none or that it is off. */
export interface UnkeptList {
  readonly state: "Disabled" | "Unsupported"
  readonly reason: string
  /** No look before (ms epoch), unless the charger connects or reports its configuration anew. */
  readonly until: number
}

/** What an operator must know to send a list by hand. */
export interface ListByHand {
  /** The highest version that is known or was sent; 0 if there is none. */
  readonly version: number
  /** As the charger has reported it; empty where it has not. */
  readonly configuration: ReadonlyArray<ConfigurationKey>
}

/** For operators. */
export interface LocalListStatus {
  /** Undefined while nothing is known. */
  readonly version: number | undefined
  readonly state: LocalListState
  /** True when every change of the organisation's tokens is on it. */
  readonly inStep: boolean
  /** Why it is not up to date, as text; undefined if it is, or if an update is on its way. */
  readonly reason: string | undefined
  /** ms epoch; undefined before anything is known. */
  readonly updatedAt: number | undefined
}

export class LocalLists extends Context.Service<
  LocalLists,
  {
    /**
     * Connected chargers of organisations whose lists are `Managed` and whose list is not known to be right, those that have waited
     * longest first; never one with a command about its list under way.
     */
    readonly claim: (claim: ListClaim) => Effect.Effect<ReadonlyArray<ClaimedList>, StorageUnavailable>
    readonly changes: (
      organisationId: string,
      wanted: ChangesWanted
    ) => Effect.Effect<ReadonlyArray<TokenChange>, StorageUnavailable>
    /** Stores the expected state. Call it before the message is issued: the end of its command needs it. */
    readonly pending: (chargerId: string, pending: PendingList, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Stores that there was nothing to send up to this change. */
    readonly caughtUp: (chargerId: string, seq: number, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly unkept: (chargerId: string, why: UnkeptList, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Deletes removals that are older than `before` (ms epoch). A list that has not received them by then is sent whole. */
    readonly forget: (before: number) => Effect.Effect<void, StorageUnavailable>
    readonly byHand: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<ListByHand, NotFound | StorageUnavailable>
    readonly status: (
      organisationId: string,
      chargerId: string
    ) => Effect.Effect<LocalListStatus, NotFound | StorageUnavailable>
  }
>()("voltlane/LocalLists") {}
