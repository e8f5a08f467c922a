/**
 * Organisations, operators and keys: who may call, and with what permissions. Secrets reach storage as keyed hashes only, see
 * `values/Secrets`.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { KeyBounds } from "./KeyBounds.ts"
import type { ApiKey, Operator, Organisation } from "./Operator.ts"
import type { Principal, AuditContext } from "../values/AuditContext.ts"
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import type { StoredKey } from "./Keys.ts"
import type { Page, PageRequest } from "../values/Page.ts"

/** A key as it is stored: found by its public id, checked with its verifier. */
export interface NewKey extends Partial<KeyBounds> {
  readonly name: string
  readonly publicId: string
  readonly prefix: string
  readonly verifier: Uint8Array
  readonly permissions: ReadonlyArray<string> | undefined
  readonly operatorId: string
}

/** What takes the place of a key; the old one ends after the overlap. */
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
  /** Undefined: the operator cannot log in until a password is set by a set-up link. */
  readonly operatorPasswordHash: string | undefined
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
     * Creates organisation, first operator, first v2 key and v1 pair at once. `Conflict` `party_exists`, `operator_exists` (the email
     * belongs to an operator already) or `client_id_in_use`.
     */
    readonly createOrganisation: (
      input: NewOrganisation,
      now: number
    ) => Effect.Effect<
      { readonly organisation: Organisation; readonly operatorId: string },
      Conflict | InvalidInput | StorageUnavailable
    >
    readonly organisation: (id: string) => Effect.Effect<Organisation, NotFound | StorageUnavailable>
    /** Every organisation of this service, oldest first: the platform's own operator alone may ask. */
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
     * The key's stored verifier and who it acts for, or undefined for an unknown or revoked one. Permissions are the operator's now,
     * cut down to the key's; none when the operator is inactive. Never cached longer than a second. Its bounds are for the caller to check, who knows
     * the address.
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
    /** Notes that a key or v1 pair (`Principal.actor`) was used, and from which address; written behind. */
    readonly used: (actor: string, now: number, from?: string) => void
    /** `NotFound` for an operator that is not the caller's organisation's. */
    readonly createKey: (
      key: NewKey,
      audit: AuditContext
    ) => Effect.Effect<ApiKey, NotFound | InvalidInput | StorageUnavailable>
    readonly getKey: (organisationId: string, id: string) => Effect.Effect<ApiKey, NotFound | StorageUnavailable>
    /**
     * A new key in place of one of the caller's operator, with what that one may do now, until `expiresAt`; the old one ends after the overlap. At once, or
     * not at all. `PermissionDenied` as for `revokeKey`; `Conflict` `key_ended` for one that is revoked or has expired, `other_operators_key` for one
     * of another operator.
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
     * `PermissionDenied` if the key has a permission at this moment that the caller lacks. `Conflict` `last_full_key` for the last key with every
     * permission, unless `lastToo`: no remaining key could make another over HTTP.
     */
    readonly revokeKey: (
      id: string,
      audit: AuditContext,
      options?: { readonly lastToo: boolean }
    ) => Effect.Effect<void, NotFound | PermissionDenied | Conflict | StorageUnavailable>
    /**
     * A new key with every permission of the organisation's first operator and a new v1 pair, for one who has lost his; with `revokeOthers` every
     * other key and pair of the organisation ends. All at once, or nothing.
     */
    readonly restore: (
      given: {
        readonly key: Omit<NewKey, "operatorId" | "permissions">
        readonly v1: NewOrganisation["v1"]
        readonly revokeOthers: boolean
      },
      audit: AuditContext
    ) => Effect.Effect<
      { readonly key: ApiKey; readonly revoked: { readonly keys: number; readonly pairs: number } },
      NotFound | Conflict | InvalidInput | StorageUnavailable
    >
  }
>()("voltlane/Access") {}
