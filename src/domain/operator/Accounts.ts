/**
 * People's accounts: their credentials, their sign-ins, their account links (set-up, invitation, reset), and who may do what in an organisation.
 * Storage receives passwords and secrets only hashed or sealed, see `Secrets`.
 */
import { Context, type Effect } from "effect"
import type { Conflict, FactorStale, InvalidInput, NotFound, PermissionDenied, StorageUnavailable } from "../Errors.ts"
import type { AuditContext, Principal } from "../values/AuditContext.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { CodeAttempt, CodeCount, CodeOutcome } from "./CodeFailures.ts"
import type { MadeItem, MadeRef } from "./MadeAccess.ts"
import type { Operator } from "./Operator.ts"
import type { BuiltInRole, Role } from "./Role.ts"
import type { NewSignIn, SignIn, Strength } from "./SignIn.ts"

/** The data of a person that signing in needs. Disabled memberships are left out. */
export interface Account {
  readonly operatorId: string
  readonly email: string
  readonly name: string
  readonly locale: string
  readonly passwordHash: string | undefined
  /** Sealed. */
  readonly totpSecret: string | undefined
  /** Sealed; not yet confirmed by a code. */
  readonly totpPending: string | undefined
  readonly totpStep: number
  readonly recoveryCodesLeft: number
  /** The one that was used last comes first. */
  readonly organisations: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly requiresSecondFactor: boolean
    /** The role of the person's membership; undefined for an organisation's own role. */
    readonly role: BuiltInRole | undefined
    readonly passwordForOwnersOnly: boolean
  }>
}

/** The second factor that the person presented: a time step of the authenticator app, or a recovery code. Storage accepts each one once. */
export type Factor =
  | { readonly _tag: "Totp"; readonly step: number }
  | { readonly _tag: "RecoveryCode"; readonly hash: string }

/** A sign-in that was not ended explicitly, with its present permissions. The caller checks whether it has expired. */
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

/** A built-in role by its name, or an organisation's own role by its id. */
export type RoleRef =
  | { readonly role: BuiltInRole; readonly roleId?: undefined }
  | { readonly roleId: string; readonly role?: undefined }

/** A link that works now. */
export interface AccountLink {
  readonly id: string
  readonly kind: LinkKind
  readonly organisationId: string
  readonly organisationName: string
  /** The operator who signs in with the link; undefined for an invitation. */
  readonly operatorId: string | undefined
  /** For an invitation or reset: the recipient's address. */
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
    /** The accounts with this email address, oldest first. Each may be another person's: no one proves an address to the service. */
    readonly byEmail: (email: string) => Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>
    /** The same accounts, as far as they have a password, with one query however many there are. */
    readonly passwordsOf: (
      email: string
    ) => Effect.Effect<
      ReadonlyArray<{ readonly operatorId: string; readonly passwordHash: string }>,
      StorageUnavailable
    >
    readonly byId: (operatorId: string) => Effect.Effect<Account | undefined, StorageUnavailable>

    /** `Conflict` `second_factor_used` for a code that was used before, `no_organisation` where the membership ended in the meantime. */
    readonly signIn: (
      who: { readonly operatorId: string; readonly organisationId: string },
      signIn: NewSignIn,
      factor: Factor | undefined,
      failuresBefore: number,
      now: number
    ) => Effect.Effect<SignIn, Conflict | StorageUnavailable>
    /** Concurrent look-ups share one query. */
    readonly findSignIn: (hash: string) => Effect.Effect<FoundSignIn | undefined, StorageUnavailable>
    /** Records an account's wrong passwords in the audit logs of its organisations. */
    readonly noteFailures: (
      operatorId: string,
      failures: number,
      network: string,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Decides about a code that was given for an account: what it proves, if it was not wrong. A wrong one is counted and recorded in the audit logs
     * of the person's organisations. Does not use up the code.
     */
    readonly tryCode: (
      attempt: Omit<CodeAttempt, "proved"> & { readonly factor: Factor | undefined },
      now: number
    ) => Effect.Effect<CodeOutcome, StorageUnavailable>
    /** The counts of an account's wrong codes. */
    readonly codeFailures: (operatorId: string) => Effect.Effect<ReadonlyArray<CodeCount>, StorageUnavailable>
    /** A person's sign-ins that are still valid, latest first. */
    readonly signIns: (operatorId: string, now: number) => Effect.Effect<ReadonlyArray<SignIn>, StorageUnavailable>
    /** Ends one of the caller's own sign-ins. */
    readonly endSignIn: (id: string, audit: AuditContext) => Effect.Effect<void, NotFound | StorageUnavailable>
    readonly endOtherSignIns: (kept: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    /**
     * Continues the caller's sign-in with another secret, in another organisation or with another proof. `strength` `SecondFactor` says that a second
     * factor was proved just now, by `factor` where that is a code. `Conflict` `second_factor_used` for a code that was used before.
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
    /** Also ends the caller's other sign-ins. */
    readonly changePassword: (passwordHash: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    readonly beginTotp: (sealed: string, audit: AuditContext) => Effect.Effect<void, StorageUnavailable>
    /**
     * Makes the pending secret the current one, with these recovery codes. `Conflict` `second_factor_used` where no secret is pending, or another
     * one was confirmed; `FactorStale` as for `Passkeys.add`. `isFirst`: it is the person's first second factor.
     */
    readonly confirmTotp: (
      step: number,
      recoveryHashes: ReadonlyArray<string>,
      audit: AuditContext
    ) => Effect.Effect<{ readonly isFirst: boolean }, Conflict | FactorStale | StorageUnavailable>
    readonly removeTotp: (factor: Factor, audit: AuditContext) => Effect.Effect<void, Conflict | StorageUnavailable>
    readonly replaceRecoveryCodes: (
      factor: Factor,
      recoveryHashes: ReadonlyArray<string>,
      audit: AuditContext
    ) => Effect.Effect<void, Conflict | StorageUnavailable>

    /**
     * Undefined for a link that was used, revoked or has expired, for one that is no longer in force (`isLinkInForce`), and for an unknown one.
     */
    readonly findLink: (hash: string, now: number) => Effect.Effect<AccountLink | undefined, StorageUnavailable>
    /**
     * Uses a link; each works once. A set-up gives the first operator an email, name and password. An invitation adds a membership to the account
     * `operatorId`, whose password the caller has checked; without one it makes a new account, whether or not the address has others. A reset sets
     * a new password, removes the second factor and ends all sign-ins. Returns the operator and the organisation to sign in to.
     */
    readonly useLink: (
      hash: string,
      given: {
        readonly email?: string
        readonly name?: string
        readonly passwordHash?: string
        readonly operatorId?: string
      },
      now: number
    ) => Effect.Effect<
      { readonly operatorId: string; readonly organisationId: string },
      Conflict | InvalidInput | StorageUnavailable
    >
    /** The set-up link of the first start, made for the organisation's first operator. */
    readonly createSetUp: (
      organisationId: string,
      operatorId: string,
      hash: string,
      now: number
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * `Conflict` `other_organisations` for a person who also works elsewhere, unless `machine`: the command then comes from the service's own
     * machine.
     */
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
    /** The invitations that can still be accepted, oldest first. */
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
    /**
     * Disabling an operator ends the operator's sign-ins in this organisation. `Conflict` `last_owner`; `Conflict` `other_organisations` when
     * changing the name of a person who also works elsewhere.
     */
    readonly changeOperator: (
      id: string,
      change: OperatorChange,
      audit: AuditContext
    ) => Effect.Effect<Operator, Refused>

    /** What an operator has made that gives access and still works, as far as the caller may see it. */
    readonly madeAccess: (
      operatorId: string,
      audit: AuditContext
    ) => Effect.Effect<ReadonlyArray<MadeItem>, NotFound | StorageUnavailable>
    /**
     * Closes some of it in one transaction: revokes keys, switches webhooks off, withdraws links and registration tokens. What no longer works, and
     * what another operator made, is ignored. Returns what was closed. `PermissionDenied` and `Conflict` as for each of them.
     */
    readonly closeMade: (
      operatorId: string,
      items: ReadonlyArray<MadeRef>,
      audit: AuditContext
    ) => Effect.Effect<ReadonlyArray<MadeItem>, Refused>
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
