/** Storage of what people sign in with: their profile, password, second factor and recovery codes. Part of `Accounts`. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { FactorStale } from "../../domain/Errors.ts"
import type { CredentialChange } from "../../domain/event/RecordFact.ts"
import type { Factor } from "../../domain/operator/Accounts.ts"
import { enrolment, signInOf } from "../../domain/operator/SignIn.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { textArray } from "../kernel/Arrays.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
import { Millis, optional, rowOf } from "../kernel/Rows.ts"
import { guarded } from "../kernel/SqlErrors.ts"
import { ending, takeFactor, used } from "./SignIns.ts"

const ownOf = (audit: AuditContext): string => audit.by.operatorId ?? ""

export const credentialFact = (
  type: CredentialChange,
  operatorId: string,
  id: string,
  audit: Parameters<typeof factOf>[3]
) => ({
  ...factOf(type, `operator:${operatorId}`, id, audit),
  body: { by: audit.by.actor, after: { operatorId } }
})

const noted = ({ secrets }: Recording, type: CredentialChange, audit: AuditContext) =>
  credentialFact(type, ownOf(audit), secrets.uuid(audit.now), audit)

export const changePassword = (recording: Recording) =>
  Effect.fn("Accounts.changePassword")(function* (passwordHash: string, audit: AuditContext) {
    const { sql } = recording
    const write = Effect.gen(function* () {
      yield* sql`UPDATE operator p SET password_hash = ${passwordHash} WHERE p.id = ${ownOf(audit)}`
      const others = sql`s.operator_id = ${ownOf(audit)} AND s.id::text <> ${signInOf(audit.by) ?? ""}`
      const ended = yield* ending(recording, others, { actor: audit.by.actor, now: audit.now })
      return { result: undefined, facts: [noted(recording, "PasswordChanged", audit), ...ended] }
    })
    yield* recording.journaled(write)
  })

export const beginTotp = ({ sql, writable }: Recording) =>
  Effect.fn("Accounts.beginTotp")(function* (sealed: string, audit: AuditContext) {
    yield* writable
    yield* guarded(
      sql`UPDATE operator p SET totp_pending = ${sealed} WHERE p.id = ${ownOf(audit)} AND p.totp_secret IS NULL`
    )
  })

const personRow = rowOf(Schema.Struct({ hasFactor: Schema.Boolean, factorAt: optional(Millis) }))

/**
 * Whether this is the caller's first second factor; fails if it may not be added. To be run in the transaction that adds it, which has the
 * journal's lock: the second of two at once finds the first.
 */
export const isFirstFactor = (sql: SqlClient.SqlClient, audit: AuditContext) =>
  Effect.gen(function* () {
    const person = yield* personRow(sql`
      SELECT (p.totp_secret IS NOT NULL OR EXISTS (SELECT 1 FROM passkey k WHERE k.operator_id = p.id)) AS "hasFactor",
        (SELECT s.factor_at FROM sign_in s
          WHERE s.id::text = ${signInOf(audit.by) ?? ""} AND s.operator_id = p.id AND s.ended_at IS NULL) AS "factorAt"
      FROM operator p WHERE p.id = ${ownOf(audit)}`)
    const allowed = enrolment(person ?? { hasFactor: true, factorAt: undefined }, audit.now)
    if (allowed === "Stale") return yield* new FactorStale()
    return allowed === "First"
  })

const putCodes = (sql: SqlClient.SqlClient, operatorId: string, hashes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM recovery_code c WHERE c.operator_id = ${operatorId}`
    yield* sql`INSERT INTO recovery_code (operator_id, hash)
      SELECT ${operatorId}::uuid, h.hash FROM unnest(${textArray(hashes)}) AS h(hash)`
  })

export const confirmTotp = (recording: Recording) =>
  Effect.fn("Accounts.confirmTotp")(function* (step: number, hashes: ReadonlyArray<string>, audit: AuditContext) {
    const { sql } = recording
    const write = Effect.gen(function* () {
      const isFirst = yield* isFirstFactor(sql, audit)
      const set = yield* sql`
        UPDATE operator p SET totp_secret = p.totp_pending, totp_pending = NULL, totp_step = ${step}::float8::bigint
        WHERE p.id = ${ownOf(audit)} AND p.totp_pending IS NOT NULL AND p.totp_secret IS NULL RETURNING 1`
      if (set.length === 0) return yield* used
      yield* putCodes(sql, ownOf(audit), hashes)
      return { result: { isFirst }, facts: [noted(recording, "SecondFactorSet", audit)] }
    })
    return yield* recording.journaled(write)
  })

export const removeTotp = (recording: Recording) =>
  Effect.fn("Accounts.removeTotp")(function* (factor: Factor, audit: AuditContext) {
    const { sql } = recording
    const write = Effect.gen(function* () {
      yield* takeFactor(sql, ownOf(audit), factor)
      yield* withoutSecondFactor(sql, ownOf(audit))
      return { result: undefined, facts: [noted(recording, "SecondFactorRemoved", audit)] }
    })
    yield* recording.journaled(write)
  })

/** Removes the second factor; also part of a password reset. */
export const withoutSecondFactor = (sql: SqlClient.SqlClient, operatorId: string) =>
  Effect.gen(function* () {
    yield* sql`UPDATE operator p SET totp_secret = NULL, totp_pending = NULL WHERE p.id = ${operatorId}`
    yield* sql`DELETE FROM recovery_code c WHERE c.operator_id = ${operatorId}`
  })

/** Removes all passkeys in a password reset, beside the second factor: a lost device could otherwise still sign in. */
export const withoutPasskeys = (sql: SqlClient.SqlClient, operatorId: string) =>
  sql`DELETE FROM passkey k WHERE k.operator_id = ${operatorId}`

export const replaceRecoveryCodes = (recording: Recording) =>
  Effect.fn("Accounts.replaceRecoveryCodes")(function* (
    factor: Factor,
    hashes: ReadonlyArray<string>,
    audit: AuditContext
  ) {
    const { sql } = recording
    const write = Effect.gen(function* () {
      yield* takeFactor(sql, ownOf(audit), factor)
      yield* putCodes(sql, ownOf(audit), hashes)
      return { result: undefined, facts: [noted(recording, "RecoveryCodesReplaced", audit)] }
    })
    yield* recording.journaled(write)
  })
