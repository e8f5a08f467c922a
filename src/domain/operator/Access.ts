/**
 * Organisations, operators and keys: who may call, and with what permissions. Storage receives secrets only as keyed hashes, see `values/Secrets`.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { KeyBounds } from "./KeyBounds.ts"
import type { ApiKey, Operator, Organisation } from "./Operator.ts"
import type { Principal, AuditContext } from "../values/AuditContext.ts"
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import type { StoredKey } from "./Keys.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** A key as it is stored. It is found by its public id and checked with its verifier. */
export interface NewKey extends Partial<KeyBounds> {
  readonly name: string
  readonly publicId: string
  readonly prefix: string
  readonly verifier: Uint8Array
  readonly permissions: ReadonlyArray<string> | undefined
  readonly operatorId: string
}

/** The replacement of a key. The old key ends after the overlap. */
export interface RotatedKey extends StoredKey {
  readonly permissions: ReadonlyArray<string> | undefined
  readonly expiresAt: number | undefined
  readonly overlapMillis: number
}

export interface NewOrganisation {
  readonly name: string
  readonly countryCode: string
  readonly partyId: string
  readonly operatorEmail: string
  /** Undefined: the operator cannot sign in until a password is set through a set-up link. */
  readonly operatorPasswordHash: string | undefined
  /** Refuses an address that has an account: at the first start, another process has then just created the organisation. */
  readonly operatorMustBeNew?: boolean
  readonly operatorPermissions: ReadonlyArray<string>
  readonly key: Omit<NewKey, "operatorId">
  readonly v1: { readonly clientId: string; readonly codeVerifier: Uint8Array }
}

export class Access extends Context.Service<
  Access,
  {
    /** True while the database has no organisation: the first start. */
    readonly isEmpty: Effect.Effect<boolean, StorageUnavailable>
    /**
     * Creates the organisation, its first operator, its first v2 key and its v1 pair in one transaction. `Conflict` `party_exists`,
     * `client_id_in_use`, or `operator_exists` with `operatorMustBeNew`.
     */
    readonly createOrganisation: (
      input: NewOrganisation,
      now: number
    ) => Effect.Effect<
      { readonly organisation: Organisation; readonly operatorId: string },
      Conflict | InvalidInput | StorageUnavailable
    >
    readonly organisation: (id: string) => Effect.Effect<Organisation, NotFound | StorageUnavailable>
    /** Every organisation of this service, oldest first. Only the platform's own operator may list them. */
    readonly organisations: (page: PageRequest) => Effect.Effect<Page<Organisation>, InvalidInput | StorageUnavailable>
    /** The operators of an organisation, oldest first. */
    readonly operators: (organisationId: string) => Effect.Effect<ReadonlyArray<Operator>, StorageUnavailable>
    readonly updateOrganisation: (
      patch: {
        readonly name?: string
        readonly timeZone?: string
        readonly closeSilentHours?: number
        readonly standbyPowerW?: number
        readonly requireSecondFactor?: boolean
        readonly policy?: Partial<ChargerPolicy>
      },
      audit: AuditContext
    ) => Effect.Effect<Organisation, NotFound | InvalidInput | StorageUnavailable>
    /**
     * The key's stored verifier and the principal that it acts for, or undefined for an unknown or revoked key. The permissions are the operator's
     * present ones, limited to the key's; none when the operator is inactive. Never cached longer than a second. The caller checks the bounds,
     * because it knows the address.
     */
    readonly findKey: (
      publicId: string
    ) => Effect.Effect<
      { readonly verifier: Uint8Array; readonly principal: Principal; readonly bounds: KeyBounds } | undefined,
      StorageUnavailable
    >
    readonly findV1: (
      clientId: string
    ) => Effect.Effect<{ readonly verifier: Uint8Array; readonly principal: Principal } | undefined, StorageUnavailable>
    /** Records that a key or v1 pair (`Principal.actor`) was used, and from which address. The write happens later, in the background. */
    readonly used: (actor: string, now: number, from?: string) => void
    /** `NotFound` for an operator of another organisation. */
    readonly createKey: (
      key: NewKey,
      audit: AuditContext
    ) => Effect.Effect<ApiKey, NotFound | InvalidInput | StorageUnavailable>
    readonly getKey: (organisationId: string, id: string) => Effect.Effect<ApiKey, NotFound | StorageUnavailable>
    /**
     * Replaces a key of the caller's own operator by a new one, in one transaction. The new key has the given permissions and lasts until
     * `expiresAt`; the old one ends after the overlap. `PermissionDenied` as for `revokeKey`; `Conflict` `key_ended` for a key that is revoked or has
     * expired, `other_operators_key` for a key of another operator.
     */
    readonly rotateKey: (
      id: string,
      next: RotatedKey,
      audit: AuditContext
    ) => Effect.Effect<ApiKey, NotFound | PermissionDenied | Conflict | InvalidInput | StorageUnavailable>
    readonly listKeys: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<ApiKey>, InvalidInput | StorageUnavailable>
    /**
     * `PermissionDenied` if the key now has a permission that the caller lacks. `Conflict` `last_full_key` for the last key with every permission,
     * unless `lastToo`: no remaining key could make another one over HTTP.
     */
    readonly revokeKey: (
      id: string,
      audit: AuditContext,
      options?: { readonly lastToo: boolean }
    ) => Effect.Effect<void, NotFound | PermissionDenied | Conflict | StorageUnavailable>
    /**
     * Makes a new key with every permission of the organisation's first operator and a new v1 pair, for an operator who has lost them. With
     * `revokeOthers` every other key and pair of the organisation ends, and every open link that was made with a key or by a person. All of it is
     * one transaction.
     */
    readonly restore: (
      given: {
        readonly key: Omit<NewKey, "operatorId" | "permissions">
        readonly v1: NewOrganisation["v1"]
        readonly revokeOthers: boolean
      },
      audit: AuditContext
    ) => Effect.Effect<
      {
        readonly key: ApiKey
        readonly revoked: { readonly keys: number; readonly pairs: number; readonly links: number }
      },
      NotFound | Conflict | InvalidInput | StorageUnavailable
    >
  }
>()("voltlane/Access") {}
