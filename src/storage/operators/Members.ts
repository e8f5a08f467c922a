/** Rows of operators as members of an organisation, with what they may do there: fragments for reading keys, sign-ins and accounts. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Operator } from "../../domain/operator/Operator.ts"
import { builtInRoleNames, type Grant, grantedBy } from "../../domain/operator/Role.ts"
import { Millis, optional, rowsOf } from "../kernel/Rows.ts"

const Permissions = Schema.Array(Schema.String)

/** The fields of `grantColumns`. */
export const GrantFields = {
  role: optional(Schema.Literals(builtInRoleNames)),
  ownRoleId: optional(Schema.String),
  ownRoleName: optional(Schema.String),
  ownRolePermissions: optional(Permissions),
  additions: Permissions,
  removals: Permissions,
  active: Schema.Boolean
}

const GrantRow = Schema.Struct(GrantFields)

/** The columns of `membership m` and `role r`. */
export const grantColumns = (sql: SqlClient.SqlClient) => sql`
  m.role, m.additions, m.removals, m.active, r.id AS "ownRoleId", r.name AS "ownRoleName", r.permissions AS "ownRolePermissions"`

const ownRole = (sql: SqlClient.SqlClient) => sql`
  LEFT JOIN role r ON r.organisation_id = m.organisation_id AND r.id = m.role_id`

/** Joins the membership for a row with `organisation_id` and `operator_id`. */
export const withRole = (sql: SqlClient.SqlClient, alias: string) => sql`
  JOIN membership m ON m.organisation_id = ${sql(alias)}.organisation_id AND m.operator_id = ${sql(alias)}.operator_id ${ownRole(sql)}`

/** Joins the operator to `membership m`. */
export const withOperator = (sql: SqlClient.SqlClient) => sql`
  JOIN operator p ON p.id = m.operator_id ${ownRole(sql)}`

export const grantOf = (row: typeof GrantRow.Type): Grant => ({
  role: row.role,
  ownRole:
    row.ownRoleId === undefined
      ? undefined
      : { id: row.ownRoleId, name: row.ownRoleName ?? "", permissions: row.ownRolePermissions ?? [] },
  additions: row.additions,
  removals: row.removals
})

export const permissionsOf = (row: typeof GrantRow.Type): ReadonlyArray<string> => grantedBy(grantOf(row))

export const MemberRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  email: Schema.String,
  name: Schema.String,
  locale: Schema.String,
  hasPassword: Schema.Boolean,
  hasSecondFactor: Schema.Boolean,
  hasIdentity: Schema.Boolean,
  createdAt: Millis,
  ...GrantFields
})

/** The columns for `withOperator`. */
export const memberColumns = (sql: SqlClient.SqlClient) => sql`
  m.operator_id AS id, m.organisation_id AS "organisationId", p.email, p.name, p.locale, p.password_hash IS NOT NULL AS "hasPassword",
  p.totp_secret IS NOT NULL AS "hasSecondFactor",
  EXISTS (SELECT 1 FROM operator_identity i WHERE i.organisation_id = m.organisation_id AND i.operator_id = m.operator_id) AS "hasIdentity",
  m.created_at AS "createdAt", ${grantColumns(sql)}`

export const toOperator = (row: typeof MemberRow.Type): Operator => {
  const { active, createdAt, email, hasIdentity, hasPassword, hasSecondFactor, id, locale, name, organisationId } = row
  const person = {
    id,
    organisationId,
    email,
    name,
    locale,
    hasPassword,
    hasSecondFactor,
    hasIdentity,
    createdAt,
    active
  }
  return { ...person, ...grantOf(row), permissions: permissionsOf(row) }
}

const memberRows = rowsOf(MemberRow)

/** Runs a statement that selects `memberColumns`. */
export const members = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(memberRows(statement), (rows) => rows.map(toOperator))
