/** Storage of people's sign-ins: they are created, found by the hash of their cookie, renewed and ended. Part of `Accounts`. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { SignInChange } from "../../domain/event/RecordFact.ts"
import type { Account, Factor, FoundSignIn, SignInRenewal } from "../../domain/operator/Accounts.ts"
import { builtInRoleNames } from "../../domain/operator/Role.ts"
import {
  idleMillis,
  isOver,
  type NewSignIn,
  type SignIn,
  signInKey,
  signInPermissions,
  signInsMost,
  strengths,
  wholeMillis
} from "../../domain/operator/SignIn.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { isUuid } from "../../domain/values/Uuid7.ts"
import { textArray } from "../kernel/Arrays.ts"
import { makeBatched } from "../kernel/Batched.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf, rowsOf, Whole } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { unstorableText } from "../kernel/Storable.ts"
import { grantColumns, GrantFields, permissionsOf, withRole } from "./Members.ts"

const AccountRow = Schema.Struct({
  operatorId: Schema.String,
  email: Schema.String,
  name: Schema.String,
  locale: Schema.String,
  passwordHash: optional(Schema.String),
  totpSecret: optional(Schema.String),
  totpPending: optional(Schema.String),
  totpStep: Whole,
  recoveryCodesLeft: Schema.Int
})

const accountRows = rowsOf(AccountRow)

const organisationRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    requiresSecondFactor: Schema.Boolean,
    role: optional(Schema.Literals(builtInRoleNames)),
    passwordForOwnersOnly: Schema.Boolean
  })
)

/** How many organisations of one person are listed: more than anyone works for. */
const organisationsMost = 100

/** Joins the single sign-on of `organisation o`. */
const withSingleSignOn = (sql: SqlClient.SqlClient) => sql`LEFT JOIN single_sign_on x ON x.organisation_id = o.id`

const passwordForOwnersOnly = (sql: SqlClient.SqlClient) =>
  sql`coalesce(x.enabled AND x.password_for_owners_only, false) AS "passwordForOwnersOnly"`

export const organisationsOf = (sql: SqlClient.SqlClient, operatorId: string) =>
  organisationRows(sql`
    SELECT o.id, o.name, o.require_second_factor AS "requiresSecondFactor", m.role, ${passwordForOwnersOnly(sql)}
    FROM membership m JOIN organisation o ON o.id = m.organisation_id ${withSingleSignOn(sql)}
    WHERE m.operator_id = ${operatorId} AND m.active
    ORDER BY (SELECT max(s.created_at) FROM sign_in s WHERE s.operator_id = m.operator_id AND s.organisation_id = m.organisation_id) DESC NULLS LAST,
      m.created_at, o.id LIMIT ${organisationsMost}`)

/** How many accounts of one address are read. An organisation has one at most. */
const accountsMost = 1000

const accounts = (sql: SqlClient.SqlClient, where: Statement.Fragment) =>
  Effect.gen(function* () {
    const rows = yield* accountRows(sql`
      SELECT p.id AS "operatorId", p.email, p.name, p.locale, p.password_hash AS "passwordHash", p.totp_secret AS "totpSecret",
        p.totp_pending AS "totpPending", p.totp_step AS "totpStep",
        (SELECT count(*)::int FROM recovery_code c WHERE c.operator_id = p.id) AS "recoveryCodesLeft"
      FROM operator p WHERE ${where} ORDER BY p.created_at, p.id LIMIT ${accountsMost}`)
    return yield* Effect.forEach(rows, (row) =>
      Effect.map(organisationsOf(sql, row.operatorId), (organisations): Account => ({ ...row, organisations }))
    )
  })

export const byEmail = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.byEmail")(function* (email: string) {
    if (unstorableText(email)) return []
    return yield* guarded(accounts(sql, sql`lower(p.email) = lower(${email})`))
  })

const passwordRows = rowsOf(Schema.Struct({ operatorId: Schema.String, passwordHash: Schema.String }))

export const passwordsOf = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.passwordsOf")(function* (email: string) {
    if (unstorableText(email)) return []
    return yield* guarded(
      passwordRows(sql`
        SELECT p.id AS "operatorId", p.password_hash AS "passwordHash" FROM operator p
        WHERE lower(p.email) = lower(${email}) AND p.password_hash IS NOT NULL ORDER BY p.created_at, p.id LIMIT ${accountsMost}`)
    )
  })

export const byId = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.byId")((operatorId: string) =>
    Effect.map(guarded(accounts(sql, sql`p.id = ${operatorId}`)), ([found]) => found)
  )

const fields = {
  id: Schema.String,
  operatorId: Schema.String,
  organisationId: Schema.String,
  createdAt: Millis,
  seenAt: Millis,
  strength: Schema.Literals(strengths),
  singleSignOn: Schema.Boolean,
  network: Schema.String,
  agent: Schema.String
}

const signInRow = rowOf(Schema.Struct(fields))
export const signInRows = rowsOf(Schema.Struct(fields))

export const signInColumns = (sql: SqlClient.SqlClient) => sql`
  s.id, s.operator_id AS "operatorId", s.organisation_id AS "organisationId", s.created_at AS "createdAt", s.seen_at AS "seenAt",
  s.strength, s.single_sign_on AS "singleSignOn", s.network, s.agent`

export const signInFact = <T extends SignInChange>(
  type: T,
  { id, network, operatorId, organisationId, singleSignOn, strength }: SignIn,
  factId: string,
  { actor, now }: { readonly actor: string; readonly now: number },
  failuresBefore = 0
) => {
  const how = singleSignOn ? { singleSignOn } : {}
  const record = { id, operatorId, strength, network, ...how, ...(failuresBefore === 0 ? {} : { failuresBefore }) }
  const fact = factOf(type, `operator:${operatorId}`, factId, { by: { organisationId, actor }, now })
  return { ...fact, body: { by: actor, ...(type === "SignInEnded" ? { before: record } : { after: record }) } }
}

export const used = new Conflict({
  code: "second_factor_used",
  message: "This code was already used, or is no longer valid: use the next one."
})

/** Uses up a code; each is accepted only once. */
export const takeFactor = (sql: SqlClient.SqlClient, operatorId: string, factor: Factor) =>
  Effect.gen(function* () {
    const taken =
      factor._tag === "Totp"
        ? yield* sql`UPDATE operator p SET totp_step = ${factor.step}::float8::bigint
            WHERE p.id = ${operatorId} AND p.totp_secret IS NOT NULL AND p.totp_step < ${factor.step}::float8::bigint RETURNING 1`
        : yield* sql`DELETE FROM recovery_code c WHERE c.operator_id = ${operatorId} AND c.hash = ${factor.hash} RETURNING 1`
    if (taken.length === 0) return yield* used
  })

/** Deletes a person's sign-ins that are over, and the oldest ones beyond the maximum. */
const tidy = (sql: SqlClient.SqlClient, operatorId: string, now: number) =>
  Effect.gen(function* () {
    yield* sql`
      DELETE FROM sign_in s WHERE s.operator_id = ${operatorId}
        AND (s.ended_at IS NOT NULL OR s.created_at < ${new Date(now - wholeMillis)} OR s.seen_at < ${new Date(now - idleMillis)})`
    yield* sql`
      DELETE FROM sign_in s WHERE s.id IN (
        SELECT q.id FROM sign_in q WHERE q.operator_id = ${operatorId} ORDER BY q.seen_at DESC, q.id DESC OFFSET ${signInsMost - 1})`
  })

export const signIn = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.signIn")(function* (
    who: { readonly operatorId: string; readonly organisationId: string },
    given: NewSignIn,
    factor: Factor | undefined,
    failuresBefore: number,
    now: number
  ) {
    const { operatorId, organisationId } = who
    const write = Effect.gen(function* () {
      if (factor !== undefined) yield* takeFactor(sql, operatorId, factor)
      yield* tidy(sql, operatorId, now)
      const made = yield* signInRow(sql`
        INSERT INTO sign_in AS s (id, organisation_id, operator_id, hash, strength, single_sign_on, network, agent, created_at, seen_at, factor_at)
        SELECT ${secrets.uuid(now)}::uuid, m.organisation_id, m.operator_id, ${given.hash}, ${given.strength},
          ${given.singleSignOn ?? false}::boolean, ${given.network}, ${given.agent},
          ${new Date(now)}::timestamptz, ${new Date(now)}::timestamptz, ${given.strength === "SecondFactor" ? new Date(now) : null}::timestamptz
        FROM membership m WHERE m.operator_id = ${operatorId} AND m.organisation_id = ${organisationId} AND m.active
        RETURNING ${signInColumns(sql)}`)
      if (made === undefined) {
        return yield* new Conflict({
          code: "no_organisation",
          message: "This account does not work for any organisation now. Ask for an invitation."
        })
      }
      const actor = `operator:${operatorId}`
      return { result: made, facts: [signInFact("SignedIn", made, made.id, { actor, now }, failuresBefore)] }
    })
    return yield* journaled(write)
  })

const foundRows = rowsOf(
  Schema.Struct({
    ...fields,
    ...GrantFields,
    hash: Schema.String,
    requiresSecondFactor: Schema.Boolean,
    passwordForOwnersOnly: Schema.Boolean,
    factorAt: optional(Millis),
    hasFactor: Schema.Boolean
  })
)

/** The same as for keys, and for the same reason. */
const lookups = { maxBatch: 500, maxQueue: 10_000 }

/** Looked up before the caller is known, and therefore not limited to an organisation; `hash` is unique. */
export const findSignIn = (sql: SqlClient.SqlClient) =>
  Effect.map(
    makeBatched({
      ...lookups,
      absent: () => undefined,
      run: (hashes: ReadonlyArray<string>) =>
        guarded(
          foundRows(sql`
            SELECT ${signInColumns(sql)}, s.hash, o.require_second_factor AS "requiresSecondFactor", ${grantColumns(sql)},
              ${passwordForOwnersOnly(sql)}, s.factor_at AS "factorAt",
              (EXISTS (SELECT 1 FROM operator p WHERE p.id = s.operator_id AND p.totp_secret IS NOT NULL)
                OR EXISTS (SELECT 1 FROM passkey k WHERE k.operator_id = s.operator_id)) AS "hasFactor"
            FROM sign_in s JOIN organisation o ON o.id = s.organisation_id ${withSingleSignOn(sql)} ${withRole(sql, "s")}
            WHERE s.hash = ANY (${textArray([...new Set(hashes)])}) AND s.ended_at IS NULL`)
        ).pipe(
          Effect.map((rows): ReadonlyMap<string, FoundSignIn | undefined> => {
            const found = rows.map(({ hash, ...row }) => {
              const permissions = signInPermissions({ ...row, permissions: permissionsOf(row) })
              const { id, operatorId, organisationId } = row
              const principal = {
                organisationId,
                actor: `operator:${operatorId}`,
                keyId: signInKey(id),
                operatorId,
                permissions,
                ...(row.singleSignOn ? { bySingleSignOn: true } : row.hasFactor ? { factorAt: row.factorAt ?? 0 } : {})
              }
              return [hash, { ...row, principal }] as const
            })
            return new Map(found)
          })
        )
    }),
    (lookUp) => Effect.fn("Accounts.findSignIn")((hash: string) => lookUp(hash))
  )

export const signIns = (sql: SqlClient.SqlClient) =>
  Effect.fn("Accounts.signIns")((operatorId: string, now: number) =>
    guarded(
      signInRows(sql`
        SELECT ${signInColumns(sql)} FROM sign_in s WHERE s.operator_id = ${operatorId} AND s.ended_at IS NULL
        ORDER BY s.created_at DESC, s.id DESC LIMIT ${signInsMost}`)
    ).pipe(Effect.map((found) => found.filter((one) => !isOver(one, now))))
  )

const ownOf = (audit: AuditContext): string => audit.by.operatorId ?? ""

/** Ends sign-ins, and returns their facts. */
export const ending = (
  { secrets, sql }: Pick<Recording, "secrets" | "sql">,
  where: Statement.Fragment,
  { actor, now }: { readonly actor: string; readonly now: number }
) =>
  Effect.map(
    signInRows(sql`
      UPDATE sign_in s SET ended_at = ${new Date(now)} WHERE ${where} AND s.ended_at IS NULL RETURNING ${signInColumns(sql)}`),
    (ended) => ended.map((one) => signInFact("SignInEnded", one, secrets.uuid(now), { actor, now }))
  )

export const endSignIn = (recording: Recording) =>
  Effect.fn("Accounts.endSignIn")(function* (id: string, audit: AuditContext) {
    const { sql } = recording
    const missing = new NotFound({ kind: "sign-in", id })
    if (!isUuid(id)) return yield* missing
    const write = Effect.gen(function* () {
      const own = sql`s.id = ${id} AND s.operator_id = ${ownOf(audit)}`
      const facts = yield* ending(recording, own, { actor: audit.by.actor, now: audit.now })
      if (facts.length === 0) return yield* missing
      return { result: undefined, facts }
    })
    yield* recording.journaled(write)
  })

export const endOtherSignIns = (recording: Recording) =>
  Effect.fn("Accounts.endOtherSignIns")(function* (kept: string, audit: AuditContext) {
    const { sql } = recording
    const others = sql`s.operator_id = ${ownOf(audit)} AND s.id <> ${kept}`
    const write = Effect.map(ending(recording, others, { actor: audit.by.actor, now: audit.now }), (facts) => ({
      result: undefined,
      facts
    }))
    yield* recording.journaled(write)
  })

export const renewSignIn = ({ journaled, secrets, sql }: Recording) =>
  Effect.fn("Accounts.renewSignIn")(function* (id: string, change: SignInRenewal, audit: AuditContext) {
    const { factor, hash, organisationId = null, strength = null } = change
    const missing = new NotFound({ kind: "organisation", id: organisationId ?? "" })
    if (organisationId !== null && !isUuid(organisationId)) return yield* missing
    const factorAt = strength === "SecondFactor" ? new Date(audit.now) : null
    const write = Effect.gen(function* () {
      if (factor !== undefined) yield* takeFactor(sql, ownOf(audit), factor)
      const renewed = yield* signInRow(sql`
        UPDATE sign_in s SET hash = ${hash}, organisation_id = m.organisation_id, strength = coalesce(${strength}::text, s.strength),
          factor_at = coalesce(${factorAt}::timestamptz, s.factor_at)
        FROM membership m
        WHERE s.id = ${id} AND s.operator_id = ${ownOf(audit)} AND s.ended_at IS NULL
          AND m.operator_id = s.operator_id AND m.organisation_id = coalesce(${organisationId}::uuid, s.organisation_id) AND m.active
        RETURNING ${signInColumns(sql)}`)
      if (renewed === undefined) return yield* missing
      const by = { actor: audit.by.actor, now: audit.now }
      const isChanged = strength !== null || renewed.organisationId !== audit.by.organisationId
      const facts = isChanged ? [signInFact("SignInRenewed", renewed, secrets.uuid(audit.now), by)] : []
      return { result: renewed, facts }
    })
    return yield* journaled(write)
  })
