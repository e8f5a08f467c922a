/**
 * What operators may do: a role, plus and minus individual permissions. Five roles are built in; an organisation can make more. The rules about who
 * may change whom are also here, so that every API and the command line apply the same ones.
 */
import { Conflict } from "../Errors.ts"
import { beyond, type Permission, permissions } from "./Permission.ts"

export const builtInRoleNames = ["Owner", "Operations", "Money", "Support", "Viewer"] as const

export type BuiltInRole = (typeof builtInRoleNames)[number]

/** Permissions that the platform's own operator has in addition to an owner's. No organisation's role has them. */
const platformOnly: ReadonlyArray<Permission> = ["platform:admin"]

const organisations = permissions.filter((permission) => !platformOnly.includes(permission))

/** Read permissions that show nothing about people, keys, webhooks and the audit log. */
const reading = organisations.filter(
  (permission) => permission.endsWith(":read") && !/^(?:api-keys|operators|audit|webhooks):/.test(permission)
)

/** The read permissions and `more`, in the order of `permissions`. */
const withReading = (...more: ReadonlyArray<Permission>): ReadonlyArray<Permission> =>
  organisations.filter((permission) => reading.includes(permission) || more.includes(permission))

/** The permissions of the built-in roles. Owners get the new permissions of a later version automatically. */
export const builtInRoles: Readonly<Record<BuiltInRole, ReadonlyArray<Permission>>> = {
  /** Everything in the organisation. */
  Owner: organisations,
  /** Runs sites and chargers. */
  Operations: withReading(
    "sites:write",
    "chargers:write",
    "chargers:secrets",
    "commands:write",
    "tokens:write",
    "webhooks:read",
    "webhooks:write",
    "audit:read"
  ),
  /** Sets prices, settles held sessions, and deals with partners. */
  Money: withReading("sessions:write", "cdrs:write", "tariffs:write", "partners:write", "audit:read"),
  /** Helps drivers: commands to chargers, and their cards. */
  Support: withReading("commands:write", "tokens:write"),
  /** Only reads. */
  Viewer: reading
}

export const isBuiltInRole = (name: string): name is BuiltInRole => Object.hasOwn(builtInRoles, name)

/** A role that one organisation made for itself. */
export interface Role {
  readonly id: string
  readonly name: string
  readonly permissions: ReadonlyArray<string>
  readonly createdAt: number
}

/** What an operator was granted in an organisation. */
export interface Grant {
  /** Undefined if the role is the organisation's own. */
  readonly role: BuiltInRole | undefined
  readonly ownRole: Pick<Role, "id" | "name" | "permissions"> | undefined
  readonly additions: ReadonlyArray<string>
  readonly removals: ReadonlyArray<string>
}

/**
 * The role's permissions, plus additions, minus removals, in the order of `permissions`. A permission that this version does not know grants nothing.
 */
export const grantedBy = (grant: Grant): ReadonlyArray<Permission> => {
  const ofRole: ReadonlyArray<string> =
    grant.role === undefined ? (grant.ownRole?.permissions ?? []) : builtInRoles[grant.role]
  return permissions.filter(
    (permission) =>
      (ofRole.includes(permission) || grant.additions.includes(permission)) && !grant.removals.includes(permission)
  )
}

/** A grant with the role Owner and exactly these permissions, for first operators. */
export const ownerWith = (wanted: ReadonlyArray<string>): Grant => ({
  role: "Owner",
  ownRole: undefined,
  additions: beyond(builtInRoles.Owner, wanted),
  removals: beyond(wanted, builtInRoles.Owner)
})

/** The data of a member that the rules about owners need. */
export interface Member extends Grant {
  readonly id: string
  readonly active: boolean
}

/** Whether the member is an active owner with every permission of that role, who can therefore give any permission back. */
const isOwner = (member: Member): boolean =>
  member.active && member.role === "Owner" && beyond(grantedBy(member), builtInRoles.Owner).length === 0

/** Whether the change to `changed` would leave the organisation without an active owner; `owners` are the present ones. */
export const losesLastOwner = (owners: ReadonlyArray<Member>, changed: Member): boolean => {
  const before = owners.filter(isOwner)
  const wasOwner = before.some(({ id }) => id === changed.id)
  return wasOwner && !isOwner(changed) && before.length === 1
}

export const lastOwner = new Conflict({
  code: "last_owner",
  message:
    "This is the last active owner: make another operator an owner first. On the service's own machine, use voltlane operators add-owner."
})
