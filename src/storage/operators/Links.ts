/** Storage of single-use links that give people access: set-up, invitations and resets. Part of `Accounts`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Conflict, InvalidInput, NotFound } from "../../domain/Errors.ts"
import type { AccountLink, Accounts, Invitation, LinkKind, RoleRef } from "../../domain/operator/Accounts.ts"
import { authorOf } from "../../domain/operator/LinkAuthority.ts"
import { grantedBy } from "../../domain/operator/Role.ts"
import { linkMillis } from "../../domain/operator/SignIn.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import type { PageRequest } from "../../domain/values/Page.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { pagedList, UuidKey } from "../kernel/Cursor.ts"
import type { factOf, Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf } from "../kernel/Rows.ts"
import { scopedTo, type Scoped } from "../kernel/Scoped.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { refusingValues, storable } from "../kernel/Storable.ts"
import { credentialFact, withoutPasskeys, withoutSecondFactor } from "./Credentials.ts"
import { credentialsOf, inForce, usableLink } from "./LinkChecks.ts"
import { grantOfLink, isOpen, linkColumns, linkFact, linkJoins, type LinkRow, linkRow, linkRows } from "./LinkRows.ts"
import { addedFact, find as findOperator, grantWith, otherOrganisations, within, worksElsewhere } from "./Operators.ts"
import { ending } from "./SignIns.ts"

const endRow = rowOf(Schema.Struct({ expiresAt: optional(Millis) }))

export const findLink = (recording: Recording) =>
  Effect.fn("Accounts.findLink")((hash: string, now: number) =>
    Effect.map(guarded(usableLink(recording, hash, now)), (row): AccountLink | undefined => row)
  )

const toInvitation = (row: LinkRow): Invitation => ({
  id: row.id,
  organisationId: row.organisationId,
  email: row.email,
  role: row.role,
  ownRole: row.ownRoleId === undefined ? undefined : { id: row.ownRoleId, name: row.ownRoleName ?? "" },
  createdAt: row.createdAt,
  expiresAt: row.expiresAt ?? row.createdAt + linkMillis
})

const pages = pagedList("invitations", UuidKey, (row: LinkRow) => row.id)

export const invitations = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.invitations")(function* (organisationId: string, now: number, request: PageRequest) {
    const own = scopedTo(sql, organisationId)
    const after = yield* pages.after(request)
    return yield* guarded(
      pages.read(sql, request, {
        statement: own`
          SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)}
          WHERE ${own.rowsOf("l")} AND l.kind = 'Invitation' AND ${isOpen(sql, now)}
            ${after === undefined ? sql`` : sql`AND l.id > ${after}`}
          ORDER BY l.id LIMIT ${pages.rows(request)}`,
        rows: linkRows,
        item: toInvitation
      })
    )
  })

type Audited = Parameters<typeof factOf>[3]

interface NewLink {
  readonly kind: LinkKind
  readonly hash: string
  readonly operatorId: string | null
  readonly email: string
  readonly role: string | null
  readonly roleId: string | null
}

/** How long links that no longer work are kept. */
const keptMillis = 30 * 24 * 3_600_000

/** A pair of REST v1 is neither a person nor the machine. It cannot get here, and could not be asked again when the link is used. */
const madeBy = (by: Parameters<typeof authorOf>[0]) => {
  const author = authorOf(by)
  return author === undefined ? Effect.die(`${by.actor} cannot make links`) : Effect.succeed(author)
}

/** A link of a key works at most as long as the key. */
const keyEnds = (own: Scoped, keyId: string | undefined) =>
  Effect.map(
    keyId === undefined
      ? Effect.undefined
      : endRow(own`SELECT k.expires_at AS "expiresAt" FROM api_key k WHERE ${own.rowsOf("k")} AND k.id = ${keyId}`),
    (row) => row?.expiresAt ?? Number.POSITIVE_INFINITY
  )

type Making = Pick<AuditContext, "now"> & { readonly by: Parameters<typeof authorOf>[0] }

const insert = (recording: Recording, own: Scoped, link: NewLink, { by, now }: Making) =>
  Effect.gen(function* () {
    const { secrets, sql } = recording
    yield* own`DELETE FROM account_link l WHERE ${own.rowsOf("l")}
      AND (l.closed_at < ${new Date(now - keptMillis)} OR l.expires_at < ${new Date(now - keptMillis)})`
    const { bySingleSignOn, keyId, operatorId } = yield* madeBy(by)
    const ends = Math.min(now + linkMillis, yield* keyEnds(own, keyId))
    const expires = link.kind === "SetUp" ? null : new Date(ends)
    const credentials = link.operatorId === null ? null : yield* credentialsOf(recording, link.operatorId)
    const id = secrets.uuid(now)
    yield* own`
      INSERT INTO account_link (id, organisation_id, kind, hash, operator_id, email, role, role_id, maker_operator_id, maker_key_id,
        maker_by_single_sign_on, credentials, created_at, expires_at)
      VALUES (${id}, ${own.id}, ${link.kind}, ${link.hash}, ${link.operatorId}::uuid, ${link.email}, ${link.role}, ${link.roleId}::uuid,
        ${operatorId ?? null}::uuid, ${keyId ?? null}::uuid, ${bySingleSignOn}, ${credentials}::bytea, ${new Date(now)}, ${expires})`
    const made = yield* linkRow(
      own`SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)} WHERE ${own.rowsOf("l")} AND l.id = ${id}`
    )
    return made ?? (yield* Effect.die("a link just made was not found"))
  })

export const createSetUp = (recording: Recording) =>
  Effect.fn("Accounts.createSetUp")(function* (organisationId: string, operatorId: string, hash: string, now: number) {
    const own = scopedTo(recording.sql, organisationId)
    const write = Effect.gen(function* () {
      const operator = yield* Effect.orDie(findOperator(recording.sql, own, operatorId))
      const link = { kind: "SetUp", hash, operatorId, email: operator.email, role: null, roleId: null } as const
      const by = { organisationId, actor: "platform", keyId: "platform", operatorId: undefined }
      const audit = { by, now }
      const made = yield* insert(recording, own, link, audit)
      return { result: undefined, facts: [linkFact("LinkCreated", made, made.id, audit)] }
    })
    yield* recording.journaled(write)
  })

/** Closes a person's set-up and reset links. */
export const closeFor = (sql: SqlClient.SqlClient, operatorId: string, now: number) =>
  sql`UPDATE account_link l SET closed_at = ${new Date(now)} WHERE l.operator_id = ${operatorId} AND l.closed_at IS NULL`

export const createReset = (recording: Recording) =>
  Effect.fn("Accounts.createReset")(function* (
    operatorId: string,
    hash: string,
    audit: AuditContext,
    options?: { readonly machine: boolean }
  ) {
    const { journaled, sql } = recording
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const operator = yield* findOperator(sql, own, operatorId)
      yield* within(audit, operator.permissions)
      if (options?.machine !== true && (yield* worksElsewhere(sql, own, operatorId))) return yield* otherOrganisations
      yield* closeFor(sql, operatorId, audit.now)
      const link = { kind: "Reset", hash, operatorId, email: operator.email, role: null, roleId: null } as const
      const made = yield* insert(recording, own, link, audit)
      const result = { expiresAt: made.expiresAt ?? audit.now }
      return { result, facts: [linkFact("LinkCreated", made, made.id, audit)] }
    })
    return yield* journaled(write)
  })

/** How many open invitations one organisation may have. */
const invitationsMost = 500

const operatorExists = new Conflict({
  code: "operator_exists",
  message: "An operator with this email address already works for this organisation."
})
const tooMany = new Conflict({
  code: "too_many_invitations",
  message: `At most ${invitationsMost} invitations can be open at a time: withdraw some first.`
})

const worksHere = (own: Scoped, email: string) =>
  Effect.map(
    own`SELECT 1 FROM membership m JOIN operator p ON p.id = m.operator_id
      WHERE ${own.rowsOf("m")} AND lower(p.email) = lower(${email})`,
    (rows) => rows.length > 0
  )

export const createInvitation = (recording: Recording) =>
  Effect.fn("Accounts.createInvitation")(function* (
    input: { readonly email: string; readonly role: RoleRef; readonly hash: string },
    audit: AuditContext
  ) {
    const { journaled, sql } = recording
    yield* storable(input)
    const own = scopedTo(sql, audit.by.organisationId)
    const write = Effect.gen(function* () {
      const grant = yield* grantWith(sql, own, input.role)
      yield* within(audit, grantedBy(grant))
      if (yield* worksHere(own, input.email)) return yield* operatorExists
      // A second invitation of the same person replaces the first.
      yield* own`UPDATE account_link l SET closed_at = ${new Date(audit.now)}
        WHERE ${own.rowsOf("l")} AND l.kind = 'Invitation' AND lower(l.email) = lower(${input.email}) AND l.closed_at IS NULL`
      const waiting = yield* own`SELECT 1 FROM account_link l
        WHERE ${own.rowsOf("l")} AND l.kind = 'Invitation' AND ${isOpen(sql, audit.now)} LIMIT ${invitationsMost}`
      if (waiting.length >= invitationsMost) return yield* tooMany
      const role = { role: grant.role ?? null, roleId: grant.ownRole?.id ?? null }
      const link = { kind: "Invitation", hash: input.hash, operatorId: null, email: input.email, ...role } as const
      const made = yield* insert(recording, own, link, audit)
      return { result: toInvitation(made), facts: [linkFact("LinkCreated", made, made.id, audit)] }
    })
    return yield* journaled(refusingValues(write))
  })

const waitingFor = (reading: Pick<Recording, "secrets" | "sql">, own: Scoped, email: string, now: number) => {
  const { sql } = reading
  const found = linkRow(own`SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)}
    WHERE ${own.rowsOf("l")} AND l.kind = 'Invitation' AND lower(l.email) = lower(${email}) AND ${isOpen(sql, now)} LIMIT 1`)
  return Effect.flatMap(found, (link) => inForce(reading, link, now))
}

/** The role of the open invitation for an address. */
export const invitationOf = (
  reading: Pick<Recording, "secrets" | "sql">,
  own: Scoped,
  email: string | undefined,
  now: number
) =>
  Effect.map(
    email === undefined ? Effect.undefined : waitingFor(reading, own, email, now),
    (link): RoleRef | undefined => {
      if (link === undefined) return undefined
      return link.role === undefined ? { roleId: link.ownRoleId ?? "" } : { role: link.role }
    }
  )

/** Closes the invitation of a person who joined by single sign-on. */
export const closeInvitation = (
  reading: Pick<Recording, "secrets" | "sql">,
  own: Scoped,
  email: string,
  audit: Audited
) =>
  Effect.gen(function* () {
    const { secrets } = reading
    const link = yield* waitingFor(reading, own, email, audit.now)
    if (link === undefined) return []
    yield* own`UPDATE account_link l SET closed_at = ${new Date(audit.now)} WHERE ${own.rowsOf("l")} AND l.id = ${link.id}`
    return [linkFact("LinkUsed", link, secrets.uuid(audit.now), audit)]
  })

export const revokeInvitation = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.revokeInvitation")(function* (id: string, audit: AuditContext) {
    const own = scopedTo(sql, audit.by.organisationId)
    const missing = new NotFound({ kind: "invitation", id })
    if (!isUuid(id)) return yield* missing
    const write = Effect.gen(function* () {
      const link = yield* linkRow(own`SELECT ${linkColumns(sql)} FROM account_link l ${linkJoins(sql)}
        WHERE ${own.rowsOf("l")} AND l.id = ${id} AND l.kind = 'Invitation' AND ${isOpen(sql, audit.now)}`)
      if (link === undefined) return yield* missing
      yield* within(audit, grantedBy(grantOfLink(link)))
      yield* own`UPDATE account_link l SET closed_at = ${new Date(audit.now)} WHERE ${own.rowsOf("l")} AND l.id = ${id}`
      return { result: undefined, facts: [linkFact("LinkRevoked", link, secrets.uuid(audit.now), audit)] }
    })
    yield* journaled(write)
  })

const linkVoid = new Conflict({
  code: "link_void",
  message: "This link was used or withdrawn, or has expired: ask for a new one."
})

type Given = Parameters<Accounts["Service"]["useLink"]>[1]

const needed = (value: string | undefined, pointer: string) =>
  value === undefined ? Effect.fail(new InvalidInput({ pointer, detail: "Is required" })) : Effect.succeed(value)

/** Creates or changes the operator that the link is for. */
const person = (sql: SqlClient.SqlClient, link: LinkRow, given: Given, newId: string, now: number) =>
  Effect.gen(function* () {
    const { operatorId } = link
    if (operatorId === undefined) {
      if (given.operatorId !== undefined) return given.operatorId
      const name = yield* needed(given.name, "/name")
      const hash = yield* needed(given.passwordHash, "/password")
      yield* sql`INSERT INTO operator (id, email, name, password_hash, created_at)
        VALUES (${newId}, ${link.email}, ${name}, ${hash}, ${new Date(now)})`
      return newId
    }
    const { email = null, name = null, passwordHash = null } = given
    yield* sql`
      UPDATE operator p SET email = coalesce(${email}::text, p.email), name = coalesce(${name}::text, p.name),
        password_hash = coalesce(${passwordHash}::text, p.password_hash)
      WHERE p.id = ${operatorId}`
    return operatorId
  })

const join = (own: Scoped, link: LinkRow, operatorId: string, now: number) => own`
  INSERT INTO membership AS m (organisation_id, operator_id, role, role_id, created_at)
  VALUES (${own.id}, ${operatorId}, ${link.role ?? null}, ${link.ownRoleId ?? null}::uuid, ${new Date(now)})
  ON CONFLICT (organisation_id, operator_id) DO NOTHING`

export const useLink = (recording: Recording) =>
  Effect.fn("Accounts.useLink")(function* (hash: string, given: Given, now: number) {
    const { journaled, secrets, sql } = recording
    yield* storable(given)
    const write = Effect.gen(function* () {
      const link = yield* usableLink(recording, hash, now)
      if (link === undefined) return yield* linkVoid
      const own = scopedTo(sql, link.organisationId)
      // An address belongs to one operator of an organisation at most.
      if (link.kind === "Invitation" && (yield* worksHere(own, link.email))) return yield* linkVoid
      yield* own`UPDATE account_link l SET closed_at = ${new Date(now)} WHERE ${own.rowsOf("l")} AND l.id = ${link.id}`
      const operatorId = yield* person(sql, link, given, secrets.uuid(now), now)
      const by = { organisationId: link.organisationId, actor: `operator:${operatorId}` }
      const audit = { by, now }
      const facts = []
      if (link.kind === "Invitation") {
        // An organisation that made a reset link before the person joined another one must not get into that one with it.
        yield* closeFor(sql, operatorId, now)
        yield* join(own, link, operatorId, now)
        const added = yield* Effect.orDie(findOperator(sql, own, operatorId))
        facts.push(addedFact(added, secrets.uuid(now), audit))
      } else {
        yield* closeFor(sql, operatorId, now)
        yield* withoutSecondFactor(sql, operatorId)
        yield* withoutPasskeys(sql, operatorId)
        const ended = yield* ending(recording, sql`s.operator_id = ${operatorId}`, { actor: by.actor, now })
        facts.push(credentialFact("PasswordChanged", operatorId, secrets.uuid(now), audit), ...ended)
      }
      return {
        result: { operatorId, organisationId: link.organisationId },
        facts: [linkFact("LinkUsed", link, secrets.uuid(now), audit), ...facts]
      }
    })
    return yield* journaled(refusingValues(write))
  })
