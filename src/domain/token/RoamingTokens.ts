/**
 * Storage of partners' tokens, which they push or we fetch. Each row belongs to a partner and an organisation. Calls name the partner, and reach no
 * rows of other partners.
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

/** The state of fetching a partner's tokens. */
export interface TokenPullState {
  /** When the last successful fetch began, ms epoch. */
  readonly pulledAt: number | undefined
  /** How many tokens it stored, and how many could not be read. */
  readonly taken: number
  readonly unreadable: number
  /** Why the last fetch failed, or which tokens it dropped; undefined if all is well. */
  readonly problem: string | undefined
  readonly triedAt: number | undefined
  readonly dueAt: number
  /** How many tokens of this partner are stored now. */
  readonly tokens: number
}

/** A fetch that is due. */
export interface DuePull {
  readonly organisationId: string
  readonly partnerId: string
  /** The registration to which the fetch belongs, by its time, ms epoch. */
  readonly registeredAt: number
  /** ms epoch: fetch what changed since then; undefined: fetch everything. */
  readonly from: number | undefined
  /** How many attempts have failed since the last successful one. */
  readonly failures: number
}

/** Where a card is read, by the ids that partners know (OCPI 2.2.1 §12.4.2 LocationReferences), and our party that owns the place. */
export interface ReadingPlace {
  readonly party: PartyId
  /** Undefined if the charger has not reported its connectors: then partners do not know the place. */
  readonly location:
    | { readonly id: string; readonly evses: ReadonlyArray<{ readonly uid: string; readonly evseId: number }> }
    | undefined
}

export type PullEnd =
  | {
      readonly _tag: "Pulled"
      readonly beganAt: number
      /** From when the next fetch asks for changes, ms epoch; undefined: it asks for everything. */
      readonly from: number | undefined
      readonly taken: number
      readonly unreadable: number
      /** What was dropped, or could not be read besides the tokens. */
      readonly problem: string | undefined
    }
  | { readonly _tag: "Failed"; readonly problem: string }

/** Which fields identify a partner's tokens, if not the uid and type together. */
export interface TokenIdentity {
  /** True: a uid has only one token. A token with another type replaces it (OCPI 2.1.1 §12). */
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
     * Stores tokens of one partner in one transaction, in their order, and returns the outcome for each. `Conflict` if there is one new token too
     * many (`tokensMax`); then none of them is stored. Changes of known tokens always fit.
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
    /** The place of one EVSE, or of all EVSEs of the charger. Undefined if there is no such charger. */
    readonly placeOf: (
      organisationId: string,
      chargerId: string,
      evseId: number | undefined
    ) => Effect.Effect<ReadingPlace | undefined, StorageUnavailable>
    readonly conflicts: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TokenConflict>, InvalidInput | StorageUnavailable>
    /** A partner's tokens, by uid. `total` counts at most one item beyond the page, because there may be a million. */
    readonly window: (
      organisationId: string,
      partnerId: string,
      window: Pick<Window, "offset" | "limit">
    ) => Effect.Effect<Windowed<RoamingToken>, StorageUnavailable>
    /** The state of fetching that is shown with a partner's health; undefined if its tokens were never to be fetched. */
    readonly pullState: (
      organisationId: string,
      partnerId: string
    ) => Effect.Effect<TokenPullState | undefined, StorageUnavailable>
    /**
     * Leases the fetch that has been due longest; no other process gets it for `leaseMillis`. Each new registration begins with a full fetch after
     * `settleMillis`. Covers all organisations, for the service itself.
     */
    readonly takeDuePull: (
      now: number,
      options: { readonly leaseMillis: number; readonly settleMillis: number }
    ) => Effect.Effect<DuePull | undefined, StorageUnavailable>
    /**
     * Extends the lease of a running fetch until `until` (ms epoch). False if the partner has a new registration, whose own fetch follows, so that
     * this one must stop.
     */
    readonly keepPull: (due: DuePull, until: number) => Effect.Effect<boolean, StorageUnavailable>
    /** Stores how a fetch ended. Changes nothing if the partner has a new registration. */
    readonly endPull: (
      due: DuePull,
      end: PullEnd,
      dueAt: number,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/RoamingTokens") {}
