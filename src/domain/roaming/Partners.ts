/** Storage of partners and of both sides' credentials tokens, scoped by organisation. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, StorageUnavailable } from "../Errors.ts"
import type { Connection, ExpectedParty, Partner, PartnerSwitches, SwitchesChange, TokenUse } from "./Partner.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { AuditContext } from "../values/AuditContext.ts"

/** A new registration token; its text is shown once and never stored. */
export interface Invitation {
  readonly verifier: Uint8Array
  readonly expiresAt: number
}

export interface NewPartner {
  readonly name: string
  readonly expected: ExpectedParty
  readonly switches: PartnerSwitches
  readonly invitation: Invitation
}

export interface PartnerPatch {
  readonly name?: string
  /** Changes to the current switches. */
  readonly switches?: SwitchesChange
  /** True suspends it and false resumes it; undefined changes nothing. */
  readonly suspended?: boolean
}

/** The partner that calls with a token of ours. */
export interface Bearer {
  readonly partner: Partner
  readonly use: TokenUse
}

/** Who calls, and which of the readings of its header was its token. */
export interface Recognised extends Bearer {
  /** From 0, in the order of the question. */
  readonly reading: number
}

/**
 * What a handshake hangs on, which must still be there at its end: it takes its time, and meanwhile the partner may have been invited anew, because a
 * token got into wrong hands.
 */
export type Begun =
  /** By a token of ours that the partner presented. `theirToken` is the partner's that stood then, sealed. */
  | { readonly by: "Partner"; readonly presented: Uint8Array; readonly theirToken: string | undefined }
  /** By the token that we have given the partner (`expect`): that of the registration. */
  | { readonly by: "Us" }

/** What a registration ends with: both sides' tokens are exchanged in one transaction. */
export interface Registration {
  readonly begun: Begun
  readonly connection: Connection
  /** The token by which we call them, sealed. */
  readonly theirToken: string
  /** Of the token by which they call us from now on. */
  readonly ourVerifier: Uint8Array
}

export class Partners extends Context.Service<
  Partners,
  {
    /** `Conflict` `party_in_use`: another partner is that party in one of the roles, which would have a token's owner ambiguous. */
    readonly create: (
      input: NewPartner,
      audit: AuditContext
    ) => Effect.Effect<Partner, Conflict | InvalidInput | StorageUnavailable>
    readonly get: (organisationId: string, id: string) => Effect.Effect<Partner, NotFound | StorageUnavailable>
    readonly list: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Partner>, InvalidInput | StorageUnavailable>
    readonly update: (
      id: string,
      patch: PartnerPatch,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | InvalidInput | StorageUnavailable>
    readonly remove: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** Resets the registration: all tokens of both sides are gone, and this new one registers. */
    readonly invite: (
      id: string,
      invitation: Invitation,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | StorageUnavailable>
    /**
     * Who calls with one of these (verifiers of what a header can mean). The first use of a token ends the one before it. Not scoped: the
     * token says whose it is.
     */
    readonly bearer: (
      verifiers: ReadonlyArray<Uint8Array>,
      now: number
    ) => Effect.Effect<Recognised | undefined, StorageUnavailable>
    /**
     * The first registration, which uses the invitation up. `Conflict` `token_gone` where what it began by is not there any more (the later of two at
     * once, too), `suspended` where the partner began it and was suspended meanwhile, `registered`, or `party_in_use`.
     */
    readonly register: (
      id: string,
      registration: Registration,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * Another one: new tokens, or another version. The token before is taken for a while. `Conflict` `token_gone`, `suspended`, `party_in_use` as above,
     * `not_registered`, or `overtaken` where a renewal that the partner began ends behind another one: what both sides have since is in force.
     */
    readonly renew: (
      id: string,
      registration: Registration,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /** Ends a registration and deletes both sides' tokens. `Conflict` `not_registered`. */
    readonly unregister: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | Conflict | StorageUnavailable>
    /** The sealed token by which a partner is called; undefined where it is not registered. */
    readonly theirToken: (organisationId: string, id: string) => Effect.Effect<string | undefined, StorageUnavailable>
    /**
     * A token that a partner may use before it is registered, for the calls it makes while we register with it. It is valid beside the invitation, and
     * beside those of other handshakes.
     */
    readonly expect: (
      id: string,
      invitation: Invitation,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
    /** Deletes an expected token whose handshake has failed. */
    readonly withdraw: (
      id: string,
      verifier: Uint8Array,
      audit: AuditContext
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("voltlane/Partners") {}
