/**
 * The people of an organisation: operators, their roles and invitations. No caller can grant, revoke or change permissions beyond their
 * own.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { madeKinds, madeMost } from "../../../domain/operator/MadeAccess.ts"
import { Email, Name, Time, Uuid } from "../../Fields.ts"
import { Conflict409, InvalidInput400, NotFound404 } from "../requests/Failures.ts"
import { openOperation, graveOperation, operation } from "../requests/Middleware.ts"
import { IdempotencyHeader, listOf, PageQuery } from "../requests/Paging.ts"
import { Code, LinkToken, Me, Password, Permissions, RoleId } from "./AccountFields.ts"

/**
 * Active: may sign in. Invited: has not set a password yet. Disabled: neither the operator nor their keys may do anything in this
 * organisation.
 */
const OperatorState = Schema.Literals(["Active", "Invited", "Disabled"])

const RoleSummary = Schema.Struct({ id: Schema.String, name: Schema.String })

export const Operator = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  locale: Schema.String,
  state: OperatorState,
  role: RoleSummary,
  additions: Schema.Array(Schema.String),
  removals: Schema.Array(Schema.String),
  permissions: Schema.Array(Schema.String),
  secondFactor: Schema.Boolean,
  singleSignOn: Schema.Boolean,
  createdAt: Time
}).annotate({ identifier: "Operator" })

export const OperatorChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  state: Schema.optionalKey(Schema.Literals(["Active", "Disabled"])),
  roleId: Schema.optionalKey(RoleId),
  additions: Schema.optionalKey(Permissions),
  removals: Schema.optionalKey(Permissions)
}).annotate({ identifier: "OperatorChange" })

/** A link that the inviting operator hands over. The service does not send it. */
const linkFields = {
  link: Schema.String.annotate({ description: "Works once, until it expires; shown only once" }),
  expiresAt: Time
}

const ResetLink = Schema.Struct(linkFields).annotate({ identifier: "ResetLink" })

const operatorParams = { operatorId: Uuid }

const MadeKind = Schema.Literals(madeKinds)

/** Something that an operator has made that gives access and still works. */
export const MadeAccess = Schema.Struct({
  kind: MadeKind,
  id: Schema.String,
  name: Schema.String,
  works: Schema.Boolean,
  createdAt: Time,
  expiresAt: Schema.NullOr(Time)
}).annotate({ identifier: "OperatorAccess" })

export const AccessClosing = Schema.Struct({
  items: Schema.Array(Schema.Struct({ kind: MadeKind, id: Uuid })).check(Schema.isMaxLength(madeMost))
}).annotate({ identifier: "AccessClosing" })

const ClosedAccess = Schema.Struct({ closed: Schema.Array(MadeAccess) }).annotate({ identifier: "ClosedAccess" })

export class OperatorsApi extends HttpApiGroup.make("operators").add(
  HttpApiEndpoint.get("list", "/v2/operators", { query: PageQuery, success: listOf(Operator) }).annotateMerge(
    operation("List the organisation's operators", "operators:read")
  ),
  HttpApiEndpoint.get("get", "/v2/operators/:operatorId", {
    params: operatorParams,
    success: Operator,
    error: NotFound404
  }).annotateMerge(operation("Read an operator", "operators:read")),
  HttpApiEndpoint.patch("update", "/v2/operators/:operatorId", {
    params: operatorParams,
    payload: OperatorChange,
    success: Operator,
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Change an operator's role, permissions or state", "operators:write")),
  HttpApiEndpoint.post("reset", "/v2/operators/:operatorId/reset", {
    headers: IdempotencyHeader,
    params: operatorParams,
    success: ResetLink.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Create a link with which an operator sets a new password", "operators:write")),
  HttpApiEndpoint.get("access", "/v2/operators/:operatorId/access", {
    params: operatorParams,
    query: PageQuery,
    success: listOf(MadeAccess),
    error: NotFound404
  }).annotateMerge(operation("List what an operator has made that gives access and still works", "operators:read")),
  HttpApiEndpoint.post("closeAccess", "/v2/operators/:operatorId/access/close", {
    headers: IdempotencyHeader,
    params: operatorParams,
    payload: AccessClosing,
    success: ClosedAccess,
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Close some of what an operator has made that gives access", "operators:write"))
) {}

export const Role = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  builtIn: Schema.Boolean,
  permissions: Schema.Array(Schema.String),
  createdAt: Schema.NullOr(Time)
}).annotate({ identifier: "Role" })

export const NewRole = Schema.Struct({ name: Name, permissions: Permissions }).annotate({ identifier: "NewRole" })

export const RoleChange = Schema.Struct({
  name: Schema.optionalKey(Name),
  permissions: Schema.optionalKey(Permissions)
}).annotate({ identifier: "RoleChange" })

const roleParams = { roleId: RoleId }

export class RolesApi extends HttpApiGroup.make("roles").add(
  HttpApiEndpoint.get("list", "/v2/roles", { query: PageQuery, success: listOf(Role) }).annotateMerge(
    operation("List roles: the built-in ones and the organisation's own", "operators:read")
  ),
  HttpApiEndpoint.get("get", "/v2/roles/:roleId", {
    params: roleParams,
    success: Role,
    error: NotFound404
  }).annotateMerge(operation("Read a role", "operators:read")),
  HttpApiEndpoint.post("create", "/v2/roles", {
    headers: IdempotencyHeader,
    payload: NewRole,
    success: Role.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Create a role of the organisation", "roles:write")),
  HttpApiEndpoint.patch("update", "/v2/roles/:roleId", {
    params: roleParams,
    payload: RoleChange,
    success: Role,
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Change a role of the organisation", "roles:write")),
  HttpApiEndpoint.delete("remove", "/v2/roles/:roleId", {
    params: roleParams,
    success: HttpApiSchema.NoContent,
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Remove a role that no operator has", "roles:write"))
) {}

const invitationFields = {
  id: Schema.String,
  email: Schema.String,
  role: RoleSummary,
  createdAt: Time,
  expiresAt: Time
}

export const Invitation = Schema.Struct(invitationFields).annotate({ identifier: "Invitation" })

const InvitationOnce = Schema.Struct({ ...invitationFields, link: linkFields.link }).annotate({
  identifier: "InvitationWithLink"
})

export const NewInvitation = Schema.Struct({ email: Email, roleId: RoleId }).annotate({ identifier: "NewInvitation" })

export const LinkAcceptance = Schema.Struct({
  token: LinkToken,
  name: Schema.optionalKey(Name),
  password: Password,
  code: Schema.optionalKey(Code)
}).annotate({ identifier: "LinkAcceptance" })

export class InvitationsApi extends HttpApiGroup.make("invitations").add(
  HttpApiEndpoint.get("list", "/v2/invitations", { query: PageQuery, success: listOf(Invitation) }).annotateMerge(
    operation("List invitations that can still be accepted", "operators:read")
  ),
  HttpApiEndpoint.post("create", "/v2/invitations", {
    headers: IdempotencyHeader,
    payload: NewInvitation,
    success: InvitationOnce.pipe(HttpApiSchema.status(201)),
    error: [NotFound404, Conflict409, InvalidInput400]
  }).annotateMerge(graveOperation("Invite a person with a link that you pass on", "operators:write")),
  HttpApiEndpoint.delete("remove", "/v2/invitations/:invitationId", {
    params: { invitationId: Uuid },
    success: HttpApiSchema.NoContent,
    error: NotFound404
  }).annotateMerge(operation("Withdraw an invitation", "operators:write")),
  HttpApiEndpoint.post("accept", "/v2/invitations/accept", {
    payload: LinkAcceptance,
    success: Me.pipe(HttpApiSchema.status(201)),
    error: [Conflict409, InvalidInput400]
  }).annotateMerge(openOperation("Accept an invitation, or set a new password, with its link"))
) {}
