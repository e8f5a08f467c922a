/** Storage of chargers' local authorisation lists, for the background loop that keeps them up to date and for operators. */
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

/** `Manual`: the organisation's lists are sent manually. This state is never stored. */
export const localListStates = ["Manual", ...keptListStates] as const
export type LocalListState = (typeof localListStates)[number]

/** A charger whose list must be checked, leased by one process. */
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
  /** The maximum number of chargers. */
  readonly limit: number
  /** How long no other process can claim them. */
  readonly leaseMillis: number
  /** How long a charger must have been connected. */
  readonly settleMillis: number
}

/** The changes of an organisation's tokens to read, in order: those after `after` and up to `upTo`, at most `limit`. */
export interface ChangesWanted {
  readonly after: number
  readonly upTo: number
  readonly limit: number
  /** Only changes of the newest existing tokens, this many; undefined for all. */
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
  /** When the list is checked next (ms epoch), unless the charger connects or reports its configuration again before. */
  readonly until: number
}

/** What is needed to send a list manually. */
export interface ListByHand {
  /** The highest version that is known or was sent; 0 if there is none. */
  readonly version: number
  /** As the charger has reported it; empty if it has not. */
  readonly configuration: ReadonlyArray<ConfigurationKey>
}

/** The state of a list, as operators see it. */
export interface LocalListStatus {
  /** Undefined if nothing is known. */
  readonly version: number | undefined
  readonly state: LocalListState
  /** True if the list contains every change of the organisation's tokens. */
  readonly inStep: boolean
  /** Why it is not up to date, as text; undefined if it is, or if an update is in progress. */
  readonly reason: string | undefined
  /** ms epoch; undefined before anything is known. */
  readonly updatedAt: number | undefined
}

export class LocalLists extends Context.Service<
  LocalLists,
  {
    /**
     * Leases connected chargers whose organisation has `Managed` lists and whose list is not known to be correct, longest waiting first. Chargers
     * with an open command about their list are left out.
     */
    readonly claim: (claim: ListClaim) => Effect.Effect<ReadonlyArray<ClaimedList>, StorageUnavailable>
    readonly changes: (
      organisationId: string,
      wanted: ChangesWanted
    ) => Effect.Effect<ReadonlyArray<TokenChange>, StorageUnavailable>
    /** Stores the expected state of the list. Call it before the message is issued, since handling the end of its command needs it. */
    readonly pending: (chargerId: string, pending: PendingList, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Stores that there is nothing to send up to this change. */
    readonly caughtUp: (chargerId: string, seq: number, now: number) => Effect.Effect<void, StorageUnavailable>
    readonly unkept: (chargerId: string, why: UnkeptList, now: number) => Effect.Effect<void, StorageUnavailable>
    /** Deletes records of removed tokens that are older than `before` (ms epoch). A list that has not received them is sent whole. */
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
