/** Pending credentials of chargers: stored when their command is sent, and changed when the command ends and when a charger connects. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { credentialsAfter, sentCredentials, settlement } from "../../domain/charger/PendingCredentials.ts"
import { uuidArray } from "../kernel/Arrays.ts"
import { appendOnce } from "../kernel/Facts.ts"
import { locks } from "../kernel/Locks.ts"
import { optional, rowsOf, Whole } from "../kernel/Rows.ts"
import type { EndedCommand } from "./EndedCommands.ts"

/** Stores the credentials that a command sends, in the transaction that marks it as sent. The command may be sent again after a lost answer. */
export const followSent = (
  sql: SqlClient.SqlClient,
  command: Parameters<typeof sentCredentials>[0] & { readonly id: string }
): Effect.Effect<void, SqlError> => {
  const sent = sentCredentials(command)
  if (sent === undefined) return Effect.void
  return Effect.asVoid(sql`
    INSERT INTO charger_pending (command_id, charger_id, verifier, security_profile)
    SELECT m.id, c.charger_id, m.password_verifier, ${sent._tag === "Password" ? null : sent.profile}::smallint
    FROM command m JOIN charger c ON c.charger_id = m.charger_id WHERE m.id = ${command.id}
    ON CONFLICT (command_id) DO NOTHING`)
}

/** Applies the ends of commands to credentials. */
export const followCredentials = (sql: SqlClient.SqlClient, ended: ReadonlyArray<EndedCommand>) =>
  Effect.gen(function* () {
    const known = ended.flatMap((end) => {
      const sent = end.type === "ChangeConfiguration" ? sentCredentials(end) : undefined
      return sent === undefined ? [] : [{ id: end.commandId, what: credentialsAfter(sent, end) }]
    })
    const idsOf = (wanted: "InForce" | "Refused") => known.filter(({ what }) => what === wanted).map(({ id }) => id)
    const [inForce, refused] = [idsOf("InForce"), idsOf("Refused")]
    if (inForce.length > 0) {
      yield* sql`
        UPDATE charger c SET password_verifier = m.password_verifier, updated_at = m.completed_at
        FROM command m WHERE m.id = ANY (${uuidArray(inForce)}) AND c.charger_id = m.charger_id AND c.organisation_id = m.organisation_id`
      yield* sql`
        DELETE FROM charger_pending p USING command m
        WHERE m.id = ANY (${uuidArray(inForce)}) AND p.charger_id = m.charger_id AND p.verifier IS NOT NULL`
    }
    if (refused.length > 0) yield* sql`DELETE FROM charger_pending WHERE command_id = ANY (${uuidArray(refused)})`
  })

const chargerRows = rowsOf(Schema.Struct({ organisationId: Schema.String, securityProfile: Schema.Int }))
const pendingRows = rowsOf(
  Schema.Struct({
    commandId: Schema.String,
    turn: Whole,
    isPassword: Schema.Boolean,
    isUsed: Schema.Boolean,
    securityProfile: optional(Schema.Int)
  })
)

export interface UsedAt {
  readonly chargerId: string
  /** ms epoch. */
  readonly at: number
  readonly passwordVerifier: Uint8Array | undefined
  readonly securityProfile: number | undefined
}

/** Puts the credentials into force with which a charger has just connected. */
export const settleCredentials = (
  sql: SqlClient.SqlClient,
  { at, chargerId, passwordVerifier, securityProfile }: UsedAt
): Effect.Effect<void, SqlError> => {
  const verifier = passwordVerifier ?? null
  const settling = Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${locks.journal})`
    const [charger] = yield* chargerRows(sql`
      SELECT organisation_id AS "organisationId", security_profile::int AS "securityProfile" FROM charger WHERE charger_id = ${chargerId}`)
    if (charger === undefined) return
    const pending = yield* pendingRows(sql`
      SELECT p.command_id AS "commandId", m.turn, p.verifier IS NOT NULL AS "isPassword",
        coalesce(p.verifier = ${verifier}::bytea, false) AS "isUsed", p.security_profile::int AS "securityProfile"
      FROM charger_pending p JOIN command m ON m.id = p.command_id WHERE p.charger_id = ${chargerId}`)
    const used = { hasPassword: passwordVerifier !== undefined, securityProfile }
    const { dropped, isNewPassword, isRecorded, ...next } = settlement(used, charger.securityProfile, pending)
    yield* sql`
      UPDATE charger SET updated_at = ${new Date(at)}, security_profile = ${next.securityProfile}::int,
        password_verifier = CASE WHEN ${isNewPassword} THEN ${verifier}::bytea ELSE password_verifier END
      WHERE charger_id = ${chargerId}`
    yield* sql`DELETE FROM charger_pending WHERE command_id = ANY (${uuidArray(dropped)})`
    if (!isRecorded) return
    const body = { passwordChanged: isNewPassword, securityProfile: securityProfile ?? null }
    const key = `secured:${chargerId}:${at}:${securityProfile ?? 0}`
    const fact = { key, organisationId: charger.organisationId, subject: `charger:${chargerId}`, at, heardAt: at, body }
    yield* appendOnce(sql, [{ ...fact, type: "ChargerSecured" }])
  })
  return sql.withTransaction(settling)
}
