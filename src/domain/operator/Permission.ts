/** What an operator may do. A key has its creator's permissions as they are at the time of the call, or fewer. */

export const permissions = [
  "sites:read",
  "sites:write",
  "chargers:read",
  "chargers:write",
  /** Reading the passwords in chargers' configuration and in the template, which are masked without it. */
  "chargers:secrets",
  "commands:read",
  "commands:write",
  "reservations:read",
  "sessions:read",
  "sessions:write",
  "tokens:read",
  "tokens:write",
  "cdrs:read",
  "cdrs:write",
  "tariffs:read",
  "tariffs:write",
  "partners:read",
  "partners:write",
  "webhooks:read",
  "webhooks:write",
  "events:read",
  "statistics:read",
  "audit:read",
  "api-keys:read",
  "api-keys:write",
  "operators:read",
  "operators:write",
  "roles:write",
  "organisation:read",
  "organisation:write",
  /** For the platform itself: creating organisations. Only the bootstrap operator has it. */
  "platform:admin"
] as const

export type Permission = (typeof permissions)[number]

/** The permissions in `theirs` that are not in `held`. A caller that lacks any of them may neither make nor revoke such a key. */
export const beyond = (held: ReadonlyArray<string>, theirs: ReadonlyArray<string>): ReadonlyArray<string> =>
  theirs.filter((permission) => !held.includes(permission))

/** The permissions in `required` that `held` lacks, in order. */
export const missing = (held: ReadonlyArray<string>, required: ReadonlyArray<Permission>): ReadonlyArray<Permission> =>
  required.filter((permission) => !held.includes(permission))

/** What a caller also needs for data that belong to no organisation, if the service holds several. */
export const ifShared: ReadonlyArray<Permission> = ["platform:admin"]
