/** Rows of an organisation's single sign-on. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RoleRef } from "../../domain/operator/Accounts.ts"
import { domainVerifiers } from "../../domain/operator/SignOnDomain.ts"
import { builtInRoleNames } from "../../domain/operator/Role.ts"
import type { SingleSignOn } from "../../domain/operator/SingleSignOn.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"
import type { Scoped } from "../kernel/Scoped.ts"

const settingsRow = rowOf(
  Schema.Struct({
    organisationId: Schema.String,
    issuer: Schema.String,
    clientId: Schema.String,
    clientSecret: optional(Schema.String),
    scopes: Schema.Array(Schema.String),
    groupsClaim: Schema.String,
    trustEmail: Schema.Boolean,
    enabled: Schema.Boolean,
    passwordForOwnersOnly: Schema.Boolean,
    updatedAt: Millis
  })
)

const roleRows = rowsOf(
  Schema.Struct({
    group: optional(Schema.String),
    role: optional(Schema.Literals(builtInRoleNames)),
    roleId: optional(Schema.String)
  })
)

const refOf = ({
  role,
  roleId
}: {
  readonly role: (typeof builtInRoleNames)[number] | undefined
  readonly roleId: string | undefined
}): RoleRef => (role === undefined ? { roleId: roleId ?? "" } : { role })

/** More than the API accepts. */
const rolesMost = 1000
const domainsMost = 100

const domainRows = rowsOf(
  Schema.Struct({
    domain: Schema.String,
    token: Schema.String,
    verifiedAt: optional(Millis),
    verifiedBy: optional(Schema.Literals(domainVerifiers)),
    checkedAt: optional(Millis),
    confirmedAt: optional(Millis)
  })
)

/** The domains of `single_sign_on_domain d`. */
export const domainsWhere = (sql: SqlClient.SqlClient, where: Statement.Fragment) =>
  domainRows(sql`
    SELECT d.domain, d.token, d.verified_at AS "verifiedAt", d.verified_by AS "verifiedBy", d.checked_at AS "checkedAt",
      d.confirmed_at AS "confirmedAt"
    FROM single_sign_on_domain d WHERE ${where} ORDER BY d.place LIMIT ${domainsMost}`)

export const settingsOf = (sql: SqlClient.SqlClient, own: Scoped) =>
  Effect.gen(function* () {
    const row = yield* settingsRow(own`
      SELECT x.organisation_id AS "organisationId", x.issuer, x.client_id AS "clientId", x.client_secret AS "clientSecret", x.scopes,
        x.groups_claim AS "groupsClaim", x.trust_email AS "trustEmail", x.enabled, x.password_for_owners_only AS "passwordForOwnersOnly",
        x.updated_at AS "updatedAt"
      FROM single_sign_on x WHERE ${own.rowsOf("x")}`)
    if (row === undefined) return undefined
    const rows = yield* roleRows(own`
      SELECT g.group_name AS "group", g.role, g.role_id AS "roleId" FROM single_sign_on_role g
      WHERE ${own.rowsOf("g")} ORDER BY g.place LIMIT ${rolesMost}`)
    const fallback = rows.find(({ group }) => group === undefined)
    const settings: SingleSignOn = {
      ...row,
      domains: yield* domainsWhere(sql, own.rowsOf("d")),
      groupRoles: rows.flatMap(({ group, ...ref }) => (group === undefined ? [] : [{ group, role: refOf(ref) }])),
      defaultRole: fallback === undefined ? undefined : refOf(fallback)
    }
    return settings
  })
