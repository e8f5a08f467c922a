/**
 * Cards that may charge because their partner has just said so. A grant is stored with the command that contains it, and read with the
 * other data that decides on a card. Grants of rejected commands, and grants that a session has used, no longer apply.
 */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { NewGrant } from "../../domain/roaming/TokenGrant.ts"
import { tokenKey } from "../../domain/token/Token.ts"
import { RoamingRow } from "../roaming/RoamingRows.ts"
import type { Scoped } from "../kernel/Scoped.ts"

/** A grant in its stored form, which the directory reads. */
export const GrantDocument = Schema.Struct({
  ...RoamingRow.fields,
  evseId: Schema.Int,
  expiresAt: Schema.Finite
})

const encode = Schema.encodeSync(Schema.fromJsonString(GrantDocument))

/** Stores the grant of a command, in the command's transaction. */
export const putGrant = (own: Scoped, commandId: string, chargerId: string, grant: NewGrant, now: number) => {
  const { authorizationReference, idTag, ...rest } = grant
  const document = encode({ ...rest, ...(authorizationReference === undefined ? {} : { authorizationReference }) })
  return own`
    INSERT INTO token_grant (command_id, organisation_id, charger_id, evse_id, uid_key, roaming, created_at, expires_at)
    VALUES (${commandId}, ${own.id}, ${chargerId}, ${grant.evseId}, ${tokenKey(idTag)}, ${document}::text::jsonb, ${new Date(now)},
      ${new Date(grant.expiresAt)})`
}

/** How many grants of one card are read: partners repeat commands, and each creates one. */
const grantsLooked = 20

/**
 * A JSON array of the grants that apply to `w(organisation_id, uid_key, charger_id, at)`, the newest first, or null. Usually there are none, which
 * is found without any join. A start may have been made offline some time ago, and clocks may differ by minutes. A reservation's grant ends with the
 * reservation, a remote start's with the session that followed.
 */
export const grantsOf = (sql: SqlClient.SqlClient) => sql`
  CASE WHEN EXISTS (SELECT 1 FROM token_grant e WHERE e.charger_id = w.charger_id AND e.uid_key = w.uid_key AND e.expires_at > w.at)
  THEN (
  SELECT json_agg(g.roaming ORDER BY g.command_id DESC) FROM (
    SELECT x.roaming, x.command_id FROM token_grant x JOIN command m ON m.id = x.command_id AND m.organisation_id = x.organisation_id
    WHERE x.charger_id = w.charger_id AND x.organisation_id = w.organisation_id AND x.uid_key = w.uid_key AND x.expires_at > w.at
      AND x.created_at <= w.at + interval '15 minutes'
      AND m.session_id IS NULL
      AND (m.status IN ('Pending', 'Sent', 'Accepted', 'TimedOut') OR m.result ->> 'errorCode' = 'ConnectionLost')
      AND NOT EXISTS (
        SELECT 1 FROM reservation r
        WHERE r.command_id = x.command_id AND r.organisation_id = x.organisation_id AND r.status IN ('Rejected', 'Failed', 'Used', 'Cancelled'))
    ORDER BY x.command_id DESC LIMIT ${grantsLooked}::int
  ) g) END`
