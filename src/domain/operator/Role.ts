/**
 * What operators may do: a role, plus and minus permissions of their own. Five roles are built in; an organisation can make more. The rules about who may
 * change whom are here too, so that every face and the command line apply the same ones.
 */
import { Conflict } from "../Errors.ts"
import { beyond, type Permission, permissions } from "./Permission.ts"

export const builtInRoleNames = ["Owner", "Operations", "Money", "Support", "Viewer"] as const

export type BuiltInRole = (typeof builtInRoleNames)[number]

/** What the platform's own operator may do beside an owner: no organisation's role has it. */
const platformOnly: ReadonlyArray<Permission> = ["platform:admin"]

const organisations = permissions.filter((permission) => !platformOnly.includes(permission))

/** Reading that shows nothing about people, keys and their actions. */
const reading = organisations.filter(
  (permission) => permission.endsWith(":read") && !/^(?:api-keys|operators|audit|webhooks):/.test(permission)
)

/** In the order of the table of permissions. */
const withReading = (...more: ReadonlyArray<Permission>): ReadonlyArray<Permission> =>
  organisations.filter((permission) => reading.includes(permission) || more.includes(permission))

/** The permissions of the built-in roles. A later version's new permission is the owners' at once. */
export const builtInRoles: Readonly<Record<BuiltInRole, ReadonlyArray<Permission>>> = {
  /** Everything in the organisation. */
  Owner: organisations,
  /** Runs sites and chargers. */
  Operations: withReading(
    "sites:write",
    "chargers:write",
    "commands:write",
    "tokens:write",
    "webhooks:read",
    "webhooks:write",
    "audit:read"
  ),
  /** Sets prices, settles what is held, and deals with partners. */
  Money: withReading("sessions:write", "cdrs:write", "tariffs:write", "partners:write", "audit:read"),
  /** Helps drivers: commands to chargers, and their cards. */
  Support: withReading("commands:write", "tokens:write"),
  /** Looks. */
  Viewer: reading
}

export const isBuiltInRole = (name: string): name is BuiltInRole => Object.hasOwn(builtInRoles, name)

/** A role of one organisation's own. */
export interface Role {
  readonly id: string
  readonly name: string
  readonly permissions: ReadonlyArray<string>
  readonly createdAt: number
}

/** What decides what an operator may do in an organisation. */
export interface Grant {
  /** Undefined where the role is the organisation's own. */
  readonly role: BuiltInRole | undefined
  readonly ownRole: Pick<Role, "id" | "name" | "permissions"> | undefined
  readonly additions: ReadonlyArray<string>
  readonly removals: ReadonlyArray<string>
}

/** Role, plus additions, minus removals, in the order of the table. A permission that this version does not know grants nothing. */
export const grantedBy = (grant: Grant): ReadonlyArray<Permission> => {
  const ofRole: ReadonlyArray<string> =
    grant.role === undefined ? (grant.ownRole?.permissions ?? []) : builtInRoles[grant.role]
  return permissions.filter(
    (permission) =>
      (ofRole.includes(permission) || grant.additions.includes(permission)) && !grant.removals.includes(permission)
  )
}

/** An owner's grant with exactly these permissions: how first operators are made. */
export const ownerWith = (wanted: ReadonlyArray<string>): Grant => ({
  role: "Owner",
  ownRole: undefined,
  additions: beyond(builtInRoles.Owner, wanted),
  removals: beyond(wanted, builtInRoles.Owner)
})

/** A member of an organisation, as far as the rules about owners look at it. */
export interface Member extends Grant {
  readonly id: string
  readonly active: boolean
}

/** An owner who lacks nothing of that role, and so can give any permission back. */
const isOwner = (member: Member): boolean =>
  member.active && member.role === "Owner" && beyond(grantedBy(member), builtInRoles.Owner).length === 0

/** Whether the organisation would have no active owner left once `changed` is as given; `owners` are those that it has now. */
export const losesLastOwner = (owners: ReadonlyArray<Member>, changed: Member): boolean => {
  const before = owners.filter(isOwner)
  const wasOwner = before.some(({ id }) => id === changed.id)
  return wasOwner && !isOwner(changed) && before.length === 1
}

export const lastOwner = new Conflict({
  code: "last_owner",
  message:
    "This is the last active owner: make another operator an owner first. On the service's own machine, voltlane operators add-owner does so."
})
