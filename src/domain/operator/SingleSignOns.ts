/** Storage of single sign-on: organisations' settings, and which identity of a provider belongs to which operator. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { Claims, SingleSignOn, SignOnRefusal } from "./SingleSignOn.ts"

/** An organisation that people can sign in to through its identity provider. */
export interface SignOnOffer {
  readonly organisationId: string
  readonly organisationName: string
}

/** How a person specifies the organisation. */
export type SignOnChoice =
  /** Only a verified one is found. */
  | { readonly domain: string }
  /** The OCPI codes, for example SE and VLT. */
  | { readonly countryCode: string; readonly partyId: string }

/** What decides about the admission of a person who came back from the provider. */
export interface SignOn {
  readonly organisationId: string
  readonly claims: Claims
  /** The hash of the state that the provider returned. Each state works once. */
  readonly stateHash: string
  /** Who is signed in by password in the same browser. */
  readonly signedInAs: string | undefined
  readonly network: string
}

export type Admitted =
  | { readonly _tag: "Admitted"; readonly operatorId: string; readonly organisationId: string }
  | { readonly _tag: "Refused"; readonly why: SignOnRefusal }

export class SingleSignOns extends Context.Service<
  SingleSignOns,
  {
    readonly find: (organisationId: string) => Effect.Effect<SingleSignOn | undefined, StorageUnavailable>
    /**
     * Without `clientSecret` the stored one is kept, unless the issuer or client id changes. `PermissionDenied` for a caller with fewer permissions
     * than an owner, `NotFound` for a role of another organisation, `Conflict` `local_owner_needed` if it is enabled and no active owner has a
     * password.
     */
    readonly set: (
      settings: Omit<SingleSignOn, "organisationId" | "updatedAt" | "clientSecret" | "domains"> & {
        readonly clientSecret?: string | undefined
        /** Those that were named before keep their tokens, and stay verified if they were. */
        readonly domains: ReadonlyArray<string>
      },
      audit: AuditContext
    ) => Effect.Effect<SingleSignOn, NotFound | Conflict | PermissionDenied | InvalidInput | StorageUnavailable>
    readonly remove: (audit: AuditContext) => Effect.Effect<void, NotFound | PermissionDenied | StorageUnavailable>
    /**
     * Verifies a domain, by the TXT records that were found, or without them by an operator of the platform (`PermissionDenied` for others).
     * `Conflict` `domain_record_missing`, or `domain_taken` while the domain belongs to another organisation: one whose own record is gone loses it.
     */
    readonly verifyDomain: (
      domain: string,
      values: ReadonlyArray<string> | undefined,
      audit: AuditContext
    ) => Effect.Effect<SingleSignOn, NotFound | Conflict | PermissionDenied | StorageUnavailable>
    /** Domains that are verified by their records, and whose records were not looked up since then. */
    readonly dueDomains: (
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly organisationId: string; readonly domain: string }>, StorageUnavailable>
    /** Notes the outcome of a look-up; `values` is undefined if there was no answer. */
    readonly recheckDomain: (
      organisationId: string,
      domain: string,
      values: ReadonlyArray<string> | undefined,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** At most two organisations: the caller only needs to know whether there is none, one or a choice. */
    readonly offers: (choice: SignOnChoice | undefined) => Effect.Effect<ReadonlyArray<SignOnOffer>, StorageUnavailable>
    /** `Conflict` `state_used` if a person was admitted with this state before. A refusal is recorded in the audit log if `isNoted`. */
    readonly admit: (
      signOn: SignOn,
      isNoted: boolean,
      now: number
    ) => Effect.Effect<Admitted, Conflict | NotFound | StorageUnavailable>
  }
>()("voltlane/SingleSignOns") {}
