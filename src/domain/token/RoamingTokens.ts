/**
 * Storage of partners' tokens: as they push them and as we fetch them. Each row belongs to a partner and an organisation; a partner's calls name it, and
 * reach no other's rows.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { PartyId } from "../values/PartyId.ts"
import type { RoamingToken, RoamingTokenBody, RoamingTokenAddress, RoamingTokenPatch, Taken } from "./RoamingToken.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Window, Windowed } from "../values/Window.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** A uid that several partners have as valid. It is refused at chargers until all but one of them withdraw it. */
export interface TokenConflict {
  readonly uid: string
  readonly tokens: ReadonlyArray<RoamingToken>
}

/** Fetching a partner's tokens: what it has come to. */
export interface TokenPullState {
  /** When the last successful fetch began, ms epoch. */
  readonly pulledAt: number | undefined
  /** Tokens that it took, and those that could not be read. */
  readonly taken: number
  readonly unreadable: number
  /** Why the last one failed; undefined where it did not. */
  readonly problem: string | undefined
  readonly triedAt: number | undefined
  readonly dueAt: number
  /** Of this partner's there are so many now. */
  readonly tokens: number
}

/** A fetch that is to be made. */
export interface DuePull {
  readonly organisationId: string
  readonly partnerId: string
  /** ms epoch; undefined fetches everything. */
  readonly from: number | undefined
  /** How many tries have failed since the last successful one. */
  readonly failures: number
}

/** Where a card is read, by the names that partners know (OCPI 2.2.1 §12.4.2 LocationReferences), and the party of ours that it belongs to. */
export interface ReadingPlace {
  readonly party: PartyId
  /** Undefined where the charger has not reported its connectors: partners know no such place then. */
  readonly location: { readonly id: string; readonly evseUids: ReadonlyArray<string> } | undefined
}

export type PullEnd =
  | { readonly _tag: "Pulled"; readonly beganAt: number; readonly taken: number; readonly unreadable: number }
  | { readonly _tag: "Failed"; readonly problem: string }

/** What distinguishes a partner's tokens, where it is not their type as well. */
export interface TokenIdentity {
  /** A uid has one token, whatever its type: what is given with another type takes its place (OCPI 2.1.1 §12). */
  readonly isByUid: boolean
}

export class RoamingTokens extends Context.Service<
  RoamingTokens,
  {
    readonly find: (
      organisationId: string,
      partnerId: string,
      address: RoamingTokenAddress
    ) => Effect.Effect<RoamingToken, NotFound | StorageUnavailable>
    /**
     * Takes tokens of one partner in one transaction, in their order; answers what became of each. A conflict is one new token too many (`tokensMax`),
     * and nothing of them is taken then; changes of those that are known always fit.
     */
    readonly put: (
      partnerId: string,
      tokens: ReadonlyArray<RoamingTokenBody>,
      audit: AuditContext,
      identity?: TokenIdentity
    ) => Effect.Effect<ReadonlyArray<Taken>, Conflict | InvalidInput | StorageUnavailable>
    readonly patch: (
      partnerId: string,
      address: RoamingTokenAddress,
      patch: RoamingTokenPatch,
      audit: AuditContext,
      identity?: TokenIdentity
    ) => Effect.Effect<Taken, NotFound | InvalidInput | StorageUnavailable>
    /** Of one evse, or of all of the charger. Undefined for a charger that is not there. */
    readonly placeOf: (
      organisationId: string,
      chargerId: string,
      evseId: number | undefined
    ) => Effect.Effect<ReadingPlace | undefined, StorageUnavailable>
    readonly conflicts: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TokenConflict>, InvalidInput | StorageUnavailable>
    /** Those of a partner, by uid. `total` counts one further than the page at most: there may be a million. */
    readonly window: (
      organisationId: string,
      partnerId: string,
      window: Pick<Window, "offset" | "limit">
    ) => Effect.Effect<Windowed<RoamingToken>, StorageUnavailable>
    /** What a partner's health shows of its tokens; undefined where nothing was ever to be fetched. */
    readonly pullState: (
      organisationId: string,
      partnerId: string
    ) => Effect.Effect<TokenPullState | undefined, StorageUnavailable>
    /**
     * The fetch that is due for longest, which no other process gets for `leaseMillis`; each new registration begins one in full after `settleMillis`.
     * Across all organisations, for the service itself.
     */
    readonly takeDuePull: (
      now: number,
      options: { readonly leaseMillis: number; readonly settleMillis: number }
    ) => Effect.Effect<DuePull | undefined, StorageUnavailable>
    /** Keeps a fetch that goes on from others until `until` (ms epoch). */
    readonly keepPull: (due: DuePull, until: number) => Effect.Effect<void, StorageUnavailable>
    readonly endPull: (
      due: DuePull,
      end: PullEnd,
      dueAt: number,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/RoamingTokens") {}
