/** Storage of single sign-on: what organisations have set, and which identity of a provider is which operator. */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { AuditContext } from "../values/AuditContext.ts"
import type { Claims, SingleSignOn, SignOnRefusal } from "./SingleSignOn.ts"

/** An organisation that people may sign in to by its provider. */
export interface SignOnOffer {
  readonly organisationId: string
  readonly organisationName: string
}

/** How a person names the organisation. */
export type SignOnChoice =
  | { readonly domain: string }
  /** OCPI's codes, as in SE and VLT. */
  | { readonly countryCode: string; readonly partyId: string }

/** What a person who came back from the provider is let in by. */
export interface SignOn {
  readonly organisationId: string
  readonly claims: Claims
  /** Of the state that the provider brought back: each works once. */
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
     * Without `clientSecret` the one before stays. `PermissionDenied` for a caller who may do less than an owner, `NotFound` for a role that is not
     * the organisation's, `Conflict` `local_owner_needed` where no active owner has a password.
     */
    readonly set: (
      settings: Omit<SingleSignOn, "organisationId" | "updatedAt" | "clientSecret"> & {
        readonly clientSecret?: string | undefined
      },
      audit: AuditContext
    ) => Effect.Effect<SingleSignOn, NotFound | Conflict | PermissionDenied | InvalidInput | StorageUnavailable>
    readonly remove: (audit: AuditContext) => Effect.Effect<void, NotFound | PermissionDenied | StorageUnavailable>
    /** At most two: more than one is a choice. */
    readonly offers: (choice: SignOnChoice | undefined) => Effect.Effect<ReadonlyArray<SignOnOffer>, StorageUnavailable>
    /** `Conflict` `state_used` for one that let someone in before. A refusal is noted in the audit log where `isNoted`. */
    readonly admit: (
      signOn: SignOn,
      isNoted: boolean,
      now: number
    ) => Effect.Effect<Admitted, Conflict | NotFound | StorageUnavailable>
  }
>()("voltlane/SingleSignOns") {}
