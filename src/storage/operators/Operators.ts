/**
 * Storage of an organisation's operators and roles: who may do what. The domain has the rules; they are checked within the write. Part of
 * `Accounts`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound, PermissionDenied } from "../../domain/Errors.ts"
import type { OperatorRecord, RoleRecord } from "../../domain/event/RecordFact.ts"
import type { OperatorChange, RoleRef } from "../../domain/operator/Accounts.ts"
import type { Operator } from "../../domain/operator/Operator.ts"
import { beyond } from "../../domain/operator/Permission.ts"
import { type Grant, grantedBy, lastOwner, losesLastOwner, type Role } from "../../domain/operator/Role.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray } from "../kernel/Arrays.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, rowOf, rowsOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { closeVoid } from "./LinkChecks.ts"
import { memberColumns, MemberRow, members, toOperator, withOperator } from "./Members.ts"
import { ending } from "./SignIns.ts"

const pages = pagedList("operators", UuidKey, (row: typeof MemberRow.Type) => row.id)
const memberRows = rowsOf(MemberRow)

export const operators = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.operators")(function* (organisationId: string, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
          SELECT ${memberColumns(sql)} FROM membership m ${withOperator(sql)}
          WHERE ${own.rowsOf("m")} ${after === undefined ? sql`` : sql`AND m.operator_id > ${after}`}
          ORDER BY m.operator_id LIMIT ${pages.rows(request)}`,
        rows: memberRows,
        item: toOperator
      })
    )
  })

export const find = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const missing = new NotFound({ kind: "operator", id })
    if (!isUuid(id)) return yield* missing
    const [found] = yield* members(own`
      SELECT ${memberColumns(sql)} FROM membership m ${withOperator(sql)}
      WHERE ${own.rowsOf("m")} AND m.operator_id = ${id}`)
    return found ?? (yield* missing)
  })

export const operator = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.operator")((organisationId: string, id: string) =>
    guarded(find(sql, scopedTo(sql, organisationId), id))
  )

export const operatorRecord = (one: Operator): OperatorRecord => ({
  id: one.id,
  email: one.email,
  name: one.name,
  role: one.role ?? one.ownRole?.name ?? "",
  additions: one.additions,
  removals: one.removals,
  active: one.active
})

export const operatorFact = (
  before: Operator | undefined,
  after: Operator,
  factId: string,
  audit: Parameters<typeof factOf>[3]
) => {
  const type = before === undefined ? "OperatorAdded" : "OperatorChanged"
  const fact = factOf(type, `operator:${after.id}`, factId, audit)
  const records = { ...(before === undefined ? {} : { before: operatorRecord(before) }), after: operatorRecord(after) }
  return { ...fact, body: { by: audit.by.actor, ...records } }
}

export const addedFact = (after: Operator, factId: string, audit: Parameters<typeof factOf>[3]) =>
  operatorFact(undefined, after, factId, audit)

const RoleRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  permissions: Schema.Array(Schema.String),
  createdAt: Millis
})
const roleRow = rowOf(RoleRow)
const roleRows = rowsOf(RoleRow)

const roleColumns = (sql: SqlClient.SqlClient) => sql`r.id, r.name, r.permissions, r.created_at AS "createdAt"`

/** The maximum number of roles in one organisation: more than most have people. */
const rolesMost = 100

const rolesOf = (sql: SqlClient.SqlClient, own: Scoped) =>
  roleRows(
    own`SELECT ${roleColumns(sql)} FROM role r WHERE ${own.rowsOf("r")} ORDER BY r.created_at, r.id LIMIT ${rolesMost}`
  )

export const roles = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.roles")((organisationId: string) => guarded(rolesOf(sql, scopedTo(sql, organisationId))))

const findRole = (sql: SqlClient.SqlClient, own: Scoped, id: string) =>
  Effect.gen(function* () {
    const missing = new NotFound({ kind: "role", id })
    if (!isUuid(id)) return yield* missing
    const found = yield* roleRow(own`SELECT ${roleColumns(sql)} FROM role r WHERE ${own.rowsOf("r")} AND r.id = ${id}`)
    return found ?? (yield* missing)
  })

/** A grant with the given role and no other permissions. */
export const grantWith = (sql: SqlClient.SqlClient, own: Scoped, ref: RoleRef) =>
  Effect.gen(function* () {
    const plain = { additions: [], removals: [] }
    if (ref.role !== undefined) return { ...plain, role: ref.role, ownRole: undefined } satisfies Grant
    return { ...plain, role: undefined, ownRole: yield* findRole(sql, own, ref.roleId) } satisfies Grant
  })

/** Fails if the caller lacks one of the permissions: no one may give, take away or change permissions that they do not have. */
export const within = (audit: AuditContext, ...permissions: ReadonlyArray<ReadonlyArray<string>>) => {
  const lacking = [...new Set(permissions.flatMap((theirs) => beyond(audit.by.permissions, theirs)))]
  return lacking.length === 0 ? Effect.void : Effect.fail(new PermissionDenied({ requiredPermissions: lacking }))
}

export const worksElsewhere = (sql: SqlClient.SqlClient, own: Scoped, operatorId: string) =>
  Effect.map(
    sql`SELECT 1 FROM membership m WHERE m.operator_id = ${operatorId} AND m.organisation_id <> ${own.id} LIMIT 1`,
    (rows) => rows.length > 0
  )

export const otherOrganisations = new Conflict({
  code: "other_organisations",
  message: "This person also works for other organisations, so only the person can change this."
})

export const ownersOf = (sql: SqlClient.SqlClient, own: Scoped) =>
  members(own`
    SELECT ${memberColumns(sql)} FROM membership m ${withOperator(sql)}
    WHERE ${own.rowsOf("m")} AND m.role = 'Owner' AND m.active LIMIT 1000`)

const isSame = (a: Operator, b: Operator): boolean =>
  JSON.stringify(operatorRecord(a)) === JSON.stringify(operatorRecord(b)) && a.ownRole?.id === b.ownRole?.id

/** From now on an operator has decided whether this person is active, and the groups of single sign-on do not change it. */
const decidedHere = (own: Scoped, id: string) =>
  own`UPDATE operator_identity i SET withdrawn = false WHERE ${own.rowsOf("i")} AND i.operator_id = ${id} AND i.withdrawn`

export const changeOperator = (recording: Recording) =>
  Effect.fn("Accounts.changeOperator")(function* (id: string, change: OperatorChange, audit: AuditContext) {
    const { journaled, secrets, sql } = recording
    yield* storable(change)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* find(sql, own, id)
      const { active = before.active, name = before.name } = change
      const renamed = name !== before.name
      if (renamed && (yield* worksElsewhere(sql, own, id))) return yield* otherOrganisations
      const role = change.role === undefined ? before : yield* grantWith(sql, own, change.role)
      const grant: Grant = {
        role: role.role,
        ownRole: role.ownRole,
        additions: change.additions ?? before.additions,
        removals: change.removals ?? before.removals
      }
      const after: Operator = { ...before, ...grant, name, active, permissions: grantedBy(grant) }
      if (isSame(before, after)) {
        if (change.active === false) {
          yield* within(audit, before.permissions)
          yield* decidedHere(own, id)
        }
        return { result: before, facts: [] }
      }
      // A disabled operator's permissions count too, since they return when the operator is enabled again.
      yield* within(audit, before.permissions, after.permissions)
      if (losesLastOwner(yield* ownersOf(sql, own), after)) return yield* lastOwner
      yield* own`
        UPDATE membership m SET role = ${grant.role ?? null}, role_id = ${grant.ownRole?.id ?? null}::uuid, active = ${active},
          additions = ${textArray(grant.additions)}, removals = ${textArray(grant.removals)}
        WHERE ${own.rowsOf("m")} AND m.operator_id = ${id}`
      yield* decidedHere(own, id)
      if (renamed) yield* sql`UPDATE operator p SET name = ${name} WHERE p.id = ${id}`
      const theirs = sql`s.operator_id = ${id} AND s.organisation_id = ${own.id}`
      const by = { actor: audit.by.actor, now: audit.now }
      const ended = active ? [] : yield* ending(recording, theirs, by)
      const links = yield* closeVoid(recording, own, audit)
      return { result: after, facts: [operatorFact(before, after, secrets.uuid(audit.now), audit), ...ended, ...links] }
    })
    return yield* journaled(refusingValues(write))
  })

/** The caller's own name and language. */
export const changeProfile = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.changeProfile")(function* (
    patch: { readonly name?: string; readonly locale?: string },
    audit: AuditContext
  ) {
    yield* storable(patch)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* Effect.orDie(find(sql, own, audit.by.operatorId ?? ""))
      const after = { ...before, name: patch.name ?? before.name, locale: patch.locale ?? before.locale }
      yield* sql`UPDATE operator p SET name = ${after.name}, locale = ${after.locale} WHERE p.id = ${before.id}`
      const facts = isSame(before, after) ? [] : [operatorFact(before, after, secrets.uuid(audit.now), audit)]
      return { result: undefined, facts }
    })
    yield* journaled(refusingValues(write))
  })

const roleFact = (before: Role | undefined, after: Role | undefined, factId: string, audit: AuditContext) => {
  const type = before === undefined ? "RoleCreated" : after === undefined ? "RoleRemoved" : "RoleChanged"
  const record = ({ id, name, permissions }: Role): RoleRecord => ({ id, name, permissions })
  const fact = factOf(type, `role:${(before ?? after)?.id ?? ""}`, factId, audit)
  return {
    ...fact,
    body: {
      by: audit.by.actor,
      ...(before === undefined ? {} : { before: record(before) }),
      ...(after === undefined ? {} : { after: record(after) })
    }
  }
}

const roleExists = new Conflict({
  code: "role_exists",
  message: "A role with this name already exists. Choose another name."
})
const tooManyRoles = new Conflict({
  code: "too_many_roles",
  message: `An organisation can have at most ${rolesMost} roles. Remove one first.`
})

const nameTaken = (own: Scoped, name: string, id: string | undefined) =>
  Effect.map(
    own`SELECT 1 FROM role r WHERE ${own.rowsOf("r")} AND lower(r.name) = lower(${name}) AND r.id::text <> ${id ?? ""}`,
    (rows) => rows.length > 0
  )

export const createRole = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.createRole")(function* (
    input: { readonly name: string; readonly permissions: ReadonlyArray<string> },
    audit: AuditContext
  ) {
    yield* storable(input)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      yield* within(audit, input.permissions)
      if (yield* nameTaken(own, input.name, undefined)) return yield* roleExists
      if ((yield* rolesOf(sql, own)).length >= rolesMost) return yield* tooManyRoles
      const id = secrets.uuid(audit.now)
      yield* own`INSERT INTO role (id, organisation_id, name, permissions, created_at)
        VALUES (${id}, ${own.id}, ${input.name}, ${textArray(input.permissions)}, ${new Date(audit.now)})`
      const role: Role = { id, ...input, createdAt: audit.now }
      return { result: role, facts: [roleFact(undefined, role, id, audit)] }
    })
    return yield* journaled(refusingValues(write))
  })

export const changeRole = (recording: Recording) =>
  Effect.fn("Accounts.changeRole")(function* (
    id: string,
    patch: { readonly name?: string; readonly permissions?: ReadonlyArray<string> },
    audit: AuditContext
  ) {
    const { journaled, secrets, sql } = recording
    yield* storable(patch)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findRole(sql, own, id)
      const after = {
        ...before,
        name: patch.name ?? before.name,
        permissions: patch.permissions ?? before.permissions
      }
      yield* within(audit, before.permissions, after.permissions)
      if (yield* nameTaken(own, after.name, id)) return yield* roleExists
      yield* own`UPDATE role r SET name = ${after.name}, permissions = ${textArray(after.permissions)}
        WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      const links = yield* closeVoid(recording, own, audit)
      return { result: after, facts: [roleFact(before, after, secrets.uuid(audit.now), audit), ...links] }
    })
    return yield* journaled(refusingValues(write))
  })

const roleInUse = new Conflict({
  code: "role_in_use",
  message: "Operators, invitations or single sign-on groups have this role: give them another role first."
})

export const removeRole = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.removeRole")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const before = yield* findRole(sql, own, id)
      yield* within(audit, before.permissions)
      const having = yield* own`SELECT 1 FROM membership m WHERE ${own.rowsOf("m")} AND m.role_id = ${id} LIMIT 1`
      // Invitations that can no longer be accepted do not count.
      yield* own`DELETE FROM account_link l WHERE ${own.rowsOf("l")} AND l.role_id = ${id}
        AND (l.closed_at IS NOT NULL OR l.expires_at < ${new Date(audit.now)})`
      const invited = yield* own`SELECT 1 FROM account_link l WHERE ${own.rowsOf("l")} AND l.role_id = ${id} LIMIT 1`
      const grouped =
        yield* own`SELECT 1 FROM single_sign_on_role g WHERE ${own.rowsOf("g")} AND g.role_id = ${id} LIMIT 1`
      if (having.length + invited.length + grouped.length > 0) return yield* roleInUse
      yield* own`DELETE FROM role r WHERE ${own.rowsOf("r")} AND r.id = ${id}`
      return { result: undefined, facts: [roleFact(before, undefined, secrets.uuid(audit.now), audit)] }
    })
    yield* journaled(write)
  })
