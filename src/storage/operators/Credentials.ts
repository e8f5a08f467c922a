/** Storage of what people sign in with: their profile, password, second factor and recovery codes. Part of `Accounts`. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { CredentialChange } from "../../domain/event/RecordFact.ts"
import type { Factor } from "../../domain/operator/Accounts.ts"
import { signInOf } from "../../domain/operator/SignIn.ts"
import type { AuditContext } from "../../domain/values/AuditContext.ts"
import { textArray } from "../kernel/Arrays.ts"
import { factOf, type Recording } from "../kernel/Facts.ts"
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
    yield* guarded(sql`UPDATE operator p SET totp_pending = ${sealed} WHERE p.id = ${ownOf(audit)}`)
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
      const set = yield* sql`
        UPDATE operator p SET totp_secret = p.totp_pending, totp_pending = NULL, totp_step = ${step}::float8::bigint
        WHERE p.id = ${ownOf(audit)} AND p.totp_pending IS NOT NULL RETURNING 1`
      if (set.length === 0) return yield* used
      yield* putCodes(sql, ownOf(audit), hashes)
      return { result: undefined, facts: [noted(recording, "SecondFactorSet", audit)] }
    })
    yield* recording.journaled(write)
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
