/**
 * Admits the people that an organisation's identity provider vouches for: reads what is known of them, asks the domain to decide, and
 * writes the outcome. Part of `SingleSignOns`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { RoleRef } from "../../domain/operator/Accounts.ts"
import { builtInRoleNames, type Grant, grantedBy, losesLastOwner } from "../../domain/operator/Role.ts"
import { admission, type Admission, type Claims, type KnownPerson } from "../../domain/operator/SingleSignOn.ts"
import type { Admitted, SignOn } from "../../domain/operator/SingleSignOns.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { optional, rowOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { closeVoid } from "./LinkChecks.ts"
import { closeFor, closeInvitation, invitationOf } from "./Links.ts"
import { addedFact, find as findOperator, grantWith, operatorFact, ownersOf, worksElsewhere } from "./Operators.ts"
import { settingsOf } from "./SingleSignOnRows.ts"
import { ending } from "./SignIns.ts"

/** By then, the state in the browser has expired. */
const stateMillis = 3_600_000

const stateUsed = new Conflict({
  code: "state_used",
  message: "This sign-in at the identity provider was already used: start again."
})

const MemberFields = {
  operatorId: Schema.String,
  active: Schema.Boolean,
  role: optional(Schema.Literals(builtInRoleNames))
}

const identityRow = rowOf(Schema.Struct({ ...MemberFields, isManaged: Schema.Boolean, isWithdrawn: Schema.Boolean }))

const memberRow = rowOf(Schema.Struct({ ...MemberFields, isLinked: Schema.Boolean }))

const organisationRow = rowOf(Schema.Struct({ requiresSecondFactor: Schema.Boolean }))

const identityOf = (own: Scoped, { issuer, subject }: Claims) =>
  Effect.map(
    identityRow(own`
      SELECT m.operator_id AS "operatorId", m.active, m.role, i.managed AS "isManaged", i.withdrawn AS "isWithdrawn"
      FROM operator_identity i JOIN membership m ON m.organisation_id = i.organisation_id AND m.operator_id = i.operator_id
      WHERE ${own.rowsOf("i")} AND i.issuer = ${issuer} AND i.subject = ${subject}`),
    (row): KnownPerson["identity"] => {
      if (row === undefined) return undefined
      const { isManaged, isWithdrawn, ...member } = row
      return { member, isManaged, isWithdrawn }
    }
  )

const memberOf = (sql: SqlClient.SqlClient, own: Scoped, { email, issuer }: Claims) =>
  Effect.gen(function* () {
    if (email === undefined) return undefined
    const row = yield* memberRow(own`
      SELECT m.operator_id AS "operatorId", m.active, m.role,
        EXISTS (SELECT 1 FROM operator_identity i WHERE ${own.rowsOf("i")} AND i.operator_id = p.id AND i.issuer = ${issuer}) AS "isLinked"
      FROM operator p JOIN membership m ON m.operator_id = p.id AND ${own.rowsOf("m")}
      WHERE lower(p.email) = lower(${email}) ORDER BY m.created_at, p.id LIMIT 1`)
    return row === undefined ? undefined : { ...row, worksElsewhere: yield* worksElsewhere(sql, own, row.operatorId) }
  })

const signedInOf = (sql: SqlClient.SqlClient, { email }: Claims, operatorId: string | undefined) =>
  Effect.gen(function* () {
    if (operatorId === undefined) return undefined
    const same =
      yield* sql`SELECT 1 FROM operator p WHERE p.id = ${operatorId} AND lower(p.email) = lower(${email ?? ""})`
    return { operatorId, hasAddress: same.length > 0 }
  })

type Audited = Parameters<typeof factOf>[3]

const linkIdentity = (own: Scoped, { issuer, subject }: Claims, operatorId: string, isManaged: boolean, now: number) =>
  own`INSERT INTO operator_identity (organisation_id, issuer, subject, operator_id, managed, created_at)
    VALUES (${own.id}, ${issuer}, ${subject}, ${operatorId}, ${isManaged}, ${new Date(now)})`

/** Gives an operator a role, and enables or disables the operator. The last owner keeps the role, whatever the groups say. */
const changeMember = (
  { secrets, sql }: Recording,
  own: Scoped,
  operatorId: string,
  change: { readonly role: RoleRef | undefined; readonly active: boolean },
  audit: Audited
) =>
  Effect.gen(function* () {
    const before = yield* Effect.orDie(findOperator(sql, own, operatorId))
    const given = change.role === undefined ? before : yield* grantWith(sql, own, change.role)
    const isSameRole = given.role === before.role && given.ownRole?.id === before.ownRole?.id
    if (isSameRole && change.active === before.active) return []
    const grant: Grant = {
      role: given.role,
      ownRole: given.ownRole,
      additions: before.additions,
      removals: before.removals
    }
    const after = { ...before, ...grant, active: change.active, permissions: grantedBy(grant) }
    if (losesLastOwner(yield* ownersOf(sql, own), after)) return []
    yield* own`
      UPDATE membership m SET role = ${grant.role ?? null}, role_id = ${grant.ownRole?.id ?? null}::uuid, active = ${change.active}
      WHERE ${own.rowsOf("m")} AND m.operator_id = ${operatorId}`
    yield* own`UPDATE operator_identity i SET withdrawn = ${!change.active}
      WHERE ${own.rowsOf("i")} AND i.operator_id = ${operatorId}`
    const theirs = sql`s.operator_id = ${operatorId} AND s.organisation_id = ${own.id}`
    const by = { actor: audit.by.actor, now: audit.now }
    const ended = change.active ? [] : yield* ending({ secrets, sql }, theirs, by)
    const links = yield* closeVoid({ secrets, sql }, own, audit)
    return [operatorFact(before, after, secrets.uuid(audit.now), audit), ...ended, ...links]
  })

const joinOrganisation = (
  { secrets, sql }: Recording,
  own: Scoped,
  { claims, role }: { readonly claims: Claims; readonly role: RoleRef },
  operatorId: string,
  audit: Audited
) =>
  Effect.gen(function* () {
    const grant = yield* grantWith(sql, own, role)
    yield* own`INSERT INTO membership (organisation_id, operator_id, role, role_id, created_at)
      VALUES (${own.id}, ${operatorId}, ${grant.role ?? null}, ${grant.ownRole?.id ?? null}::uuid, ${new Date(audit.now)})`
    yield* linkIdentity(own, claims, operatorId, true, audit.now)
    // A reset link that another organisation made before would get it into this one.
    yield* closeFor(sql, operatorId, audit.now)
    const added = yield* Effect.orDie(findOperator(sql, own, operatorId))
    const used = yield* closeInvitation({ secrets, sql }, own, claims.email ?? "", audit)
    return [addedFact(added, secrets.uuid(audit.now), audit), ...used]
  })

const apply = (recording: Recording, own: Scoped, claims: Claims, decided: Admission, audit: Audited) =>
  Effect.gen(function* () {
    const { secrets, sql } = recording
    const linked = (operatorId: string) => ({
      ...factOf("IdentityLinked", `operator:${operatorId}`, secrets.uuid(audit.now), audit),
      body: { by: audit.by.actor, after: { operatorId, issuer: claims.issuer, subject: claims.subject } }
    })
    switch (decided._tag) {
      case "Refused":
        return decided.withdrawn === undefined
          ? []
          : yield* changeMember(recording, own, decided.withdrawn, { role: undefined, active: false }, audit)
      case "Known": {
        const { operatorId, role } = decided
        return yield* changeMember(recording, own, operatorId, { role, active: true }, audit)
      }
      case "Linked": {
        const { isManaged, operatorId, role } = decided
        yield* linkIdentity(own, claims, operatorId, isManaged, audit.now)
        const changes = yield* changeMember(recording, own, operatorId, { role, active: true }, audit)
        return [linked(operatorId), ...changes]
      }
      case "Joined": {
        const facts = yield* joinOrganisation(recording, own, { ...decided, claims }, decided.operatorId, audit)
        return [...facts, linked(decided.operatorId)]
      }
      case "New": {
        const operatorId = secrets.uuid(audit.now)
        yield* sql`INSERT INTO operator (id, email, name, created_at)
          VALUES (${operatorId}, ${decided.email}, ${decided.name}, ${new Date(audit.now)})`
        const facts = yield* joinOrganisation(recording, own, { ...decided, claims }, operatorId, audit)
        return [...facts, linked(operatorId)]
      }
    }
  })

const whoIs = (own: Scoped, { issuer, subject }: Claims) =>
  Effect.map(
    rowOf(Schema.Struct({ operatorId: Schema.String }))(own`
      SELECT i.operator_id AS "operatorId" FROM operator_identity i
      WHERE ${own.rowsOf("i")} AND i.issuer = ${issuer} AND i.subject = ${subject}`),
    (row) => row?.operatorId ?? ""
  )

/** Uses up a state: each admits only once. */
const useState = (own: Scoped, hash: string, now: number) =>
  Effect.gen(function* () {
    yield* own`DELETE FROM single_sign_on_state f WHERE ${own.rowsOf("f")} AND f.used_at < ${new Date(now - stateMillis)}`
    const taken = yield* own`INSERT INTO single_sign_on_state (organisation_id, hash, used_at)
      VALUES (${own.id}, ${hash}, ${new Date(now)}) ON CONFLICT (hash) DO NOTHING RETURNING hash`
    if (taken.length === 0) return yield* stateUsed
  })

const refusalFact = ({ claims, network }: SignOn, why: string, factId: string, audit: Audited) => {
  const { email, issuer, subject } = claims
  const fact = factOf("SingleSignOnRefused", `organisation:${audit.by.organisationId}`, factId, audit)
  const after = { issuer, subject, ...(email === undefined ? {} : { email }), why, network }
  return { ...fact, body: { by: audit.by.actor, after } }
}

export const admit = (recording: Recording) =>
  Effect.fn("SingleSignOns.admit")(function* (signOn: SignOn, isNoted: boolean, now: number) {
    const { journaled, secrets, sql } = recording
    const { claims, organisationId, signedInAs, stateHash } = signOn
    const own = scopedTo(sql, organisationId)
    const gone = new NotFound({ kind: "single sign-on", id: organisationId })
    if ([claims.subject, claims.email ?? "", claims.name ?? ""].some(unstorableText)) return yield* gone
    const audit = { by: { organisationId, actor: "platform" }, now }
    const write = Effect.gen(function* () {
      const settings = yield* settingsOf(sql, own)
      // Single sign-on was switched off, or the provider was changed, since the browser was sent there.
      if (settings?.enabled !== true || settings.issuer !== claims.issuer) return yield* gone
      yield* useState(own, stateHash, now)
      const organisation = yield* organisationRow(
        own`SELECT o.require_second_factor AS "requiresSecondFactor" FROM organisation o WHERE ${own.itself("o")}`
      )
      const decided = admission(settings, claims, {
        requiresSecondFactor: organisation?.requiresSecondFactor ?? true,
        identity: yield* identityOf(own, claims),
        member: yield* memberOf(sql, own, claims),
        invitation: yield* invitationOf(recording, own, claims.email, now),
        signedInAs: yield* signedInOf(sql, claims, signedInAs)
      })
      const facts = yield* apply(recording, own, claims, decided, audit)
      if (decided._tag !== "Refused") {
        const operatorId = yield* whoIs(own, claims)
        return { result: { _tag: "Admitted", operatorId, organisationId } satisfies Admitted as Admitted, facts }
      }
      const noted = isNoted ? [refusalFact(signOn, decided.why, secrets.uuid(now), audit)] : []
      return {
        result: { _tag: "Refused", why: decided.why } satisfies Admitted as Admitted,
        facts: [...facts, ...noted]
      }
    })
    return yield* journaled(write)
  })
