/**
 * People's accounts: what they sign in with, their sign-ins, the links that let them in, and who may do what in an organisation. Passwords and secrets reach
 * storage as hashes or sealed, see `Secrets`.
 */
import { Context, type Effect } from "effect"
import type { Conflict, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { AuditContext, Principal } from "../values/AuditContext.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Operator } from "./Operator.ts"
import type { BuiltInRole, Role } from "./Role.ts"
import type { NewSignIn, SignIn, Strength } from "./SignIn.ts"

/** What signing in looks at. Memberships that are disabled are not here. */
export interface Account {
  readonly operatorId: string
  readonly email: string
  readonly name: string
  readonly locale: string
  readonly passwordHash: string | undefined
  /** Sealed. */
  readonly totpSecret: string | undefined
  /** Sealed; not confirmed by a code. */
  readonly totpPending: string | undefined
  readonly totpStep: number
  readonly recoveryCodesLeft: number
  /** The one that was used last comes first. */
  readonly organisations: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly requiresSecondFactor: boolean
    /** Of the person's membership; undefined for one of the organisation's own. */
    readonly role: BuiltInRole | undefined
    readonly passwordForOwnersOnly: boolean
  }>
}

/** Which second factor was shown: a time step of the app, or a recovery code. Storage takes each once. */
export type Factor =
  | { readonly _tag: "Totp"; readonly step: number }
  | { readonly _tag: "RecoveryCode"; readonly hash: string }

/** A sign-in that nothing ended, with what it may do now. Whether it is over by time is the caller's to see. */
export interface FoundSignIn extends SignIn {
  readonly principal: Principal
  readonly requiresSecondFactor: boolean
}

export interface SignInRenewal {
  readonly hash: string
  readonly organisationId?: string
  readonly strength?: Strength
  readonly factor?: Factor
}

export const linkKinds = ["SetUp", "Invitation", "Reset"] as const
export type LinkKind = (typeof linkKinds)[number]

/** A built-in role by its name, or an organisation's own by its id. */
export type RoleRef =
  | { readonly role: BuiltInRole; readonly roleId?: undefined }
  | { readonly roleId: string; readonly role?: undefined }

/** A link that works now. */
export interface AccountLink {
  readonly id: string
  readonly kind: LinkKind
  readonly organisationId: string
  readonly organisationName: string
  /** Who signs in by it; undefined for an invitation to a person without an account. */
  readonly operatorId: string | undefined
  /** Of an invitation or reset: whom it is for. */
  readonly email: string
}

export interface Invitation {
  readonly id: string
  readonly organisationId: string
  readonly email: string
  readonly role: BuiltInRole | undefined
  readonly ownRole: Pick<Role, "id" | "name"> | undefined
  readonly createdAt: number
  readonly expiresAt: number
}

export interface OperatorChange {
  readonly name?: string | undefined
  readonly active?: boolean | undefined
  readonly role?: RoleRef | undefined
  readonly additions?: ReadonlyArray<string> | undefined
  readonly removals?: ReadonlyArray<string> | undefined
}

type Refused = NotFound | Conflict | PermissionDenied | InvalidInput | StorageUnavailable

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly byEmail: (email: string) => Effect.Effect<Account | undefined, StorageUnavailable>
    readonly byId: (operatorId: string) => Effect.Effect<Account | undefined, StorageUnavailable>

    /** `Conflict` `second_factor_used` for a code that was taken before, `no_organisation` where the membership ended meanwhile. */
    readonly signIn: (
      who: { readonly operatorId: string; readonly organisationId: string },
      signIn: NewSignIn,
      factor: Factor | undefined,
      failuresBefore: number,
      now: number
    ) => Effect.Effect<SignIn, Conflict | StorageUnavailable>
    /** Looked up together with others that come at the same time. */
    readonly findSignIn: (hash: string) => Effect.Effect<FoundSignIn | undefined, StorageUnavailable>
    /** Notes failures of an account in the audit logs of its organisations. */
    readonly noteFailures: (
      operatorId: string,
      failures: number,
      network: string,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** Those of a person that work, the latest first. */
    readonly signIns: (operatorId: string, now: number) => Effect.Effect<ReadonlyArray<SignIn>, StorageUnavailable>
    /** Ends one, or all but `kept`, of the caller's own. */
    readonly endSignIn: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    readonly endOtherSignIns: (kept: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    /**
     * The caller's sign-in goes on under another secret, in another organisation or by another proof; `strength` `SecondFactor` says that a second factor
     * was proved just now, by `factor` where that is a code. `Conflict` `second_factor_used` for a code that was taken before.
     */
    readonly renewSignIn: (
      id: string,
      change: SignInRenewal,
      audit: AuditContext
    ) => Effect.Effect<SignIn, NotFound | Conflict | StorageUnavailable>

    readonly changeProfile: (
      patch: { readonly name?: string; readonly locale?: string },
      audit: AuditContext
    ) => Effect.Effect<void, InvalidInput | StorageUnavailable>
    /** Ends the caller's other sign-ins. */
    readonly changePassword: (passwordHash: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    readonly beginTotp: (sealed: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    /** The pending secret holds from now on, with these recovery codes. `Conflict` `second_factor_used` where none is pending. */
    readonly confirmTotp: (
      step: number,
      recoveryHashes: ReadonlyArray<string>,
      audit: AuditContext
    ) => Effect.Effect<void, Conflict | StorageUnavailable>
    readonly removeTotp: (factor: Factor, audit: AuditContext) => Effect.Effect<void, Conflict | StorageUnavailable>
    readonly replaceRecoveryCodes: (
      factor: Factor,
      recoveryHashes: ReadonlyArray<string>,
      audit: AuditContext
    ) => Effect.Effect<void, Conflict | StorageUnavailable>

    /** Undefined for one that was used, was taken back, has expired or never was. */
    readonly findLink: (hash: string, now: number) => Effect.Effect<AccountLink | undefined, StorageUnavailable>
    /**
     * Uses a link, once: a set-up gives the first operator an email, name and password; an invitation makes an account, or adds a membership to one;
     * a reset gives a new password, removes the second factor and ends all sign-ins. Answers whom it signs in, and where.
     */
    readonly useLink: (
      hash: string,
      given: { readonly email?: string; readonly name?: string; readonly passwordHash?: string },
      now: number
    ) => Effect.Effect<
      { readonly operatorId: string; readonly organisationId: string },
      Conflict | InvalidInput | StorageUnavailable
    >
    /** The link of the first start: made for the organisation's first operator. */
    readonly createSetUp: (
      organisationId: string,
      operatorId: string,
      hash: string,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /** `Conflict` `other_organisations` for a person who also works elsewhere, unless `machine`: then it is the owner of the machine who asks. */
    readonly createReset: (
      operatorId: string,
      hash: string,
      audit: AuditContext,
      options?: { readonly machine: boolean }
    ) => Effect.Effect<{ readonly expiresAt: number }, Refused>
    readonly createInvitation: (
      input: { readonly email: string; readonly role: RoleRef; readonly hash: string },
      audit: AuditContext
    ) => Effect.Effect<Invitation, Refused>
    readonly revokeInvitation: (
      id: string,
      audit: AuditContext
    ) => Effect.Effect<void, NotFound | PermissionDenied | StorageUnavailable>
    /** Those that can still be accepted, oldest first. */
    readonly invitations: (
      organisationId: string,
      now: number,
      page: PageRequest
    ) => Effect.Effect<Page<Invitation>, InvalidInput | StorageUnavailable>

    readonly operators: (
      organisationId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Operator>, InvalidInput | StorageUnavailable>
    readonly operator: (organisationId: string, id: string) => Effect.Effect<Operator, NotFound | StorageUnavailable>
    /** Disabling ends the operator's sign-ins in this organisation. `Conflict` `last_owner`, or `other_organisations` for a name. */
    readonly changeOperator: (
      id: string,
      change: OperatorChange,
      audit: AuditContext
    ) => Effect.Effect<Operator, Refused>

    /** The organisation's own roles, oldest first. */
    readonly roles: (organisationId: string) => Effect.Effect<ReadonlyArray<Role>, StorageUnavailable>
    readonly createRole: (
      input: { readonly name: string; readonly permissions: ReadonlyArray<string> },
      audit: AuditContext
    ) => Effect.Effect<Role, Refused>
    readonly changeRole: (
      id: string,
      patch: { readonly name?: string; readonly permissions?: ReadonlyArray<string> },
      audit: AuditContext
    ) => Effect.Effect<Role, Refused>
    /** `Conflict` `role_in_use` while an operator or invitation has it. */
    readonly removeRole: (id: string, audit: AuditContext) => Effect.Effect<void, Refused>
  }
>()("voltlane/Accounts") {}
