/**
 * Single sign-on: which people an organisation admits through its own identity provider (OpenID Connect), and with which role. A provider is trusted
 * for one organisation only. Its administrators can make it assert anything about anyone, so it never gives access to a person's work for other
 * organisations.
 */
import { builtInRoles, type BuiltInRole } from "./Role.ts"
import type { RoleRef } from "./Accounts.ts"
import type { SignOnDomain } from "./SignOnDomain.ts"

/** A group of the provider, and the role that its members get. */
export interface GroupRole {
  readonly group: string
  readonly role: RoleRef
}

/** An organisation's settings for single sign-on. */
export interface SingleSignOn {
  readonly organisationId: string
  /** Exactly as the provider writes it. */
  readonly issuer: string
  readonly clientId: string
  /** Sealed; undefined for a client without a secret, which only PKCE protects. */
  readonly clientSecret: string | undefined
  /** In addition to `openid`. */
  readonly scopes: ReadonlyArray<string>
  readonly groupsClaim: string
  /** The first entry with a group of the person applies. */
  readonly groupRoles: ReadonlyArray<GroupRole>
  /** For people in none of the groups; undefined: they are refused. */
  readonly defaultRole: RoleRef | undefined
  /** A person with a verified address in one of these domains that are verified may join without an invitation. */
  readonly domains: ReadonlyArray<SignOnDomain>
  /** Trusts addresses of providers that do not say whether they are verified. Meant for providers that the organisation runs itself. */
  readonly trustEmail: boolean
  readonly enabled: boolean
  /** Only owners may sign in with a password. */
  readonly passwordForOwnersOnly: boolean
  readonly updatedAt: number
}

/** What a provider said about a person. The signature and everything else has been verified. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  /** Undefined if the provider does not say. */
  readonly isEmailVerified: boolean | undefined
  readonly name: string | undefined
  readonly groups: ReadonlyArray<string>
  /** The provider says that it asked for a second factor (`amr` of RFC 8176 has `mfa`). */
  readonly isSecondFactor: boolean
}

/** Why a person with a proved identity is refused. */
export const signOnRefusals = {
  second_factor_missing:
    "This organisation requires a second factor, and the identity provider does not confirm that one was used.",
  operator_disabled: "This operator is disabled in the organisation.",
  email_unverified: "The identity provider does not confirm that the email address is verified.",
  domain_refused:
    "The email address is in none of the organisation's verified domains, and there is no invitation for it.",
  invitation_first:
    "The email address is in none of the organisation's verified domains. Accept the invitation with its link, then use single sign-on again in the same browser.",
  sign_in_first:
    "The operator with this email address also works for another organisation. Sign in with the password in this browser, then use single sign-on again to link the two.",
  linked_otherwise: "The account with this email address is linked to another identity at the provider.",
  no_role: "No group of this person gives a role in the organisation."
} as const

export type SignOnRefusal = keyof typeof signOnRefusals

interface KnownMember {
  readonly operatorId: string
  readonly active: boolean
  readonly role: BuiltInRole | undefined
}

/** What is stored about the identity and its email address. */
export interface KnownPerson {
  readonly requiresSecondFactor: boolean
  /** The member who signed in to this organisation with this identity before. */
  readonly identity:
    | {
        readonly member: KnownMember
        /** True if groups decide the role. False for owners who had an account before. */
        readonly isManaged: boolean
        /** True if the member was disabled because no group gave a role. */
        readonly isWithdrawn: boolean
      }
    | undefined
  /** The member of this organisation with the email address. Accounts with it that work for others only do not count. */
  readonly member:
    | (KnownMember & {
        readonly worksElsewhere: boolean
        /** True if the account is linked to another identity of this issuer. */
        readonly isLinked: boolean
      })
    | undefined
  /** The role of the open invitation for the address. */
  readonly invitation: RoleRef | undefined
  /** Who is signed in by password in the same browser. */
  readonly signedInAs:
    | {
        readonly operatorId: string
        /** True if the account has the email address. */
        readonly hasAddress: boolean
      }
    | undefined
}

/** The decision about a person. `role` is undefined if it does not change. */
export type Admission =
  | { readonly _tag: "Refused"; readonly why: SignOnRefusal; readonly withdrawn?: string }
  | { readonly _tag: "Known"; readonly operatorId: string; readonly role: RoleRef | undefined }
  | {
      readonly _tag: "Linked"
      readonly operatorId: string
      readonly role: RoleRef | undefined
      readonly isManaged: boolean
    }
  | { readonly _tag: "Joined"; readonly operatorId: string; readonly role: RoleRef }
  | { readonly _tag: "New"; readonly email: string; readonly name: string; readonly role: RoleRef }

/** The part after the last `@`, in lower case. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase()

/** The role that the groups give, otherwise the default role; undefined if there is neither. */
export const roleOfGroups = (
  { defaultRole, groupRoles }: Pick<SingleSignOn, "defaultRole" | "groupRoles">,
  groups: ReadonlyArray<string>
): RoleRef | undefined => groupRoles.find(({ group }) => groups.includes(group))?.role ?? defaultRole

type Settings = Pick<SingleSignOn, "defaultRole" | "domains" | "groupRoles" | "trustEmail">

/** Whether these settings decide roles. Without group roles and a default role, owners assign them. */
const decidesRoles = ({ defaultRole, groupRoles }: Pick<SingleSignOn, "defaultRole" | "groupRoles">): boolean =>
  groupRoles.length > 0 || defaultRole !== undefined

const refused = (why: SignOnRefusal): Admission => ({ _tag: "Refused", why })

const again = (
  settings: Settings,
  role: RoleRef | undefined,
  { isManaged, isWithdrawn, member: { active, operatorId } }: NonNullable<KnownPerson["identity"]>
): Admission => {
  if (!active && !isWithdrawn) return refused("operator_disabled")
  if (!isManaged || !decidesRoles(settings)) {
    return { _tag: "Known", operatorId, role: undefined }
  }
  if (role === undefined) return { _tag: "Refused", why: "no_role", withdrawn: operatorId }
  return { _tag: "Known", operatorId, role }
}

const withMember = (
  settings: Settings,
  role: RoleRef | undefined,
  { signedInAs }: KnownPerson,
  { active, isLinked, operatorId, role: held, worksElsewhere }: NonNullable<KnownPerson["member"]>
): Admission => {
  const isProved = signedInAs?.operatorId === operatorId
  // The address may now belong to another person.
  if (isLinked && !isProved) return refused("linked_otherwise")
  if (worksElsewhere && !isProved) return refused("sign_in_first")
  if (!active) return refused("operator_disabled")
  const isManaged = held !== "Owner"
  if (!isManaged || !decidesRoles(settings)) return { _tag: "Linked", operatorId, role: undefined, isManaged }
  return role === undefined ? refused("no_role") : { _tag: "Linked", operatorId, role, isManaged }
}

/**
 * Whether a person may sign in, and as which operator. A known identity signs in. An unknown one is linked to the member with its verified email
 * address, if that person works for this organisation alone or is signed in to the account in the same browser. A new person joins with an address in
 * a domain that the organisation has verified, or by an invitation and being signed in. Accounts of other organisations with the same address neither
 * help nor hinder: what a provider says about an address proves nothing about them.
 */
export const admission = (settings: Settings, claims: Claims, known: KnownPerson): Admission => {
  if (known.requiresSecondFactor && !claims.isSecondFactor) return refused("second_factor_missing")
  const role = roleOfGroups(settings, claims.groups)
  if (known.identity !== undefined) return again(settings, role, known.identity)
  const { email, name = "" } = claims
  if (email === undefined || !(claims.isEmailVerified ?? settings.trustEmail)) return refused("email_unverified")
  if (known.member !== undefined) return withMember(settings, role, known, known.member)
  const own = known.signedInAs?.hasAddress === true ? known.signedInAs.operatorId : undefined
  const isOwned = settings.domains.some(
    ({ domain, verifiedAt }) => verifiedAt !== undefined && domain === domainOf(email)
  )
  if (!isOwned) {
    if (known.invitation === undefined) return refused("domain_refused")
    if (own === undefined) return refused("invitation_first")
  }
  const joining = role ?? known.invitation
  if (joining === undefined) return refused("no_role")
  return own === undefined
    ? { _tag: "New", email, name, role: joining }
    : { _tag: "Joined", operatorId: own, role: joining }
}

/**
 * The permissions needed to set up a provider: all of an owner's, because an operator who controls the provider can sign in as any operator of the
 * organisation.
 */
export const neededForSingleSignOn: ReadonlyArray<string> = builtInRoles.Owner
