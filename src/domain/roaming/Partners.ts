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

/** The partner that calls with a token issued to it. */
export interface Bearer {
  readonly partner: Partner
  readonly use: TokenUse
}

/** The caller, and which interpretation of its header was its token. */
export interface Recognised extends Bearer {
  /** The index in the given `verifiers`. */
  readonly reading: number
}

/**
 * What a handshake is based on, which must still exist when it ends. A handshake takes time, and meanwhile the partner may have been invited again
 * because a token fell into the wrong hands.
 */
export type Begun =
  /** Started by the partner, with a token that we issued and that it presented. `theirToken` is the partner's token that was in force then, sealed. */
  | { readonly by: "Partner"; readonly presented: Uint8Array; readonly theirToken: string | undefined }
  /** Started by us, with the token that we gave the partner (`expect`), which is the registration's. */
  | { readonly by: "Us" }

/** The result of a registration. Both sides' tokens are stored in one transaction. */
export interface Registration {
  readonly begun: Begun
  readonly connection: Connection
  /** The token with which we call the partner, sealed. */
  readonly theirToken: string
  /** The verifier of the token with which the partner calls us from now on. */
  readonly ourVerifier: Uint8Array
}

export class Partners extends Context.Service<
  Partners,
  {
    /** `Conflict` `party_in_use`: another partner has this party with one of these roles, so that the owner of a token would be ambiguous. */
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
    /** Resets the registration: deletes all tokens of both sides. The partner can register with the new token. */
    readonly invite: (
      id: string,
      invitation: Invitation,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | StorageUnavailable>
    /**
     * The partner that calls with one of these tokens (verifiers of all interpretations of its header). The first use of a new token ends the old
     * one. Not scoped by organisation: the token identifies it.
     */
    readonly bearer: (
      verifiers: ReadonlyArray<Uint8Array>,
      now: number
    ) => Effect.Effect<Recognised | undefined, StorageUnavailable>
    /**
     * The first registration, which uses up the invitation. `Conflict` `token_gone` if what it is based on no longer exists (also for the later of
     * two simultaneous ones), `suspended` if the partner started it and was suspended in the meantime, `registered`, or `party_in_use`.
     */
    readonly register: (
      id: string,
      registration: Registration,
      audit: AuditContext
    ) => Effect.Effect<Partner, NotFound | Conflict | StorageUnavailable>
    /**
     * A further registration, with new tokens or another version. The old token is accepted for a while. `Conflict` `token_gone`, `suspended`,
     * `party_in_use` as above, `not_registered`, or `overtaken` if another renewal ended after the partner started this one; then the result of the
     * other one stays in force.
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
    /** The sealed token with which we call the partner; undefined if it is not registered. */
    readonly theirToken: (organisationId: string, id: string) => Effect.Effect<string | undefined, StorageUnavailable>
    /**
     * Stores a token that a partner may use for the calls it makes while we register with it or renew. It is valid in addition to the invitation and
     * to the tokens of other handshakes.
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
