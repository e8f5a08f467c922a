/** Rows of links that give people access, and their facts. Part of `Accounts`. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { LinkChange } from "../../domain/event/RecordFact.ts"
import { linkKinds } from "../../domain/operator/Accounts.ts"
import { builtInRoleNames, type Grant } from "../../domain/operator/Role.ts"
import { factOf } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf } from "../kernel/Rows.ts"

const LinkRow = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(linkKinds),
  organisationId: Schema.String,
  organisationName: Schema.String,
  operatorId: optional(Schema.String),
  email: Schema.String,
  role: optional(Schema.Literals(builtInRoleNames)),
  ownRoleId: optional(Schema.String),
  ownRoleName: optional(Schema.String),
  ownRolePermissions: optional(Schema.Array(Schema.String)),
  makerOperatorId: optional(Schema.String),
  makerKeyId: optional(Schema.String),
  makerBySingleSignOn: Schema.Boolean,
  credentials: optional(Schema.Uint8Array),
  createdAt: Millis,
  expiresAt: optional(Millis)
})
export type LinkRow = typeof LinkRow.Type

export const linkRow = rowOf(LinkRow)
export const linkRows = rowsOf(LinkRow)

export const linkColumns = (sql: SqlClient.SqlClient) => sql`
  l.id, l.kind, l.organisation_id AS "organisationId", o.name AS "organisationName",
  l.operator_id AS "operatorId", l.email, l.role,
  r.id AS "ownRoleId", r.name AS "ownRoleName", r.permissions AS "ownRolePermissions", l.maker_operator_id AS "makerOperatorId",
  l.maker_key_id AS "makerKeyId", l.maker_by_single_sign_on AS "makerBySingleSignOn", l.credentials, l.created_at AS "createdAt",
  l.expires_at AS "expiresAt"`

/** Joins the organisation and the role to `account_link l`. */
export const linkJoins = (sql: SqlClient.SqlClient) => sql`
  JOIN organisation o ON o.id = l.organisation_id
  LEFT JOIN role r ON r.organisation_id = l.organisation_id AND r.id = l.role_id`

/** Neither used nor withdrawn nor expired. */
export const isOpen = (sql: SqlClient.SqlClient, now: number) =>
  sql`l.closed_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > ${new Date(now)})`

/** What an invitation gives. */
export const grantOfLink = (link: LinkRow): Grant => ({
  role: link.role,
  ownRole:
    link.ownRoleId === undefined
      ? undefined
      : { id: link.ownRoleId, name: link.ownRoleName ?? "", permissions: link.ownRolePermissions ?? [] },
  additions: [],
  removals: []
})

export const linkFact = (type: LinkChange, link: LinkRow, factId: string, audit: Parameters<typeof factOf>[3]) => {
  const role = link.role ?? link.ownRoleName
  const record = {
    id: link.id,
    kind: link.kind,
    email: link.email,
    ...(role === undefined ? {} : { role }),
    ...(link.expiresAt === undefined ? {} : { expiresAt: link.expiresAt })
  }
  const fact = factOf(type, `link:${link.id}`, factId, audit)
  return { ...fact, body: { by: audit.by.actor, ...(type === "LinkRevoked" ? { before: record } : { after: record }) } }
}
