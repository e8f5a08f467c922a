/** Rows of commands, decoded into the domain's, with their observed effect. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Command } from "../../domain/command/Command.ts"
import { mayHaveObeyed, sentAtOf } from "../../domain/command/CommandEnd.ts"
import { commandTypes } from "../../domain/command/Kinds.ts"
import { Millis, optional } from "../kernel/Rows.ts"
import { commandStatuses } from "../../domain/command/Command.ts"

const Document = Schema.Record(Schema.String, Schema.Unknown)

export const CommandRow = Schema.Struct({
  id: Schema.String,
  organisationId: Schema.String,
  chargerId: Schema.String,
  type: Schema.Literals(commandTypes),
  status: Schema.Literals(commandStatuses),
  parameters: Document,
  by: Schema.String,
  createdAt: Millis,
  expiresAt: optional(Millis),
  sentAt: optional(Millis),
  completedAt: optional(Millis),
  result: optional(Document),
  sessionId: optional(Schema.String),
  sessionEnded: Schema.Boolean,
  fileId: optional(Schema.String),
  progressStatus: optional(Schema.String),
  progressAt: optional(Millis)
})

export const commandColumns = (sql: SqlClient.SqlClient) => sql`
  m.id, m.organisation_id AS "organisationId", m.charger_id AS "chargerId", m.type, m.status, m.parameters, m.issued_by AS "by",
    m.created_at AS "createdAt", m.expires_at AS "expiresAt", m.sent_at AS "sentAt", m.completed_at AS "completedAt", m.result,
    m.session_id AS "sessionId", m.file_id AS "fileId", m.progress_status AS "progressStatus", m.progress_at AS "progressAt",
    ${endedAfter(sql)} AS "sessionEnded"`

export const selectCommands = (sql: SqlClient.SqlClient) => sql`SELECT ${commandColumns(sql)} FROM command m`

/**
 * Whether a RemoteStop's session ended after the command was sent, by its own stop and not by a later start on the connector. The end time
 * is the charger's if its clock was right at the start (within a minute), otherwise the time of receipt. Chargers write whole seconds, so a
 * minute of tolerance is allowed.
 */
const endedAfter = (sql: SqlClient.SqlClient) => sql`
  (m.type = 'RemoteStop' AND m.session_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM session s
    WHERE s.id = m.session_id AND s.organisation_id = m.organisation_id AND s.ended_at IS NOT NULL AND NOT s.superseded
      AND CASE WHEN s.started_at BETWEEN s.created_at - interval '1 minute' AND s.created_at + interval '1 minute'
        THEN s.ended_at >= m.sent_at - interval '1 minute' ELSE s.updated_at >= m.sent_at END))`

const effectOf = (row: typeof CommandRow.Type): Command["effect"] => {
  if (row.sentAt === undefined || !mayHaveObeyed({ status: row.status, errorCode: row.result?.["errorCode"] }))
    return undefined
  if (row.type === "RemoteStart" && row.sessionId !== undefined) return "SessionStarted"
  return row.type === "RemoteStop" && row.sessionEnded ? "SessionEnded" : undefined
}

export const commandOf = (row: typeof CommandRow.Type): Command => {
  const { progressAt, progressStatus, sessionEnded: _, ...command } = row
  const progress =
    progressStatus === undefined || progressAt === undefined ? undefined : { status: progressStatus, at: progressAt }
  const effect = effectOf(row)
  // If the charger refused a RemoteStart, a session that began meanwhile was not started by it.
  const sessionId = row.type === "RemoteStart" && effect === undefined ? undefined : row.sessionId
  return { ...command, sentAt: sentAtOf(row), sessionId, effect, progress }
}
